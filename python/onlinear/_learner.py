"""The estimators that all others are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from ._attributes import Attributes
from ._sklearn import ClassifierMixin

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["BatchLearner", "Learner", "OnlineLearner", "ReadAheadLearner", "WeightedOnlineLearner"]


class Learner(ClassifierMixin, Attributes):
    """What every estimator is: the type to name where any will do. Models are made by the classes below it."""

    if TYPE_CHECKING:
        # What is loaded can be any of them: all have the one, and all that are not batch learners the other.
        def fit(self, X: Any, y: Any) -> Self: ...
        def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

    @staticmethod
    def from_bytes(data: bytes) -> Learner:
        """Give the estimator of a model file's bytes, ready to predict and to go on learning."""
        from ._specs import restored

        return restored(_native.Model.from_bytes(bytes(data), max_memory=_native.most_memory()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class OnlineLearner(Learner):
    """A learner of rows as they come."""

    _streams = True

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows in `n_iter` passes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or data frame
        y : array of shape (n_samples,), or the name of a column of X
            The class of each row; more than two are learned one against the rest.
        """
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on with the next rows of a stream, in the order given.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or data frame
        y : array of shape (n_samples,), or the name of a column of X
        classes : array, default=None
            All classes that will ever come; needed in the first call only.
        """
        return self._partial_fit(X, y, classes)


class WeightedOnlineLearner(Learner):
    """A learner of rows as they come, which takes sample weights."""

    _streams = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows in `n_iter` passes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or data frame
        y : array of shape (n_samples,), or the name of a column of X
            The class of each row; more than two are learned one against the rest.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts; all the same by default.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with the next rows of a stream, in the order given.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or data frame
        y : array of shape (n_samples,), or the name of a column of X
        classes : array, default=None
            All classes that will ever come; needed in the first call only.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts.
        """
        return self._partial_fit(X, y, classes, sample_weight)


class ReadAheadLearner(Learner):
    """A learner of row after row that has to see all rows before the first."""

    def fit(self, X: Any, y: Any) -> Self:
        """Look at all rows, then learn from them in `n_iter` passes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or data frame
        y : array of shape (n_samples,), or the name of a column of X
            The class of each row; more than two are learned one against the rest.
        """
        return self._fit(X, y)


class BatchLearner(Learner):
    """A learner from all rows at once."""

    _is_batch = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows at once.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or data frame
        y : array of shape (n_samples,), or the name of a column of X
            The class of each row; more than two are learned one against the rest.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts; all the same by default.
        """
        return self._fit(X, y, sample_weight)
