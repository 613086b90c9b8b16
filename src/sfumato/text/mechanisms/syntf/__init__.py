"""SynTF: synthetic term frequencies."""
