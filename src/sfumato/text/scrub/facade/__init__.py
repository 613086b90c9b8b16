"""The two engines of Presidio by their names, arguments and results, over the recognisers here."""
