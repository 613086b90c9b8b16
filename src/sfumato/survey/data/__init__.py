"""Generators and loaders of this kind of data."""
