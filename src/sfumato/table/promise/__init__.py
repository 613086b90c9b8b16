"""Promises on tables: one file a promise, with the compiled kernel that judges a class."""
