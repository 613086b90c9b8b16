"""A sanitiser that thinks like a searcher: which words still lead to the person, and what is left without them."""
