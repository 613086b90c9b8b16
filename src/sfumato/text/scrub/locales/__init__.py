"""What recognisers know of a language and its countries."""
