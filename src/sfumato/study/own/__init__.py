"""Studies and releases of a user's own file."""
