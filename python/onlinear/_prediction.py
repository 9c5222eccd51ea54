"""Predicting."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._convert import native_rows
from ._frames import checked_names, named, table_of
from ._sklearn import as_matrix, check_is_fitted, validate_data
from ._training import Training

__all__ = ["Prediction"]

#: What can be read as a table.
_FRAMES = "those of pandas, polars, pyarrow and duckdb are, and all that have __arrow_c_stream__"


class Prediction(Training):
    """How an estimator predicts."""

    def _checked_rows(self, X: Any) -> Any:
        """Give rows as the native half takes them, which finds out whether they are finite."""
        if self._codes is not None and _native.is_plain(X, self.n_features_in_):
            return X
        check_is_fitted(self)
        if self._columns is None:
            return native_rows(validate_data(self, X, reset=False))
        table = table_of(X)
        if table is not None:
            checked_names(table.names, self._columns)
            return table
        rows = X if hasattr(X, "indptr") else np.asarray(X)
        is_coded = rows.ndim == 2 and rows.shape[1] == self._model.about()["features"] and rows.dtype.kind != "O"
        if is_coded or rows.ndim != 2 or rows.shape[1] != len(self._columns) or hasattr(rows, "indptr"):
            return native_rows(as_matrix(rows))
        return named(rows, self._columns)

    def decision_function(self, X: Any) -> np.ndarray:
        """Give the score of each row; of more than two classes, a score for each class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
        """
        rows = self._checked_rows(X)
        return self._model.scores(rows)

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        rows = self._checked_rows(X)
        return self.classes_[self._model.predict(rows)]

    @property
    def predict_proba(self) -> Any:
        """Give the probability of each class for each row, of shape (n_samples, n_classes); needs `calibrate`."""
        if self._window() is None:
            raise AttributeError(f"{type(self).__name__} has no 'predict_proba' unless it is made with calibrate=True")
        return self._predict_proba

    def _predict_proba(self, X: Any) -> np.ndarray:
        rows = self._checked_rows(X)
        probabilities = self._model.probabilities(rows)
        if probabilities is None:
            raise ValueError("predict_proba needs a model that learned with calibrate=True")
        return probabilities

    # scikit-learn tells by the name of a method which column of its result it wants.
    _predict_proba.__name__ = "predict_proba"

    def ask(self, X: Any) -> np.ndarray:
        """Tell of each row whether its label is worth asking for; nothing is learned.

        The answer for one row is what the next `partial_fit` with it will do. Only selective sampling asks for labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of bool of shape (n_samples,)
        """
        rows = self._checked_rows(X)
        asked = self._model.asks(rows)
        if asked is None:
            raise ValueError(f"{type(self).__name__} asks for no labels; SelectiveSampler does")
        return asked

    # -- data frames ----------------------------------------------------------------------------------------------

    def _frame(self, df: Any) -> _native.Frame:
        check_is_fitted(self)
        table = table_of(df)
        if table is None:
            raise TypeError(f"{type(df).__name__} is no data frame with named columns: {_FRAMES}")
        if self._columns is None:
            raise ValueError("the model was not learned from a table, and cannot read one")
        return table

    def predict_frame(self, df: Any) -> np.ndarray:
        """Give the class of each row of a data frame, as `onlinear predict` does for the same table in a file.

        Parameters
        ----------
        df : data frame
            With the columns that the model was learned from, in any order; others do not matter.

        Returns
        -------
        array of shape (n_samples,)
        """
        return self.classes_[self._model.predict(self._frame(df))]

    def decision_function_frame(self, df: Any) -> np.ndarray:
        """Give the score of each row of a data frame; of more than two classes, a score for each class.

        Parameters
        ----------
        df : data frame
            With the columns that the model was learned from, in any order; others do not matter.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._model.scores(self._frame(df))
