"""Many people at once: their traces in one table or folder, protected in parallel and reported together."""
