"""Traces: locations and other correlated series."""
