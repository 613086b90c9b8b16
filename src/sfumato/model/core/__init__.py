"""What the audits of models share: samples from files, distances, nearest neighbours and feature spaces."""
