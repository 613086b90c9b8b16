"""The studio: a local page on which a table is looked at, protected, attacked and filed."""
