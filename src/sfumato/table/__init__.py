"""Tables with quasi-identifiers: protect them, attack the release, measure what is left."""
