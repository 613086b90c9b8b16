"""Private skip-gram word vectors."""
