"""What the four dissertations print, one module each: a list of claims and nothing else."""
