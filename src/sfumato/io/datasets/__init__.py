"""Loaders of the public data sets."""
