"""Random permutations."""
