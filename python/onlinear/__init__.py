"""Every perceptron, exact and fast: online, kernel, budget and batch classifiers as scikit-learn estimators.

>>> from onlinear import AveragedPerceptron, datasets
>>> X, y = datasets.make_artificial(1000, noise=0.0)
>>> AveragedPerceptron().fit(X, y).score(X, y) > 0.9
True
"""

from . import _estimators, datasets, distributed
from ._base import from_spec
from ._client import Client, ServerError
from ._encoder import TableEncoder
from ._estimators import *  # noqa: F403
from ._io import load, merge, read
from ._metrics import metrics
from ._native import __version__
from ._plots import plot_decision_boundary, plot_learning_curve

__all__ = [
    *_estimators.__all__,
    "Client",
    "ServerError",
    "TableEncoder",
    "__version__",
    "datasets",
    "distributed",
    "from_spec",
    "load",
    "merge",
    "metrics",
    "plot_decision_boundary",
    "plot_learning_curve",
    "read",
]
