"""Private retrieval: a public document in place of a protected one, chosen by the depth it has among its sentences."""
