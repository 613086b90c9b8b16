"""What is written in the place of a find: stand-ins, one for one person, and whole files."""
