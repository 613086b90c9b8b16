"""What is decided about files that are no tables of people: texts, traces and all other kinds of data."""
