"""Every perceptron, exact and fast: online, kernel, budget and batch classifiers as scikit-learn estimators.

>>> from onlinear import AveragedPerceptron, datasets
>>> X, y = datasets.make_artificial(1000, noise=0.0)
>>> AveragedPerceptron().fit(X, y).score(X, y) > 0.9
True
"""

from importlib import import_module
from typing import Any

from ._native import ESTIMATORS, __version__

#: Where each name is, which is loaded when it is first asked for: the estimators take scikit-learn, whose own loading
#: takes ten times as long as all else.
_HOMES = {
    **dict.fromkeys(ESTIMATORS, "_estimators"),
    "Client": "_client",
    "Learner": "_learner",
    "ServerError": "_client",
    "TableEncoder": "_encoder",
    "from_spec": "_specs",
    "register_onnx_converters": "_onnx",
    "load": "_models",
    "merge": "_models",
    "metrics": "_metrics",
    "plot_decision_boundary": "_plots",
    "plot_learning_curve": "_plots",
    "read": "_read",
}

__all__ = [*_HOMES, "__version__", "datasets", "distributed"]


def __getattr__(name: str) -> Any:
    if name in ("datasets", "distributed"):
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
