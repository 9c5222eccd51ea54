"""Tables as rows of numbers, for pipelines of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._convert import column_words
from ._frames import checked_names, labelled, table_of
from ._matrix import matrix_of
from ._sklearn import BaseEstimator, TransformerMixin, check_is_fitted

if TYPE_CHECKING:
    from typing_extensions import Self


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn the columns of data frames into features, as the program does with those of a file.

    Numbers stay what they are, a category is a feature for each of its values, dates become year, month, weekday and
    day, free text a bag of words; what is missing is filled in, and a feature says so. Columns that tell rows apart, or
    never change, are left out.

    Parameters
    ----------
    kinds : dict of str, default=None
        What some columns hold, such as ``{"zip": "category", "since": "date=dmy"}``; told by their cells unless given.
    ignore, only : sequence of str, default=()
        Columns that are left out, or the only ones that are not.
    interact : sequence of pairs of str, default=()
        Columns whose features are multiplied with each other, which makes further features.
    missing : {"indicator", "mean", "median", "zero", "refuse"}, default="indicator"
        What an empty cell becomes; `"indicator"` is the mean, and a further feature that tells.
    decimal : {"point", "comma"}, default=None
        What stands before the fraction of numbers that are texts; told by them unless given.
    sparse : bool, default=None
        Whether to give a CSR matrix (needs SciPy) or a dense array; by the share of zeros unless given.

    Attributes
    ----------
    kinds_ : dict of str
        What each column was taken for.
    """

    def __init__(
        self,
        *,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        only: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        missing: str = "indicator",
        decimal: str | None = None,
        sparse: bool | None = None,
    ) -> None:
        self.kinds = kinds
        self.ignore = ignore
        self.only = only
        self.interact = interact
        self.missing = missing
        self.decimal = decimal
        self.sparse = sparse

    def fit(self, X: Any, y: Any = None) -> Self:
        """Tell what the columns of a data frame hold.

        Parameters
        ----------
        X : data frame
        y : ignored
        """
        table = _table(X)
        # A model keeps all that is needed; what it learns, of labels that mean nothing, is never asked for.
        classes, codes = np.array([0, 1]), np.arange(len(table)) % 2
        labelled_table, label, _ = labelled(table, None, codes, classes, None)
        model = _native.Model("perceptron", ["0", "1"], 0, max_memory=_native.most_memory())
        words = column_words(
            missing=self.missing,
            kinds=self.kinds,
            ignore=self.ignore,
            only=self.only,
            decimal=self.decimal,
            interact=self.interact,
        )
        model.fit_table(labelled_table, label, passes=1, columns=words)
        self._model, self._label = model, label
        self.feature_names_in_ = np.array(table.names, dtype=object)
        self.n_features_in_ = len(table.names)
        self.kinds_ = {name: kind for name, kind in model.about()["columns"] if name != label}
        return self

    def transform(self, X: Any) -> Any:
        """Give the features of a data frame with the same columns.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        table = _table(X)
        checked_names(table.names, self.feature_names_in_.tolist())
        return matrix_of(self._model.staged(table, self.sparse))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Give the names of the features: `age`, `city=Rome`, `since:year`, ….

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        return np.array(self._model.about()["names"], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")


def _table(X: Any) -> _native.Frame:
    table = table_of(X)
    if table is None:
        raise TypeError(f"TableEncoder takes data frames with named columns, not {type(X).__name__}")
    return table
