"""Generators, and loaders of public sets."""
