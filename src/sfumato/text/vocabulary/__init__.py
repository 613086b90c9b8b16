"""Public vocabularies and word vectors."""
