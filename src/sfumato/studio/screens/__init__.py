"""The screens of the studio, one a file."""
