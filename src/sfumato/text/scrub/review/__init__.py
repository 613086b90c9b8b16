"""Findings that a person looked at: what to hide, what to keep, what was missed, and how much is missed still."""
