"""A release beside the data it was made from: attacked, measured and drawn for its owner."""
