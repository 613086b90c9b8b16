"""What the mechanisms, attacks and utilities of this kind of data share."""
