"""What was learned, and its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._convert import labels_of, zeros
from ._prediction import Prediction
from ._sklearn import check_is_fitted

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Attributes"]


class Attributes(Prediction):
    """What an estimator has learned."""

    def _learned(self, name: str) -> _native.Model:
        model = vars(self).get("_model")
        if model is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r} before it has learned")
        return model

    def _linear(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        linear = self._learned(name).linear()
        if linear is None and self._about("map"):
            raise AttributeError(f"{name} is only known of a linear model; this one maps rows by {self._about('map')}")
        if linear is None:
            raise AttributeError(f"{name} is only known of a linear model; this one is {self._about('form')}")
        return linear

    def _about(self, name: str) -> Any:
        return self._learned(name).about()[name]

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, of shape (1, n_features) or (n_classes, n_features)."""
        return self._linear("coef_")[0]

    @property
    def intercept_(self) -> np.ndarray:
        """The constant in each score, of shape (1,) or (n_classes,)."""
        return self._linear("intercept_")[1]

    def _support(self, name: str) -> list[dict[str, np.ndarray]]:
        support = self._learned(name).support()
        if support is None:
            raise AttributeError(f"{name} is only known of a model made of support vectors")
        return support

    @property
    def support_vectors_(self) -> Any:
        """The rows behind a kernel model, as the learner sees them; a list of arrays for more than two classes."""
        matrices = []
        for parts in self._support("support_vectors_"):
            rows = len(parts["indptr"]) - 1
            dense = zeros((rows, self._about("features")), "support_vectors_")
            dense[np.repeat(np.arange(rows), np.diff(parts["indptr"])), parts["indices"]] = parts["data"]
            matrices.append(dense)
        return matrices[0] if len(matrices) == 1 else matrices

    @property
    def dual_coef_(self) -> Any:
        """The coefficients of the support vectors, of shape (1, n); a list of arrays for more than two classes."""
        parts = [part["coefficients"] for part in self._support("dual_coef_")]
        if any(part is None for part in parts):
            raise AttributeError("dual_coef_ is only known where the score is a sum over the support vectors")
        return parts[0][np.newaxis] if len(parts) == 1 else parts

    @property
    def n_mistakes_(self) -> int:
        """Trials with y·f(x) ≤ 0 while learning, in all passes; of more than two classes those of every learner."""
        return sum(mistakes for _, mistakes, _ in self._about("passes"))

    @property
    def error_rate_(self) -> float | None:
        """The share of trials whose predicted class was wrong while learning; None for batch learners."""
        return self._about("error_rate")

    @property
    def n_updates_(self) -> int:
        """Trials that changed the hypothesis while learning, in all passes."""
        return sum(updates for _, _, updates in self._about("passes"))

    @property
    def passes_(self) -> np.ndarray:
        """Trials, mistakes and updates of each pass, of shape (n_passes, 3)."""
        return np.array(self._about("passes"), dtype=np.int64).reshape(-1, 3)

    @property
    def about_(self) -> dict[str, Any]:
        """What is known of the model: its canonical spec, form, counts, stages and further facts."""
        return self._learned("about_").about()

    # -- model files ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, which the command line and `onlinear.load` read."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """Give the model file as bytes."""
        check_is_fitted(self)
        return self._model.to_bytes()

    def to_onnx(self) -> bytes:
        """Give the model as an ONNX graph, which `onnxruntime` and others run.

        Its results are `label`, as `predict` gives it, and `scores`, as `decision_function` does: ties fall the same
        way, and scores differ by rounding at most. Rows of an array are its one input `X`, in double precision; those
        of a data frame come column by column, of shape (rows, 1), with categories and booleans as texts, "" where they
        are missing and NaN where a number is. Models that are neither weights nor a sum over support vectors are
        refused by name, and so are columns of days and of free text.

        Examples
        --------
        >>> from onlinear import AveragedPerceptron, datasets
        >>> X, y = datasets.make_artificial(200)
        >>> graph = AveragedPerceptron().fit(X, y).to_onnx()
        >>> import onnxruntime  # doctest: +SKIP
        >>> label, scores = onnxruntime.InferenceSession(graph).run(None, {"X": X})  # doctest: +SKIP
        """
        check_is_fitted(self)
        is_whole = np.issubdtype(self.classes_.dtype, np.integer)
        return self._model.to_onnx([int(label) for label in self.classes_] if is_whole else None)

    def _adopt(self, model: _native.Model) -> Self:
        """Take over a native model that has learned."""
        about = model.about()
        self.n_features_in_ = about["features"]
        if about["columns"] is not None:
            self._take_columns([name for name, kind in about["columns"] if kind not in ("label", "weight")])
        self._take(model, labels_of(model.classes))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")
