"""What all estimators have in common."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _native
from ._convert import (
    checked_weights,
    class_weights_of,
    codes_of,
    distinct,
    labels_of,
    native_rows,
    seed_of,
    text_of,
    word,
    zeros,
)
from ._frames import batches_of, checked_names, labelled, named, table_of, weighted

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
    from sklearn.utils.validation import validate_data as _sklearn_validate_data

    def validate_data(estimator: Any, X: Any, y: Any = None, *, reset: bool = True) -> Any:
        """Give rows (and labels) as arrays, or say what is wrong with them."""
        labels = {} if y is None else {"y": y}
        dtype = [np.float64, np.float32]
        return _sklearn_validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=dtype, **labels)

    def validate_targets(y: Any, rows: int) -> np.ndarray:
        """Give labels as an array, one for each row, or say what is wrong with them."""
        y = column_or_1d(y, warn=True)
        check_consistent_length(range(rows), y)
        assert_all_finite(y, input_name="y")
        return y

    def as_matrix(X: Any) -> Any:
        """Give an array or a sparse matrix of numbers, which need not be finite."""
        return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)

except ImportError:
    from ._plain import (  # type: ignore[assignment]
        BaseEstimator,
        ClassifierMixin,
        as_matrix,
        check_classification_targets,
        check_is_fitted,
        validate_data,
        validate_targets,
    )

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Learner"]

#: How often `fit` passes over the rows of an array where nothing is said.
_PASSES = 10
#: What can be read as a table.
_FRAMES = "those of pandas, polars, pyarrow and duckdb are, and all that have __arrow_c_stream__"
#: The trials that `calibrate=True` keeps.
_WINDOW = 10000


class Learner(ClassifierMixin, BaseEstimator):
    """What every estimator does; the learners themselves are in `_estimators`."""

    #: The learner's name in a spec.
    _name: ClassVar[str]
    #: What else a parameter may be called, in any case: as in the papers, or as in scikit-learn.
    _other_names: ClassVar[dict[str, str]] = {}
    #: For each parameter of the spec, its key there and its type.
    _parameters: ClassVar[dict[str, tuple[str, type]]]
    #: The parameter that names the learner, where a class stands for several.
    _chosen_by: ClassVar[str | None] = None
    #: Whether the learner itself draws random numbers.
    _is_seeded: ClassVar[bool] = False
    #: Whether it learns from all rows at once.
    _is_batch: ClassVar[bool] = False
    #: Whether it learns each row as it comes.
    _streams: ClassVar[bool] = False
    #: How rows of arrays are brought to one length where nothing is said.
    _normalize: ClassVar[str | None] = None
    #: The columns that a table must have; none where the rows are those of an array.
    _columns: list[str] | None = None

    # -- parameters by other names --------------------------------------------------------------------------------

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            plain = cls.__init__

            # Its signature stays that of the plain one, by which scikit-learn knows the parameters.
            @functools.wraps(plain)
            def init(self: Learner, *args: Any, **params: Any) -> None:
                plain(self, *args, **self._own_names(params))

            cls.__init__ = init  # type: ignore[method-assign]

    @classmethod
    def _own_names(cls, params: dict[str, Any]) -> dict[str, Any]:
        """Give parameters by the names that they have here."""
        names, own = inspect.signature(cls.__init__).parameters, {}
        for name, value in params.items():
            known = None if name in names else cls._other_names.get(name.lower())
            if known is None:
                own[name] = value
            elif name == "gamma":  # the only one that is another number
                own[known] = "auto" if isinstance(value, str) else 1.0 / (2.0 * value)
            else:
                own[known] = value
        return own

    def set_params(self, **params: Any) -> Self:
        """Change parameters, by their names here or by those of scikit-learn (`C`, `gamma`, `max_iter`, `tol`)."""
        return super().set_params(**self._own_names(params))

    # -- the learner that the parameters name ---------------------------------------------------------------------

    @property
    def spec(self) -> str:
        """The learner as one line, which the command line understands too."""
        return _native.canonical_spec(self._spec())

    def _spec(self) -> str:
        settings = [f"{key}={value}" for key, value in self._settings()]
        return f"{self._spec_name()}:{','.join(settings)}" if settings else self._spec_name()

    def _spec_name(self) -> str:
        return word(getattr(self, self._chosen_by)) if self._chosen_by else self._name

    def _settings(self) -> list[tuple[str, str]]:
        settings = []
        for name, (key, kind) in self._parameters.items():
            value = getattr(self, name)
            if kind is not Learner:
                settings.append((key, word(value)))
            elif value is not None:
                settings.append((key, value._spec_name()))
                settings.extend((f"{key}.{inner}", setting) for inner, setting in value._settings())
        if self._is_seeded:
            settings.append(("seed", str(seed_of(self.random_state))))
        return settings

    def _native_model(self, classes: Any, *, features: int = 0, is_table: bool = False) -> _native.Model:
        bias, normalize = ("1" if self.fit_intercept else None), self.normalize
        if is_table:
            bias = None if self.fit_intercept else "none"
        elif normalize == "auto":
            normalize = self._normalize
        if self._is_batch and not self.fit_intercept:
            bias = "0"
        shuffle = seed_of(self.random_state) if not self._is_batch and self.shuffle else None
        return _native.Model(
            self._spec(),
            [text_of(label) for label in classes],
            features,
            stages=None if self.stages is None else [str(stage) for stage in self.stages],
            bias=bias,
            scale=self.scale,
            normalize=normalize,
            map=None if self.map is None else str(self.map),
            shuffle=shuffle,
            class_weights=class_weights_of(getattr(self, "class_weight", None)),
            calibrate=self._window(),
            is_table=is_table,
            max_memory=_native.most_memory(),
        )

    def _window(self) -> int | None:
        """How many trials are kept for probabilities."""
        window = getattr(self, "calibrate", None)
        if window is None or window is False:
            return None
        if window is True:
            return _WINDOW
        if int(window) != window or window < 1:
            raise ValueError(f"calibrate must be a whole number >= 1, True, False or None, not {window!r}")
        return int(window)

    # -- learning -------------------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        table = table_of(X)
        if table is not None:
            return self._fit_table(table, y, sample_weight)
        X, y = self._validated(X, y, reset=True)
        weights = checked_weights(sample_weight, X.shape[0])
        goes_on = self._streams and self.warm_start and hasattr(self, "_model") and set(y) <= set(self.classes_)
        classes = self.classes_ if goes_on else distinct(y)
        if self._is_batch and weights is not None and not weights.all():
            # Rows of no weight must not show in the scale of the features either.
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        codes = codes_of(y, classes)
        if goes_on:
            told = self._model.go_on(native_rows(X), codes, weights, passes=self._passes(), trace=self.trace)
        else:
            model = self._native_model(classes, features=self.n_features_in_)
            options = {
                "passes": self._passes(),
                "early_stop": self._stops_early(False),
                "trace": self.trace,
                "certificate": getattr(self, "certificate", False),
            }
            told = model.fit(native_rows(X), codes, weights, **options)
            self.classes_, self._model, self._columns = classes, model, None
        self._note(told)
        return self

    def _fit_table(self, table: _native.Frame, y: Any, sample_weight: Any) -> Self:
        """Learn from a table as the program does."""
        columns, classes, table, label, weight = self._targets(table, y, sample_weight)
        goes_on = self._streams and self.warm_start and self._columns is not None and hasattr(self, "_model")
        if goes_on and classes is not None and set(classes) <= set(self.classes_):
            checked_names(columns, self._columns)
            told = self._model.go_on_table(table, label, weight, passes=self._passes(), trace=self.trace)
            self._note(told)
            return self
        model = self._native_model([] if classes is None else classes, is_table=True)
        options = {
            "passes": None if self._is_batch or self.n_iter is None else self._passes(),
            "early_stop": self._stops_early(True),
            "trace": self.trace,
            "certificate": getattr(self, "certificate", False),
        }
        if not options["early_stop"] and options["passes"] is None:
            options["passes"] = self._passes()
        told = model.fit_table(table, label, weight, **options)
        if classes is None:
            classes = labels_of(model.classes)
        else:
            texts = [text_of(label) for label in classes]
            classes = classes[[texts.index(text) for text in model.classes]]
        self.classes_, self._model = classes, model
        self._take_columns(columns)
        self._note(told)
        return self

    def _targets(self, table: _native.Frame, y: Any, sample_weight: Any) -> Any:
        """Give the columns of features, the classes, and the table with its labels and weights and their names."""
        if y is None:
            name = type(self).__name__
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
        columns = table.names
        weights = checked_weights(sample_weight, len(table))
        if isinstance(y, str):
            if y not in columns:
                raise ValueError(f"y names column {y!r}, which the table does not have; its columns are {columns}")
            table, weight = weighted(table, weights)
            return [name for name in columns if name != y], None, table, y, weight
        labels = validate_targets(y, len(table))
        check_classification_targets(labels)
        classes = distinct(labels)
        table, label, weight = labelled(table, y, codes_of(labels, classes), classes, weights)
        return columns, classes, table, label, weight

    def _take_columns(self, columns: list[str]) -> None:
        self._columns = columns
        self.n_features_in_ = len(columns)
        self.feature_names_in_ = np.array(columns, dtype=object)

    def _passes(self) -> int:
        if self._is_batch:
            return 1
        if self.n_iter is None:
            return _PASSES
        passes = int(self.n_iter)
        if passes < 1:
            raise ValueError(f"n_iter must be a whole number >= 1, not {self.n_iter!r}")
        return passes

    def _stops_early(self, is_table: bool) -> bool:
        """Tell whether rows held out decide how many passes are made."""
        asked = getattr(self, "early_stopping", None)
        if asked is None:
            return is_table and not self._is_batch and self.n_iter is None
        return bool(asked)

    def _partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
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
        X, y = self._validated(X, y, reset=first)
        weights = checked_weights(sample_weight, X.shape[0])
        classes = self._classes(classes)
        codes = codes_of(y, classes)
        model = self._native_model(classes, features=self.n_features_in_) if first else self._model
        told = model.go_on(native_rows(X), codes, weights, trace=self.trace)
        self.classes_, self._model = classes, model
        return self._went_on(told, first)

    def _go_on_table(self, table: _native.Frame, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Go on with the rows of a table, as the program does with those of a stream."""
        first = not hasattr(self, "_model")
        classes = self._classes(classes)
        columns = [name for name in table.names if not isinstance(y, str) or name != y]
        if not first and self._columns is None:
            raise ValueError("the estimator has learned from arrays, and cannot go on with a table")
        if not first:
            checked_names(columns, self._columns)
        if isinstance(y, str):
            _, _, table, label, weight = self._targets(table, y, sample_weight)
        else:
            labels = validate_targets(y, len(table))
            weights = checked_weights(sample_weight, len(table))
            table, label, weight = labelled(table, y, codes_of(labels, classes), classes, weights)
        model = self._native_model(classes) if first else self._model
        told = model.go_on_table(table, label, weight, trace=self.trace)
        self.classes_, self._model = classes, model
        self._take_columns(columns)
        return self._went_on(told, first)

    def _classes(self, classes: Any) -> np.ndarray:
        """Give the classes of a stream."""
        if not hasattr(self, "_model"):
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            return distinct(classes)
        if classes is not None and not np.array_equal(np.sort(self.classes_), np.unique(classes)):
            message = f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            raise ValueError(message)
        return self.classes_

    def _went_on(self, told: dict[str, Any], first: bool) -> Self:
        """Keep what a part of a stream had to tell, behind what those before had."""
        if not first and "trace_" in vars(self) and told["trace"] is not None:
            told["trace"] = {name: np.concatenate([self.trace_[name], part]) for name, part in told["trace"].items()}
        self._note(told)
        return self

    def _validated(self, X: Any, y: Any, *, reset: bool) -> Any:
        if y is None:
            name = type(self).__name__
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
        X, y = validate_data(self, X, y, reset=reset)
        check_classification_targets(y)
        return X, y

    def _note(self, told: dict[str, Any]) -> None:
        """Keep what a run had to tell."""
        for name in ("trace", "certificate"):
            if told.get(name) is not None:
                setattr(self, f"{name}_", told[name])
            else:
                vars(self).pop(f"{name}_", None)
        for warning in told.get("warnings", ()):
            warnings.warn(warning.removeprefix("X: "), UserWarning, stacklevel=4)

    # -- predicting -----------------------------------------------------------------------------------------------

    def _checked_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if self._columns is None:
            return native_rows(validate_data(self, X, reset=False))
        table = table_of(X)
        if table is not None:
            checked_names(table.names, self._columns)
            return table
        rows = X if hasattr(X, "indptr") else np.asarray(X)
        is_coded = rows.ndim == 2 and rows.shape[1] == self._about("features") and rows.dtype.kind != "O"
        if is_coded or rows.ndim != 2 or rows.shape[1] != len(self._columns) or hasattr(rows, "indptr"):
            return native_rows(as_matrix(rows))
        return named(rows, self._columns)

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

    # -- what was learned -----------------------------------------------------------------------------------------

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

    @staticmethod
    def from_bytes(data: bytes) -> Learner:
        """Give the estimator of a model file's bytes, ready to predict and to go on learning."""
        return restored(_native.Model.from_bytes(bytes(data), max_memory=_native.most_memory()))

    def _adopt(self, model: _native.Model) -> Self:
        """Take over a native model that has learned."""
        self._model = model
        self.classes_ = labels_of(model.classes)
        about = model.about()
        self.n_features_in_ = about["features"]
        if about["columns"] is not None:
            self._take_columns([name for name, kind in about["columns"] if kind not in ("label", "weight")])
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # -- scikit-learn ---------------------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _value(text: str, kind: type) -> Any:
    """Read a value of a spec."""
    if kind is object:
        try:
            return float(text)
        except ValueError:
            return None if text == "none" else text
    return text == "true" if kind is bool else kind(text)


