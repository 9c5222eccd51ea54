"""The parameters of an estimator, by all their names, and the learner that they name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from . import _native
from ._convert import class_weights_of, column_words, seed_of, text_of, word
from ._sklearn import BaseEstimator

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Parameters"]

#: How often `fit` passes over the rows of an array where nothing is said.
_PASSES = 10
#: The trials that `calibrate=True` keeps.
_WINDOW = 10000


class Parameters(BaseEstimator):
    """What is asked for."""

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
    #: Parameters that only some of the learners of a class have.
    _only_of: ClassVar[dict[str, tuple[str, ...]]] = {}
    #: How rows of arrays are brought to one length where nothing is said.
    _normalize: ClassVar[str | None] = None

    # Parameters that are no part of a spec, as far as a learner has them.
    fit_intercept: bool
    scale: str | None
    normalize: str | None
    map: str | None
    stages: Sequence[str] | None
    kinds: dict[str, str] | None
    ignore: Sequence[str]
    interact: Sequence[tuple[str, str]]
    n_iter: int | None
    shuffle: bool
    random_state: Any
    warm_start: bool
    trace: bool
    verbose: bool | int

    # -- by other names -------------------------------------------------------------------------------------------

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            plain: Any = cls.__init__

            # Its signature stays that of the plain one, by which scikit-learn knows the parameters.
            @functools.wraps(plain)
            def init(self: Parameters, *args: Any, **params: Any) -> None:
                plain(self, *args, **self._own_names(params))

            setattr(cls, "__init__", init)  # noqa: B010 (by assignment it would be a method of another type)

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

    # -- the learner that they name -------------------------------------------------------------------------------

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
            if self._spec_name() not in self._only_of.get(name, (self._spec_name(),)):
                if value != type(self)().get_params(deep=False)[name]:
                    raise ValueError(f"{name}={value!r} does not go with {self._chosen_by}={self._spec_name()!r}")
                continue
            if not issubclass(kind, Parameters):
                settings.append((key, word(value)))
            elif value is not None:
                settings.append((key, value._spec_name()))
                settings.extend((f"{key}.{inner}", setting) for inner, setting in value._settings())
        if self._is_seeded:
            settings.append(("seed", str(seed_of(self.random_state))))
        return settings

    def _native_model(self, classes: Any, *, features: int = 0, is_table: bool = False) -> _native.Model:
        """Give a model that has learned nothing yet."""
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

    # -- what is asked of a run -----------------------------------------------------------------------------------

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

    def _passes(self) -> int:
        if self._is_batch:
            return 1
        if self.n_iter is None:
            return _PASSES
        passes = int(self.n_iter)
        if passes < 1:
            raise ValueError(f"n_iter must be a whole number >= 1, not {self.n_iter!r}")
        return passes

    def _run(self, *, is_table: bool) -> dict[str, Any]:
        """Give what a run from nothing is told, as the native half takes it."""
        stops_early = getattr(self, "early_stopping", None)
        if stops_early is None:
            stops_early = is_table and not self._is_batch and self.n_iter is None
        return {
            "passes": None if is_table and stops_early and self.n_iter is None else self._passes(),
            "early_stop": bool(stops_early),
            "certificate": getattr(self, "certificate", False),
            **self._watch(),
        }

    def _watch(self) -> dict[str, Any]:
        """Give what is looked at while a run goes on."""
        return {"trace": self.trace, "verbose": bool(self.verbose)}

    def _column_words(self) -> dict[str, Any]:
        """Give what is said of the columns of tables, as the native half takes it."""
        return column_words(kinds=self.kinds, ignore=self.ignore, interact=self.interact)
