"""Learned anonymisers: representations that keep one label and lose another, judged by a fresh adversary."""
