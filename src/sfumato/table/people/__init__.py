"""People with several records, several releases of the same people, and pseudonyms."""
