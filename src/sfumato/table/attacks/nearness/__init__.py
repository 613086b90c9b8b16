"""Attacks that compare a person with released records, whether a record is theirs or not."""
