"""Logs: made up, and public ones."""
