"""Which columns and values make people stand out, and what would help."""
