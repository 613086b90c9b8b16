"""Noise where identity sits: attention that shows it, and noise scaled by what is public about it."""
