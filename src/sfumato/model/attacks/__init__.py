"""The attacks, one a file."""