def _named(classes: dict[str, type[Learner]], name: str, settings: dict[str, str]) -> Learner:
    """Give the estimator that a spec names."""
    cls = classes[name]
    params: dict[str, Any] = {}
    if cls._chosen_by:
        params[cls._chosen_by] = name
    for parameter, (key, kind) in cls._parameters.items():
        if kind is Learner:
            inner = {k.removeprefix(f"{key}."): v for k, v in settings.items() if k.startswith(f"{key}.")}
            params[parameter] = _named(classes, settings[key], inner)
        else:
            params[parameter] = _value(settings[key], kind)
    if cls._is_seeded:
        params["random_state"] = int(settings["seed"])
    return cls(**params)


def from_spec(spec: str, **params: Any) -> Learner:
    """Give the estimator that a spec of the command line names.

    Parameters
    ----------
    spec : str
        Such as ``"perceptron:kernel=gaussian,gamma=0.05"``.
    **params
        Parameters that are not part of a spec, such as `n_iter`.

    Examples
    --------
    >>> import onlinear
    >>> onlinear.from_spec("passive-aggressive:c=0.5", n_iter=3)
    PassiveAggressive(aggressiveness=0.5, n_iter=3)
    """
    from . import _estimators

    name, _, settings = _native.canonical_spec(spec).partition(":")
    pairs = dict(setting.split("=", 1) for setting in settings.split(",") if setting)
    return _named(_estimators.CLASSES, name, pairs).set_params(**params)


def restored(model: _native.Model) -> Learner:
    """Give the estimator that a native model belongs to."""
    about = model.about()
    estimator = from_spec(about["spec"])
    known = estimator.get_params(deep=False)
    params: dict[str, Any] = {"scale": about["scale"], "fit_intercept": bool(about["bias"])}
    params |= {"normalize": about["normalize"], "map": about["map"]}
    if "n_iter" in known:
        params["n_iter"] = max(1, len(about["passes"]))
        params["shuffle"] = about["shuffle"] is not None
        if params["shuffle"]:
            params["random_state"] = about["shuffle"]
        params["calibrate"] = about["calibrate"]
    if "class_weight" in known and about["class_weights"]:
        params["class_weight"] = dict(zip(labels_of(model.classes).tolist(), about["class_weights"], strict=True))
    estimator.set_params(**params)
    return estimator._adopt(model)


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
