"""Word-by-word replacement."""
