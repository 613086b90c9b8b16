"""Audits of synthetic tables: distance to the closest record and the three risks of the Working Party."""
