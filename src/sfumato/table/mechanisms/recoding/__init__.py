"""Recoding of quasi-identifiers until a target is met."""
