"""The estimators that specs and models name."""

from __future__ import annotations

from typing import Any

from . import _native
from ._convert import labels_of
from ._estimators import CLASSES
from ._learner import Learner

__all__ = ["from_spec", "restored"]


def _value(text: str, kind: type) -> Any:
    """Read a value of a spec."""
    if kind is object:
        try:
            return float(text)
        except ValueError:
            return None if text == "none" else text
    return text == "true" if kind is bool else kind(text)


def _named(name: str, settings: dict[str, str]) -> Learner:
    """Give the estimator that a spec names."""
    cls = CLASSES[name]
    params: dict[str, Any] = {}
    if cls._chosen_by:
        params[cls._chosen_by] = name
    for parameter, (key, kind) in cls._parameters.items():
        if issubclass(kind, Learner):
            inner = {k.removeprefix(f"{key}."): v for k, v in settings.items() if k.startswith(f"{key}.")}
            params[parameter] = _named(settings[key], inner)
        elif key in settings:  # of the learners of a class some may not have it
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
    name, _, settings = _native.canonical_spec(spec).partition(":")
    pairs = dict(setting.split("=", 1) for setting in settings.split(",") if setting)
    return _named(name, pairs).set_params(**params)


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
