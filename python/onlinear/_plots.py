"""Figures of what was learned, drawn with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._learner import Learner


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def plot_learning_curve(*estimators: Learner, ax: Axes | None = None) -> Axes:
    """Draw the share of mistakes so far against trials, or the training errors against epochs.

    Parameters
    ----------
    *estimators : estimators that learned with `trace=True`
    ax : Matplotlib axes, default=None
        Where to draw; the current axes unless given.
    """
    if not estimators:
        raise ValueError("there is no estimator to draw")
    for estimator in estimators:
        if not hasattr(estimator, "trace_"):
            raise ValueError(f"{type(estimator).__name__} kept no trace: set trace=True before it learns")
    ax = _axes(ax)
    for estimator in estimators:
        trace = estimator.trace_
        if "mistake" in trace:
            trials = np.arange(1, len(trace["mistake"]) + 1)
            ax.plot(trials, np.cumsum(trace["mistake"]) / trials, label=type(estimator).__name__)
            ax.set(xlabel="trials", ylabel="share of mistakes")
        else:
            ax.plot(trace["epoch"], trace["errors"], label=type(estimator).__name__)
            ax.set(xlabel="epochs", ylabel="training errors")
    ax.legend()
    return ax


def plot_decision_boundary(
    estimator: Learner, X: Any, y: Any = None, *, ax: Axes | None = None, resolution: int = 200
) -> Axes:
    """Draw the classes that an estimator of two features predicts, the boundary between them, and the rows.

    Parameters
    ----------
    estimator : an estimator that learned from two features
    X : array of shape (n_samples, 2)
        The rows.
    y : array of shape (n_samples,), default=None
        Their classes, shown as colours.
    ax : Matplotlib axes, default=None
        Where to draw; the current axes unless given.
    resolution : int, default=200
        Points of the grid along each axis.
    """
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"a boundary can be drawn of two features, not of an array of shape {X.shape}")
    low, high = X.min(axis=0), X.max(axis=0)
    room = 0.05 * np.where(high > low, high - low, 1.0)
    horizontal, vertical = (np.linspace(low[k] - room[k], high[k] + room[k], resolution) for k in range(2))
    grid = np.stack([part.ravel() for part in np.meshgrid(horizontal, vertical)], axis=1)
    predicted = estimator.predict(grid)
    classes = list(estimator.classes_)
    numbers = np.array([classes.index(label) for label in predicted]).reshape(resolution, resolution)
    ax = _axes(ax)
    levels = np.arange(len(classes) + 1) - 0.5
    ax.contourf(horizontal, vertical, numbers, levels=levels, cmap="coolwarm", alpha=0.3)
    if len(np.unique(numbers)) > 1:
        between: dict[str, Any] = {"colors": "black", "linewidths": 1.2}
        if len(classes) == 2:
            scores = estimator.decision_function(grid).reshape(resolution, resolution)
            ax.contour(horizontal, vertical, scores, levels=[0.0], **between)
        else:
            ax.contour(horizontal, vertical, numbers, levels=levels[1:-1], **between)
    colours = None if y is None else [classes.index(label) for label in np.asarray(y)]
    ax.scatter(X[:, 0], X[:, 1], c=colours, cmap="coolwarm", s=12, vmin=0, vmax=len(classes) - 1)
    return ax
