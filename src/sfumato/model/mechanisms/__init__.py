"""The mechanisms, one a file."""
