"""Randomised responses with public texts: useful at a small ε for the whole document."""
