"""Covariances of the noise on a trace: the published designs and the optimal ones."""
