# Made by `cargo xtask generate` from the declarations beside the code; do not edit.
"""The artificial sets of the papers: one seed gives one endless sequence of rows, of which any number is taken."""

from __future__ import annotations

import numpy as np

from ._convert import seed_of, word
from ._native import generate

__all__ = [
    "make_ringnorm",
    "make_threenorm",
    "make_yinyang",
    "make_two_gaussians",
    "make_second_order_toy",
    "make_artificial",
    "make_sparse_experts",
    "make_xor",
    "make_slow",
]


def _make(name: str, rows: int, random_state: object, **settings: object) -> tuple[np.ndarray, np.ndarray]:
    text = ",".join(f"{key}={word(value)}" for key, value in settings.items())
    return generate(f"{name}:{text}" if text else name, int(rows), seed_of(random_state))


def make_ringnorm(
    n_samples: int = 1000,
    *,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of ringnorm.

    20 features; +1: N(0, 4I); -1: N((a, …, a), I) with a = 1/√20.

    From: Breiman (1996, 1998), as in Li, Perceptron Learning with Random Coordinate Descent.

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("ringnorm", n_samples, random_state)


def make_threenorm(
    n_samples: int = 1000,
    *,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of threenorm.

    20 features; +1: N(±(a, …, a), I) by a fair coin; -1: N((a, -a, a, …), I), with a = 2/√20.

    From: Breiman (1996, 1998), as in Li, Perceptron Learning with Random Coordinate Descent.

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("threenorm", n_samples, random_state)


def make_yinyang(
    n_samples: int = 1000,
    *,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of yinyang.

    2 features, uniform in the disc of radius 1.1; +1 in the white half of the yin-yang sign with its dot.

    From: Li, Pratap, Lin and Abu-Mostafa (2005).

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("yinyang", n_samples, random_state)


def make_two_gaussians(
    n_samples: int = 1000,
    *,
    noise: float = 0.1,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of two-gaussians.

    2 features; N(±(1, 1), diag(0.2, 2)), labelled by the sign of the mean, then flipped with probability noise.

    From: Dekel, Shalev-Shwartz and Singer (2007), as in Orabona, Keshet and Caputo (2008).

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    noise : a number >= 0 and <= 1, default=0.1
        probability with which a label is flipped.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("two-gaussians", n_samples, random_state, noise=noise)


def make_second_order_toy(
    n_samples: int = 1000,
    *,
    set: int = 1,
    features: int = 100,
    ratio: float = 8.0,
    margin: float = 0.0,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of second-order-toy.

    Gaussian, variance ratio along the first axis and 1 along the others; labelled by the sign of x1 (set 1) or x2 (set
    2).

    From: Cesa-Bianchi, Conconi and Gentile (2005), section 5.

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    set : a whole number >= 1 and <= 2, default=1
        the axis whose sign is the label: 1, the dominant one, or 2, another.
    features : a whole number >= 2 and <= 1000000, default=100
        number of features.
    ratio : a number >= 1 and <= 1000000, default=8.0
        dominant eigenvalue over the others.
    margin : a number >= 0 and <= 2, default=0.0
        least |x1| (set 1) or |x2| (set 2); nearer rows are drawn again.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("second-order-toy", n_samples, random_state, set=set, features=features, ratio=ratio, margin=margin)


def make_artificial(
    n_samples: int = 1000,
    *,
    features: int = 500,
    relevant: int = 50,
    margin: float = 0.005,
    noise: float = 0.0,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of artificial.

    uniform in the cube, then of unit norm; labelled by u·x, u having equal weights of random sign on the first relevant
    features; |u·x| >= margin; labels flipped with probability noise.

    From: Brotto, Gentile and Vitale (2007), section 4.

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    features : a whole number >= 1 and <= 1000000, default=500
        number of features.
    relevant : a whole number >= 1 and <= 1000000, default=50
        number of features that the label depends on.
    margin : a number >= 0 and <= 1, default=0.005
        least |u·x|; nearer rows are drawn again.
    noise : a number >= 0 and <= 1, default=0.0
        probability with which a label is flipped.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make(
        "artificial", n_samples, random_state, features=features, relevant=relevant, margin=margin, noise=noise
    )


def make_sparse_experts(
    n_samples: int = 1000,
    *,
    features: int = 100,
    relevant: int = 3,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of sparse-experts.

    each feature -1 or +1 by a fair coin; labelled by the majority of the first relevant features.

    From: after Littlestone (1988); the setting in which Winnow beats the Perceptron.

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    features : a whole number >= 1 and <= 1000000, default=100
        number of features.
    relevant : a whole number >= 1 and <= 1000000, default=3
        number of features that vote on the label; odd.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("sparse-experts", n_samples, random_state, features=features, relevant=relevant)


def make_xor(
    n_samples: int = 1000,
    *,
    spread: float = 0.0,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of xor.

    2 features: a corner (±1, ±1), plus Gaussian noise of deviation spread; +1 when exactly one sign of the corner is
    positive.

    From: Minsky and Papert (1969).

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    spread : a number >= 0 and <= 1000000, default=0.0
        standard deviation of the noise around the corners.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("xor", n_samples, random_state, spread=spread)


def make_slow(
    n_samples: int = 1000,
    *,
    features: int = 10,
    random_state: object = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of slow.

    as many rows as features, in turn, which take the Perceptron (4^features - 1)/3 updates to tell apart.

    From: Mohri's lecture: convergence can be in Ω(2^N) for small margins.

    Parameters
    ----------
    n_samples : int, default=1000
        How many rows.
    features : a whole number >= 1 and <= 40, default=10
        number of features, and of different rows.
    random_state : int, RandomState, Generator or None, default=1
        Where the sequence starts.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        -1 or +1.
    """
    return _make("slow", n_samples, random_state, features=features)
