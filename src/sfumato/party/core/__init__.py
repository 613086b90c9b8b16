"""What the protocols are made of: encryption, randomness, the tree, messages and machines."""
