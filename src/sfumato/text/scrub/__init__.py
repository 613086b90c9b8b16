"""Finding and replacing personal things in texts."""
