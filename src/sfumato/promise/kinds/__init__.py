"""The kinds of promises that every kind of data may make, one file each."""
