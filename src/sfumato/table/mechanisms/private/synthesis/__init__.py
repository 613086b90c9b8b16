"""Synthetic tables from noisy marginals."""
