"""Attacks on several releases of the same people, one file each."""
