"""Numbers computed from data: counts, sums, means, variances, histograms, quantiles and Welch's t-test."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
