"""Hierarchies given by a rule, which need no list of values."""
