"""Patterns of personal items, one family a file. Each finder yields start, end, score and a name of what it found."""
