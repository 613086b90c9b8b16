"""Sections of the reproduction book, one module a room."""
