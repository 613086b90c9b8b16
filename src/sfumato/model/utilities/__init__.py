"""The utilities, one a file."""
