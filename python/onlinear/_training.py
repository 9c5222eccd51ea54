"""Learning from arrays and from tables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._convert import checked_weights, codes_of, distinct, labels_of, native_rows, text_of
from ._frames import batches_of, checked_names, labelled, table_of, weighted
from ._parameters import Parameters
from ._sklearn import check_classification_targets, validate_data, validate_targets

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Training"]

#: What cells of a table do not have around them.
_BLANKS = " \t\n\r\f"


class Training(Parameters):
    """How an estimator learns."""

    # What an estimator has once it has learned, and of these what was asked for.
    _model: _native.Model
    classes_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray
    trace_: dict[str, np.ndarray]
    certificate_: dict[str, Any]

    #: The columns that a table must have; none where the rows are those of an array.
    _columns: list[str] | None = None
    #: The place of each class among the classes, where the rows are those of an array.
    _codes: dict[Any, int] | None = None

    # -- all rows -------------------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        table = table_of(X)
        if table is not None:
            return self._fit_table(table, y, sample_weight)
        X, y, present = self._validated(X, y, reset=True)
        weights = checked_weights(sample_weight, X.shape[0])
        goes_on = self._streams and self.warm_start and hasattr(self, "_model") and set(present) <= set(self.classes_)
        classes = self.classes_ if goes_on else distinct(present)
        if self._is_batch and weights is not None and not weights.all():
            # Rows of no weight must not show in the scale of the features either.
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        # Rows are met again and again, in any order: they are brought side by side once.
        rows, codes = native_rows(X, side_by_side=True), codes_of(y, classes)
        if goes_on:
            told = self._model.go_on(rows, codes, weights, passes=self._passes(), **self._watch())
        else:
            model = self._native_model(classes, features=self.n_features_in_)
            told = model.fit(rows, codes, weights, **self._run(is_table=False))
            self._columns = None
            self._take(model, classes)
        self._note(told)
        return self

    def _fit_table(self, table: _native.Frame, y: Any, sample_weight: Any) -> Self:
        """Learn from a table as the program does."""
        columns, classes, table, label, weight = self._targets(table, y, sample_weight)
        known = self._columns if self._streams and self.warm_start and hasattr(self, "_model") else None
        if known is not None and classes is not None and set(classes) <= set(self.classes_):
            checked_names(columns, known)
            told = self._model.go_on_table(table, label, weight, passes=self._passes(), **self._watch())
            self._note(told)
            return self
        model = self._native_model([] if classes is None else classes, is_table=True)
        told = model.fit_table(table, label, weight, columns=self._column_words(), **self._run(is_table=True))
        if classes is None:
            classes = labels_of(model.classes)
        else:
            texts = [text_of(label).strip(_BLANKS) for label in classes]
            classes = classes[[texts.index(text) for text in model.classes]]
        self._take_columns(columns)
        self._take(model, classes)
        self._note(told)
        return self

    # -- the next rows of a stream --------------------------------------------------------------------------------

    def _partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        if self._codes is not None and classes is None and _native.is_plain(X, self.n_features_in_):
            codes = _native.codes(y, self._codes)
            if codes is not None and len(codes) == len(X):
                weights = checked_weights(sample_weight, len(X))
                return self._went_on(self._model.go_on(X, codes, weights, **self._watch()))
        return self._partial_fit_any(X, y, classes, sample_weight)

    def _partial_fit_any(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Go on with rows of any kind, once they are found to be sound."""
        batches = batches_of(X) if isinstance(y, str) else None
        if batches is not None and sample_weight is not None:
            raise ValueError("sample_weight does not go with a stream; give its batches one after another")
        if batches is not None:
            for batch in batches:
                self._go_on_table(batch, y, classes, None)
            return self
        table = table_of(X)
        if table is not None:
            return self._go_on_table(table, y, classes, sample_weight)
        first = not hasattr(self, "_model")
        X, y, _ = self._validated(X, y, reset=first)
        weights = checked_weights(sample_weight, X.shape[0])
        classes = self._stream_classes(classes)
        codes = codes_of(y, classes)
        model = self._native_model(classes, features=self.n_features_in_) if first else self._model
        told = model.go_on(native_rows(X), codes, weights, **self._watch())
        self._take(model, classes)
        return self._went_on(told)

    def _go_on_table(self, table: _native.Frame, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Go on with the rows of a table, as the program does with those of a stream."""
        first = not hasattr(self, "_model")
        classes = self._stream_classes(classes)
        columns = [name for name in table.names if not isinstance(y, str) or name != y]
        if not first:
            if self._columns is None:
                raise ValueError("the estimator has learned from arrays, and cannot go on with a table")
            checked_names(columns, self._columns)
        if isinstance(y, str):
            _, _, table, label, weight = self._targets(table, y, sample_weight)
        else:
            labels = validate_targets(y, len(table))
            weights = checked_weights(sample_weight, len(table))
            table, label, weight = labelled(table, y, codes_of(labels, classes), classes, weights)
        model = self._native_model(classes) if first else self._model
        words = self._column_words() if first else None
        told = model.go_on_table(table, label, weight, columns=words, **self._watch())
        self._take_columns(columns)
        self._take(model, classes)
        return self._went_on(told)

    def _stream_classes(self, classes: Any) -> np.ndarray:
        """Give the classes of a stream."""
        if not hasattr(self, "_model"):
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            return distinct(classes)
        if classes is not None and not np.array_equal(np.sort(self.classes_), np.unique(classes)):
            message = f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            raise ValueError(message)
        return self.classes_

    def _went_on(self, told: dict[str, Any]) -> Self:
        """Keep what a part of a stream had to tell, behind what those before had."""
        trace = told["trace"]
        if trace is not None and "trace_" in vars(self):
            told["trace"] = {name: np.concatenate([self.trace_[name], part]) for name, part in trace.items()}
        self._note(told)
        return self

    # -- rows and labels ------------------------------------------------------------------------------------------

    def _validated(self, X: Any, y: Any, *, reset: bool) -> Any:
        """Give rows and labels as arrays, and the labels that there are."""
        self._require_targets(y)
        X, y = validate_data(self, X, y, reset=reset)
        return X, y, self._classes_of(y)

    def _require_targets(self, y: Any) -> None:
        if y is None:
            name = type(self).__name__
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")

    def _classes_of(self, y: np.ndarray) -> np.ndarray:
        """Give the labels that there are, once they are found to be such.

        scikit-learn sorts them all again to say so: it is asked where it may have something against them.
        """
        if y.dtype.kind not in "iufbU":
            check_classification_targets(y)
            return np.unique(y)
        present = np.unique(y)
        is_whole = y.dtype.kind != "f" or np.array_equal(present, np.trunc(present))
        if 2 * len(present) > len(y) or not is_whole:
            check_classification_targets(y)
        return present

    def _targets(self, table: _native.Frame, y: Any, sample_weight: Any) -> Any:
        """Give the columns of features, the classes, and the table with its labels and weights and their names."""
        self._require_targets(y)
        columns = table.names
        weights = checked_weights(sample_weight, len(table))
        if isinstance(y, str):
            if y not in columns:
                raise ValueError(f"y names column {y!r}, which the table does not have; its columns are {columns}")
            table, weight = weighted(table, weights)
            return [name for name in columns if name != y], None, table, y, weight
        labels = validate_targets(y, len(table))
        classes = distinct(self._classes_of(labels))
        table, label, weight = labelled(table, y, codes_of(labels, classes), classes, weights)
        return columns, classes, table, label, weight

    # -- what is kept ---------------------------------------------------------------------------------------------

    def _take(self, model: _native.Model, classes: np.ndarray) -> None:
        """Keep a model that has learned, with its classes."""
        self.classes_, self._model = classes, model
        # A table says more than that, and is read by its columns.
        self._codes = dict(zip(classes.tolist(), range(len(classes)), strict=True)) if self._columns is None else None

    def _take_columns(self, columns: list[str]) -> None:
        self._columns = columns
        self.n_features_in_ = len(columns)
        self.feature_names_in_ = np.array(columns, dtype=object)

    def _note(self, told: dict[str, Any]) -> None:
        """Keep what a run had to tell."""
        for name in ("trace", "certificate"):
            if told.get(name) is not None:
                setattr(self, f"{name}_", told[name])
            else:
                self.__dict__.pop(f"{name}_", None)
        for warning in told.get("warnings", ()):
            warnings.warn(warning.removeprefix("X: "), UserWarning, stacklevel=4)
