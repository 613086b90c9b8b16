"""The schema that is proposed for a file, and what is added to it for the next one."""
