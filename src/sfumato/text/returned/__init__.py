"""What comes back: a release beside the original, attacked, measured and computed again."""
