"""Mechanisms as steps of a scikit-learn pipeline."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import seeded_rng
from sfumato.promise import Guarantee
from sfumato.validate import choice

__all__ = ["ProtectTransformer"]


class ProtectTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Any mechanism on arrays as a transformer: ``fit`` learns nothing, ``transform`` releases.

    Every call draws new noise and is a release of its own: what it costs is ``guarantee``, once for each call.

    Parameters
    ----------
    mechanism : Mechanism
        Takes and gives arrays of shape (n_samples, n_features).
    when : {"always", "fit"}
        Protect whatever comes, or only what is learned from (``fit_transform``) and leave new data as they are.
    seed : int, optional
        For experiments only: makes the noise repeatable.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sfumato.mechanism import Laplace
    >>> step = ProtectTransformer(mechanism=Laplace(epsilon=1.0, sensitivity=1.0), when="fit", seed=0)
    >>> pipe = make_pipeline(step, LinearRegression())
    >>> X, y = np.arange(8.0)[:, None], np.arange(8.0)
    >>> pipe.set_params(protecttransformer__mechanism__epsilon=1000.0).fit(X, y).predict([[3.0]]).round(1)
    array([3.])
    >>> print(pipe[0].guarantee)
    ε = 1000 per record (replace-one neighbours, central model)
    """

    def __init__(
        self, mechanism: Mechanism, *, when: Literal["always", "fit"] = "always", seed: int | None = None
    ) -> None:
        self.mechanism = mechanism
        self.when = when
        self.seed = seed

    @property
    def guarantee(self) -> Guarantee:
        """What is proved about each call that protects."""
        return self.mechanism.guarantee

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters and the shape of the data; nothing is learned from them."""
        if not isinstance(self.mechanism, Mechanism):
            raise bad_input("mechanism", self.mechanism, "a mechanism such as Laplace(epsilon=1.0, sensitivity=1.0)")
        choice("when", self.when, ("always", "fit"))
        self.n_features_in_ = check_array(X).shape[1]
        names = getattr(X, "columns", None)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """The release that is learned from."""
        return self.fit(X, y)._release(X)

    def transform(self, X: Any) -> Any:
        """Another release, or with ``when="fit"`` the data as they are."""
        check_is_fitted(self, "n_features_in_")
        return self._release(X) if self.when == "always" else self._values(X)

    def set_params(self, **params: Any) -> Self:
        """Change parameters; those of the mechanism, ``mechanism__epsilon``, make another mechanism."""
        inside = {name: value for name, value in params.items() if name.startswith("mechanism__")}
        super().set_params(**{name: value for name, value in params.items() if name not in inside})
        if inside:
            changes = {name.removeprefix("mechanism__"): value for name, value in inside.items()}
            self.mechanism = self.mechanism.set_params(**changes)
        return self

    def _values(self, X: Any) -> NDArray[Any]:
        values: NDArray[Any] = check_array(X)
        if values.shape[1] != self.n_features_in_:
            raise bad_input("X", values.shape, f"{self.n_features_in_} features, as in fit")
        return values

    def _release(self, X: Any) -> Any:
        values = self._values(X)
        released = np.asarray(self.mechanism.release(values, rng=None if self.seed is None else seeded_rng(self.seed)))
        if released.shape != values.shape:
            raise bad_input(
                "mechanism", self.mechanism, f"one that releases arrays of shape {values.shape}, not {released.shape}"
            )
        return released
