"""The utilities, one file each."""
