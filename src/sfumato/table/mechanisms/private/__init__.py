"""Mechanisms on tables with differential privacy."""
