# Made by `cargo xtask generate` from the declarations beside the code; do not edit.
"""Every learner as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from ._learner import BatchLearner, Learner, OnlineLearner, ReadAheadLearner, WeightedOnlineLearner

__all__ = [
    "Perceptron",
    "AveragedPerceptron",
    "VotedPerceptron",
    "PassiveAggressive",
    "AROW",
    "SoftConfidenceWeighted",
    "ROMMA",
    "ALMA",
    "Winnow",
    "PNormPerceptron",
    "SecondOrderPerceptron",
    "WhitenedPerceptron",
    "HigherOrderPerceptron",
    "Projectron",
    "ProjectronPlusPlus",
    "Forgetron",
    "RandomizedBudgetPerceptron",
    "Stoptron",
    "BudgetPassiveAggressive",
    "SelectiveSampler",
    "RCD",
    "Pocket",
    "SampledAveragedPerceptron",
    "SGD",
    "FisherDiscriminant",
    "LinearSVM",
    "AdaBoost",
]


class Perceptron(WeightedOnlineLearner):
    """Perceptron.

    Adds every mistaken row, times its label, to the weights.

    Rule::

        w ← w + η y x when y w·x ≤ 0; with a kernel, x joins the support set with coefficient η y

    Paper: Rosenblatt (1958); Novikoff (1962).

    Cost: O(non-zeros) per trial; with a kernel, one kernel value per support vector.

    Bound: mistakes ≤ R²/ρ² on data separable with margin ρ, ((R + D₂)/ρ)² on any data.

    Differs from the paper: a zero score counts as a mistake whatever the label.

    Parameters
    ----------
    rate : a number > 0, default=1.0
        Size of an update; scales the scores, never changes a decision.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    multiclass : {"rest", "direct"}, default="rest"
        a learner for each class against the rest, or one that moves the vectors of all classes together.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import Perceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = Perceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "perceptron"
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "rate",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "rate": ("rate", float),
        "output": ("output", str),
        "multiclass": ("multiclass", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        rate: float = 1.0,
        output: Literal["last", "averaged", "longest"] = "last",
        multiclass: Literal["rest", "direct"] = "rest",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.rate = rate
        self.output = output
        self.multiclass = multiclass
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class AveragedPerceptron(WeightedOnlineLearner):
    """Averaged Perceptron.

    Learns as the Perceptron does and predicts with the mean of its weight vectors.

    Rule::

        w̄ = (1/T) Σ w_t, w_t the Perceptron's weights after trial t

    Paper: Freund and Schapire (1999).

    Cost: the Perceptron's, per trial and per prediction.

    Bound: online, the Perceptron's.

    Differs from the paper: none.

    Parameters
    ----------
    rate : a number > 0, default=1.0
        Size of an update; scales the scores, never changes a decision.
    multiclass : {"rest", "direct"}, default="rest"
        a learner for each class against the rest, or one that moves the vectors of all classes together.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import AveragedPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = AveragedPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "averaged"
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "rate",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "rate": ("rate", float),
        "multiclass": ("multiclass", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        rate: float = 1.0,
        multiclass: Literal["rest", "direct"] = "rest",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.rate = rate
        self.multiclass = multiclass
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class VotedPerceptron(OnlineLearner):
    """Voted Perceptron.

    Learns as the Perceptron does; every weight vector it had votes with the number of trials it survived.

    Rule::

        f(x) = Σᵢ cᵢ sgn(wᵢ·x)

    Paper: Freund and Schapire (1999).

    Cost: the Perceptron's per trial; a prediction passes once over all mistaken rows.

    Bound: online, the Perceptron's.

    Differs from the paper: the zero vector's count starts at 0 and stays there (its votes are 0).

    Parameters
    ----------
    rate : a number > 0, default=1.0
        Size of an update; scales the scores, never changes a decision.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import VotedPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = VotedPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "voted"
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "rate",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "rate": ("rate", float),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        rate: float = 1.0,
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.rate = rate
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class PassiveAggressive(WeightedOnlineLearner):
    """Passive-Aggressive.

    Stays while a row is right with margin 1, else moves just far enough to make it so.

    Rule::

        w ← w + τ y x when ℓ = 1 − y w·x > 0; τ = ℓ/‖x‖² (pa), min(C, ℓ/‖x‖²) (pa1), ℓ/(‖x‖² + 1/(2C)) (pa2)

    Paper: Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006).

    Cost: O(non-zeros) per trial; with a kernel, one kernel value per support vector.

    Bound: for every u of margin 1: pa1 M ≤ max(R², 1/C)(‖u‖² + 2C Σℓ), pa2 M ≤ (R² + 1/(2C))(‖u‖² + 2C Σℓ²), pa M ≤
    R²‖u‖² where ℓ = 0 throughout; ℓ = max(0, 1 − y u·x).

    Differs from the paper: a sample weight multiplies C.

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        How far an update may go: all the way (pa), at most C (pa1), less the smaller C (pa2).
    aggressiveness : a number > 0, default=1.0
        C, the price of an error; variant=pa has none and ignores it.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    multiclass : {"rest", "direct"}, default="rest"
        a learner for each class against the rest, or one that moves the vectors of all classes together.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import PassiveAggressive, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = PassiveAggressive().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "passive-aggressive"
    _other_names: ClassVar[dict[str, str]] = {
        "c": "aggressiveness",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "variant": ("variant", str),
        "aggressiveness": ("aggressiveness", float),
        "output": ("output", str),
        "multiclass": ("multiclass", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        aggressiveness: float = 1.0,
        output: Literal["last", "averaged", "longest"] = "last",
        multiclass: Literal["rest", "direct"] = "rest",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.variant = variant
        self.aggressiveness = aggressiveness
        self.output = output
        self.multiclass = multiclass
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class AROW(WeightedOnlineLearner):
    """AROW.

    Knows of each weight how sure it is of it, and moves those most of which it is least sure.

    Rule::

        when ℓ = 1 − y μ·x > 0: μ ← μ + (ℓ/(xᵀΣx + r)) y Σx, then Σ⁻¹ ← Σ⁻¹ + x xᵀ/r or, diagonal, Σᵢ⁻¹ ← Σᵢ⁻¹ + xᵢ²/r

    Paper: Crammer, Kulesza and Dredze (2009).

    Cost: O(non-zeros) per trial; matrix=full as second-order: n features (with a kernel, or where they are fewer: rows
    learned from), O(non-zeros) per trial (dual: n kernel values), O(n²) per update.

    Bound: none reported: the paper's, of matrix=full, could not be read.

    Differs from the paper: matrix=diagonal minimises the paper's function over diagonal matrices, in place of the
    diagonal of its full update; forgetting is ours; a sample weight divides r.

    Parameters
    ----------
    regularization : a number > 0, default=1.0
        r; the larger, the smaller the steps and the longer it stays unsure.
    matrix : {"diagonal", "full"}, default="diagonal"
        How sure it is of each weight alone, or also of weights together, in O(n²).
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    forgetting : a number >= 0 and <= 1, default=0.0
        Of matrix=diagonal: the share of what makes a weight sure that is lost with every update of it; for targets that
        drift.
    multiclass : {"rest", "direct"}, default="rest"
        a learner for each class against the rest, or one that moves the vectors of all classes together.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import AROW, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = AROW().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "arow"
    _other_names: ClassVar[dict[str, str]] = {
        "r": "regularization",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "regularization": ("regularization", float),
        "matrix": ("matrix", str),
        "output": ("output", str),
        "forgetting": ("forgetting", float),
        "multiclass": ("multiclass", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        regularization: float = 1.0,
        matrix: Literal["diagonal", "full"] = "diagonal",
        output: Literal["last", "averaged", "longest"] = "last",
        forgetting: float = 0.0,
        multiclass: Literal["rest", "direct"] = "rest",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.regularization = regularization
        self.matrix = matrix
        self.output = output
        self.forgetting = forgetting
        self.multiclass = multiclass
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class SoftConfidenceWeighted(OnlineLearner):
    """Soft Confidence-Weighted.

    Moves just far enough that the row would be right with a given probability, as far as C lets it.

    Rule::

        when φ√(xᵀΣx) > y μ·x: μ ← μ + α y Σx, then Σ⁻¹ ← Σ⁻¹ + (αφ/√u) x xᵀ or, diagonal, its diagonal; φ =
        Φ⁻¹(confidence)

    Paper: Wang, Zhao and Hoi (2012).

    Cost: O(non-zeros) per trial; matrix=full, n features: O(n·non-zeros) per trial, O(n²) per update, O(non-zeros) per
    prediction.

    Bound: none reported.

    Differs from the paper: √u = 2v/(αvφ + √(α²v²φ² + 4v)), which is the same without cancellation; where v ≤ 0 by
    rounding nothing is learned.

    Parameters
    ----------
    variant : {"1", "2"}, default="1"
        SCW-I: C bounds a step; SCW-II: steps are the shorter, the smaller C.
    aggressiveness : a number > 0, default=1.0
        C, the price of an error.
    confidence : a number > 0.5 and < 1, default=0.9
        The probability of being right that every row should have.
    matrix : {"diagonal", "full"}, default="diagonal"
        How sure it is of each weight alone, or also of weights together, in O(n²).
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import SoftConfidenceWeighted, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = SoftConfidenceWeighted().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "scw"
    _other_names: ClassVar[dict[str, str]] = {
        "c": "aggressiveness",
        "eta": "confidence",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "variant": ("variant", str),
        "aggressiveness": ("aggressiveness", float),
        "confidence": ("confidence", float),
        "matrix": ("matrix", str),
        "output": ("output", str),
    }

    def __init__(
        self,
        *,
        variant: Literal["1", "2"] = "1",
        aggressiveness: float = 1.0,
        confidence: float = 0.9,
        matrix: Literal["diagonal", "full"] = "diagonal",
        output: Literal["last", "averaged", "longest"] = "last",
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.variant = variant
        self.aggressiveness = aggressiveness
        self.confidence = confidence
        self.matrix = matrix
        self.output = output
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class ROMMA(OnlineLearner):
    """ROMMA.

    Moves to the smallest weights that are right with margin 1 on the row and on one constraint that sums up all earlier
    rows.

    Rule::

        w ← c w + d x; c = (‖x‖²‖w‖² − y w·x)/Δ, d = ‖w‖²(y − w·x)/Δ, Δ = ‖x‖²‖w‖² − (w·x)²

    Paper: Li and Long (2002).

    Cost: O(non-zeros) per trial, O(n) where ‖w‖² or Δ is summed afresh.

    Bound: mistakes ≤ R²/ρ² on data separable with margin ρ.

    Differs from the paper: Δ ≤ 1e-15‖x‖²‖w‖² counts as a row parallel to w.

    Parameters
    ----------
    aggressive : bool, default=False
        Also update on rows that are right with a margin below 1.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import ROMMA, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = ROMMA().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "romma"
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "aggressive": ("aggressive", bool),
    }

    def __init__(
        self,
        *,
        aggressive: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.aggressive = aggressive
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class ALMA(OnlineLearner):
    """ALMA_p.

    Demands a margin that falls with the number of updates, and keeps the weights in the unit ball.

    Rule::

        when y w·x̂ ≤ (1−α)γ_k: θ ← θ + η_k y x̂, θ ← θ/max(1, ‖θ‖_p), w = g(θ); x̂ = x/‖x‖_p

    Paper: Gentile (2001).

    Cost: O(non-zeros) per trial.

    Bound: updates ≤ 2 ((p−1)/ρ²)(2/α − 1)² + 8/α − 4 on rows x̂ separable with margin ρ by a u with ‖u‖_q = 1.

    Differs from the paper: none (C = √2 and B = √8/α are the paper's own choices).

    Parameters
    ----------
    p : a number >= 2 and <= 1000, default=2.0
        The norm of the rows; 2 behaves like a Perceptron, 2 ln n like Winnow.
    alpha : a number > 0 and <= 1, default=0.9
        How far below the largest margin the result may stay; smaller is slower and wider.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import ALMA, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = ALMA().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "alma"
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "p": ("p", float),
        "alpha": ("alpha", float),
    }

    def __init__(
        self,
        *,
        p: float = 2.0,
        alpha: float = 0.9,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.p = p
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class Winnow(OnlineLearner):
    """Winnow.

    Multiplies the weights of a mistaken row's features by exp(η y xᵢ) and normalises them to sum 1.

    Rule::

        wᵢ ← wᵢ exp(η y xᵢ)/Z when y w·x ≤ 0; balanced: the same on (x, −x)

    Paper: Littlestone (1988); Kivinen and Warmuth (1997).

    Cost: O(non-zeros) per trial.

    Bound: mistakes ≤ 2 (R∞²/ρ∞²) ln N at the best rate (2N when balanced) on data separable by a target of unit 1-norm.

    Differs from the paper: N may grow while the stream goes on: a feature met late had weight 1 (times the common
    factor) all along; decisions do not depend on N, only the scale of scores does.

    Parameters
    ----------
    rate : a number > 0, default=0.1
        η, the size of an update in the exponent.
    balanced : bool, default=True
        Learn on (x, −x), for weights of both signs; plain Winnow's are all positive.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import Winnow, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = Winnow().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "winnow"
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "rate",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "rate": ("rate", float),
        "balanced": ("balanced", bool),
    }

    def __init__(
        self,
        *,
        rate: float = 0.1,
        balanced: bool = True,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.rate = rate
        self.balanced = balanced
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class PNormPerceptron(OnlineLearner):
    """p-norm Perceptron.

    Adds mistaken rows to θ as the Perceptron does, and predicts with its image w = g(θ).

    Rule::

        θ ← θ + y x when y g(θ)·x ≤ 0; gᵢ(θ) = sgn(θᵢ)|θᵢ|^{p−1}/‖θ‖_p^{p−2}

    Paper: Grove, Littlestone and Schuurmans (2001); Gentile (2003).

    Cost: O(non-zeros) per trial.

    Bound: mistakes ≤ (p−1) R_p²/ρ² with ‖u‖_q = 1 on data separable with margin ρ.

    Differs from the paper: none.

    Parameters
    ----------
    p : a number >= 2 and <= 1000, default=4.0
        The norm of the rows; 2 is the Perceptron, 2 ln n behaves like Winnow.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import PNormPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = PNormPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "p-norm"
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "p": ("p", float),
    }

    def __init__(
        self,
        *,
        p: float = 4.0,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.p = p
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class SecondOrderPerceptron(OnlineLearner):
    """Second-order Perceptron.

    Sees rows through the inverse correlation matrix of the mistaken ones.

    Rule::

        f(x) = vᵀ(aI + Σ x xᵀ)⁻¹x; on a mistake (with margin m > 0, when y f(x) < m) v ← v + y x and the row joins the
        sum

    Paper: Cesa-Bianchi, Conconi and Gentile (2005).

    Cost: n features (dual: mistaken rows). fixed: O(non-zeros) per trial (dual: n kernel values), O(n²) per mistake.
    adaptive: O(n³) per mistake and per new radius. pseudoinverse: O(n²) per trial and per prediction.

    Bound: with D = Σ max(0, γ − y u·x) over the mistaken rows X, for every unit u and γ > 0, λ the eigenvalues of XXᵀ,
    λ* the least positive one met and r the rank: fixed (Theorem 3.1): m ≤ D/γ + (1/γ)√((a + uᵀXXᵀu) Σ ln(1 + λᵢ/a));
    adaptive with a_m = c R² m: (a_m + uᵀXXᵀu)((1/c) ln((m + 1/c)/(1 + 1/c)) + Σ ln(1 + λᵢ/a_m)) under the root;
    pseudoinverse: uᵀXXᵀu (r + ½r(r+1) ln(1 + 2R²m/(λ* r(r+1)))) under the root.

    Differs from the paper: the score leaves the current row out in modes fixed and adaptive (by Sherman–Morrison only a
    positive factor); a zero score counts as a mistake whatever the label; margin is ours; radius=auto takes for R the
    largest norm of the rows before; pseudoinverse takes a row for one of the span when its residual is at most 1e-8 of
    its norm, in dual form 1e-6 or what rounding can amount to, since the residual's square is there a difference of
    kernel values.

    Parameters
    ----------
    mode : {"fixed", "adaptive", "pseudoinverse"}, default="fixed"
        a = ridge, a = growth·radius²·mistakes, or a = 0 with a pseudo-inverse.
    ridge : a number > 0, default=1.0
        Of mode=fixed; the larger, the nearer to the Perceptron.
    growth : a number > 0, default=0.01
        Of mode=adaptive.
    radius : auto or a number > 0, default="auto"
        Of mode=adaptive; auto: the largest row norm so far.
    form : {"auto", "primal", "dual"}, default="auto"
        Matrices over features or over mistaken rows; auto: whichever is known to be smaller.
    margin : a number >= 0, default=0.0
        m: rows with y f(x) < m are learned from, though they may be right; 0: mistaken rows alone.
    current : bool, default=False
        Of mode=fixed: the score has the current row in it, vᵀ(A + x xᵀ)⁻¹x, of the same sign, in O(n²).
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import SecondOrderPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = SecondOrderPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "second-order"
    _other_names: ClassVar[dict[str, str]] = {
        "a": "ridge",
        "c": "growth",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "mode": ("mode", str),
        "ridge": ("ridge", float),
        "growth": ("growth", float),
        "radius": ("radius", object),
        "form": ("form", str),
        "margin": ("margin", float),
        "current": ("current", bool),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        mode: Literal["fixed", "adaptive", "pseudoinverse"] = "fixed",
        ridge: float = 1.0,
        growth: float = 0.01,
        radius: float | Literal["auto"] = "auto",
        form: Literal["auto", "primal", "dual"] = "auto",
        margin: float = 0.0,
        current: bool = False,
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.mode = mode
        self.ridge = ridge
        self.growth = growth
        self.radius = radius
        self.form = form
        self.margin = margin
        self.current = current
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class WhitenedPerceptron(ReadAheadLearner):
    """Whitened Perceptron.

    The Perceptron on rows made alike in all directions by the correlations of all training rows, read ahead.

    Rule::

        M = Σ x xᵀ over all training rows; w ← w + y M^{−1/2}x when y wᵀM^{−1/2}x ≤ 0

    Paper: Cesa-Bianchi, Conconi and Gentile (2005).

    Cost: O(non-zeros) per trial, O(n²) per mistake, O(n³) before the first trial.

    Bound: the Perceptron's on the rows M^{−1/2}x.

    Differs from the paper: M need not be invertible: its eigenvalues up to n ε λ_max count as 0.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import WhitenedPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = WhitenedPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "whitened"
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {}

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class HigherOrderPerceptron(OnlineLearner):
    """Higher-order Perceptron.

    A Perceptron on rows transformed by a matrix that every mistake deflates along the mistaken row.

    Rule::

        when y g(Bv)ᵀBx ≤ 0: B ← B(I − ρ x g(x)ᵀ), v ← v + y x; ρ = c/k, or (1−c)/(1+|vᵀg(x)|)

    Paper: Brotto, Gentile and Vitale (2008).

    Cost: a dot product per trial, or a kernel value per mistaken row; per mistake O(n²) primal (O(n · non-zeros) for
    sparse rows), O(k · non-zeros + n) implicit, O(k²) dual.

    Bound: Theorem 1 (p = 2, unit rows): m ≤ αD/γ + α²/(2γ²) + (α/γ)√(αD/γ + α²/(4γ²)), α = (2−c′)/c′ with c′ = c
    (theorem) or 1 − c (harmonic), D = Σ max(0, γ − y u·B_{k−1}x) over the mistakes.

    Differs from the paper: a zero score is a mistake whatever the label; K(x,x) need not be 1 in dual form, and a
    warning says where it is not; a row with K(x,x) = 0 is no update and does not count towards k; vᵀx in the rules for
    ρ is vᵀg(x), which is no other at p = 2.

    Parameters
    ----------
    p : a number >= 2 and <= 1000, default=2.0
        The norm of the rows; kernels need p=2.
    deflation : a number >= 0 and <= 1, default=0.4
        How much a mistake deflates: >= 0 and < 1 with schedule=harmonic, > 0 and <= 1 with schedule=theorem.
    schedule : {"harmonic", "theorem"}, default="harmonic"
        ρ = c/k, or (1−c)/(1+|vᵀg(x)|).
    sparse : bool, default=False
        Leave the matrix alone on mistakes with y vᵀg(x) < 0.
    form : {"auto", "primal", "dual", "implicit"}, default="auto"
        How the matrix is kept: over features, over mistaken rows (also with kernels), or as its factors (any p).
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import HigherOrderPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = HigherOrderPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "higher-order"
    _normalize = "lp"
    _other_names: ClassVar[dict[str, str]] = {
        "c": "deflation",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "p": ("p", float),
        "deflation": ("deflation", float),
        "schedule": ("schedule", str),
        "sparse": ("sparse", bool),
        "form": ("form", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        p: float = 2.0,
        deflation: float = 0.4,
        schedule: Literal["harmonic", "theorem"] = "harmonic",
        sparse: bool = False,
        form: Literal["auto", "primal", "dual", "implicit"] = "auto",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.p = p
        self.deflation = deflation
        self.schedule = schedule
        self.sparse = sparse
        self.form = form
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class Projectron(OnlineLearner):
    """Projectron.

    A kernel Perceptron that projects mistaken rows onto the span of its support set where they are near it.

    Rule::

        on a mistake α ← α + y d* when ‖δ‖ ≤ η, else x joins the support set with coefficient y

    Paper: Orabona, Keshet and Caputo (2009).

    Cost: |S| kernel values per trial, O(|S|²) per mistake.

    Bound: Theorem 2; Corollary 1 with norm-bound and K ≤ 1.

    Differs from the paper: a Cholesky factor of K in place of the inverse of its eq. 11; ‖δ‖² below 1e-10 K(x,x) counts
    as 0.

    Parameters
    ----------
    tolerance : auto or a number >= 0, default="auto"
        η, the distance to the span up to which a row is projected, in the unit of √K(x,x); auto: 0.1 unless norm-bound
        is given; raise it while the mistakes stay as they are: each step leaves fewer support vectors.
    norm_bound : None or a number > 0, default=None
        U, the norm of the competitor up to which the bound holds; decides η at each mistake.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import Projectron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = Projectron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "projectron"
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "tolerance",
        "u": "norm_bound",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
        "tol": "tolerance",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "tolerance": ("tolerance", object),
        "norm_bound": ("norm-bound", object),
        "output": ("output", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        tolerance: float | Literal["auto"] = "auto",
        norm_bound: float | None = None,
        output: Literal["last", "averaged", "longest"] = "last",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.tolerance = tolerance
        self.norm_bound = norm_bound
        self.output = output
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class ProjectronPlusPlus(OnlineLearner):
    """Projectron++.

    The Projectron, which also moves on rows that are right by a margin below 1, where that costs nothing.

    Rule::

        as projectron; on a margin error α ← α + y τ d*, τ = min(1, ℓ/‖Pk‖²), when τ(2ℓ − τ‖Pk‖² − 2U‖δ‖) ≥ 0

    Paper: Orabona, Keshet and Caputo (2009).

    Cost: |S| kernel values per trial, O(|S|²) per mistake and per margin error.

    Bound: equation 15: M ≤ 2(‖g‖² + 2D₁ − Σβ_t) with norm-bound and rule=printed.

    Differs from the paper: rule=flat is another reading of its test, which fits its tables better.

    Parameters
    ----------
    tolerance : auto or a number >= 0, default="auto"
        η, the distance to the span up to which a row is projected, in the unit of √K(x,x); auto: 0.1 unless norm-bound
        is given; raise it while the mistakes stay as they are: each step leaves fewer support vectors.
    norm_bound : None or a number > 0, default=None
        U, the norm of the competitor up to which the bound holds; decides η at each mistake.
    rule : {"printed", "flat"}, default="printed"
        Which margin errors to move on: the paper's test, or the reading of it that fits its tables.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import ProjectronPlusPlus, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = ProjectronPlusPlus().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "projectron++"
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "tolerance",
        "u": "norm_bound",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
        "tol": "tolerance",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "tolerance": ("tolerance", object),
        "norm_bound": ("norm-bound", object),
        "rule": ("rule", str),
        "output": ("output", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        tolerance: float | Literal["auto"] = "auto",
        norm_bound: float | None = None,
        rule: Literal["printed", "flat"] = "printed",
        output: Literal["last", "averaged", "longest"] = "last",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.tolerance = tolerance
        self.norm_bound = norm_bound
        self.rule = rule
        self.output = output
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class Forgetron(OnlineLearner):
    """Forgetron.

    Learns as the kernel Perceptron does; over its budget it shrinks all coefficients and forgets the oldest vector.

    Rule::

        over budget f ← φ f′ without its oldest vector, φ the largest with Ψ(φσ_r, φμ) + Q ≤ (15/32) M

    Paper: Dekel, Shalev-Shwartz and Singer (2008).

    Cost: at most B kernel values per trial, B more per mistake over budget.

    Bound: the Perceptron's until its budget is spent; then, for K ≤ 1, M ≤ 2‖g‖² + 4D₁ for every g with ‖g‖ ≤
    ¼√((B+1)/ln(B+1)), B ≥ 83; where the kernel is wide it can make twice the mistakes of rbp with the same budget.

    Differs from the paper: a row with K(x,x) = 0 can change nothing and does not count in M.

    Parameters
    ----------
    budget : a whole number >= 1 and <= 1073741824, default=1000
        The most support vectors there may be.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import Forgetron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = Forgetron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "forgetron"
    _other_names: ClassVar[dict[str, str]] = {
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "budget": ("budget", int),
        "output": ("output", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        budget: int = 1000,
        output: Literal["last", "averaged", "longest"] = "last",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.budget = budget
        self.output = output
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class RandomizedBudgetPerceptron(OnlineLearner):
    """Randomized Budget Perceptron.

    Learns as the kernel Perceptron does; over its budget, the new vector takes the place of one drawn at random.

    Rule::

        x joins the support set with coefficient y when y f(x) ≤ 0, in the place of a random vector if there is no room

    Paper: Cavallanti, Cesa-Bianchi and Gentile (2007).

    Cost: at most B kernel values per trial.

    Bound: the Perceptron's until its budget is spent; from then on only on average over its random choices.

    Differs from the paper: none; the generator is xoshiro256++, drawn from only where there is no room.

    Parameters
    ----------
    budget : a whole number >= 1 and <= 1073741824, default=1000
        The most support vectors there may be.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import RandomizedBudgetPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = RandomizedBudgetPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "rbp"
    _is_seeded = True
    _other_names: ClassVar[dict[str, str]] = {
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "budget": ("budget", int),
        "output": ("output", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        budget: int = 1000,
        output: Literal["last", "averaged", "longest"] = "last",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.budget = budget
        self.output = output
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class Stoptron(OnlineLearner):
    """Stoptron.

    Learns as the kernel Perceptron does until its budget is used up, and then no more.

    Rule::

        x joins the support set with coefficient y when y f(x) ≤ 0 and there is room

    Paper: Orabona, Keshet and Caputo (2009).

    Cost: at most B kernel values per trial.

    Bound: the Perceptron's until its budget is spent.

    Differs from the paper: none.

    Parameters
    ----------
    budget : a whole number >= 1 and <= 1073741824, default=1000
        The most support vectors there may be.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import Stoptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = Stoptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "stoptron"
    _other_names: ClassVar[dict[str, str]] = {
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "budget": ("budget", int),
        "output": ("output", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        budget: int = 1000,
        output: Literal["last", "averaged", "longest"] = "last",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.budget = budget
        self.output = output
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class BudgetPassiveAggressive(OnlineLearner):
    """Budget Passive-Aggressive.

    Learns as PA-I does; over its budget, the new vector takes the place of the one that costs least.

    Rule::

        when ℓ = 1 − y f(x) > 0, x joins with y τ, τ = min(C, ℓ/K(x,x)); over budget in the place of the vector whose
        projection onto x, and its nearest vector, loses least

    Paper: Wang and Vucetic (2010).

    Cost: at most B kernel values per trial, O(B) more on average per update over budget.

    Bound: none reported.

    Differs from the paper: where x and the nearest vector are one direction, to 1e-10, the new one inherits alone; what
    a removal loses below 1e-10 of K_rr counts as nothing.

    Parameters
    ----------
    budget : a whole number >= 1 and <= 1073741824, default=1000
        The most support vectors there may be.
    aggressiveness : a number > 0, default=1.0
        C, the price of an error.
    variant : {"simple", "nearest"}, default="nearest"
        What takes over the part of a vector that leaves: the new one, or also the one nearest to it.
    output : {"last", "averaged", "longest"}, default="last"
        Predict with the last hypothesis, the mean of all, or the one that survived most trials.
    kernel : {"linear", "polynomial", "gaussian"}, default="linear"
        x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2)).
    degree : a whole number >= 1 and <= 1000, default=2
        Of the polynomial kernel.
    offset : a number >= 0, default=1.0
        Of the polynomial kernel.
    sigma2 : auto or a number > 0, default=1.0
        Of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows.
    cosine : bool, default=False
        Divide the kernel by √(K(x,x) K(z,z)).
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import BudgetPassiveAggressive, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = BudgetPassiveAggressive().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "bpa"
    _other_names: ClassVar[dict[str, str]] = {
        "c": "aggressiveness",
        "coef0": "offset",
        "gamma": "sigma2",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "budget": ("budget", int),
        "aggressiveness": ("aggressiveness", float),
        "variant": ("variant", str),
        "output": ("output", str),
        "kernel": ("kernel", str),
        "degree": ("degree", int),
        "offset": ("offset", float),
        "sigma2": ("sigma2", object),
        "cosine": ("cosine", bool),
    }

    def __init__(
        self,
        *,
        budget: int = 1000,
        aggressiveness: float = 1.0,
        variant: Literal["simple", "nearest"] = "nearest",
        output: Literal["last", "averaged", "longest"] = "last",
        kernel: Literal["linear", "polynomial", "gaussian"] = "linear",
        degree: int = 2,
        offset: float = 1.0,
        sigma2: float | Literal["auto"] = 1.0,
        cosine: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.budget = budget
        self.aggressiveness = aggressiveness
        self.variant = variant
        self.output = output
        self.kernel = kernel
        self.degree = degree
        self.offset = offset
        self.sigma2 = sigma2
        self.cosine = cosine
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class SelectiveSampler(WeightedOnlineLearner):
    """Selective sampling.

    Asks for the labels of rows of which another learner is not sure, and learns from those alone.

    Rule::

        the label is asked for with probability b/(b + |f(x)|), by a draw in every trial; then the base learns

    Paper: Cesa-Bianchi, Gentile and Zaniboni (2006).

    Cost: the base's; over second-order (fixed) O(n²) per trial.

    Bound: none reported: the paper's hold on average over the draws.

    Differs from the paper: mistakes are counted in every trial, asked for or not; the form of adaptive, b R² √(1 + k),
    is from knowledge of the paper, whose text could not be read; over other bases than the Perceptron and the
    second-order Perceptron it is ours.

    Parameters
    ----------
    base : an estimator of this package, or None, default=None
        The learner of the rows asked for, one that learns row by row, perceptron by default; its passes and stages do
        not matter.
    eagerness : inf or a number > 0, default=1.0
        b: how large a score may be for its row to be asked for every other time; inf: every row is.
    adaptive : bool, default=False
        b grows with the base's updates and with the rows' size.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself not at all,
        and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    n_iter : a whole number >= 1 or None, default=None
        How often `fit` passes over the rows; by itself 10 times, and over those of data frames as often as is best for
        rows held out of them.
    early_stopping : bool or None, default=None
        Whether rows held out decide how many passes are made, at most `n_iter`, before all rows are learned; by itself
        for data frames without `n_iter`.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows, anew for each pass; else their order is the trials' order.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before.
    calibrate : int, bool or None, default=None
        Keep so many of the last trials (True: 10000) to make probabilities of the scores: `predict_proba`.
    trace : bool, default=False
        Keep every trial in `trace_`.
    verbose : bool or int, default=False
        Print what each pass came to.
    certificate : bool, default=False
        Compute the bound that the learner's theorem puts on the mistakes of `fit`, as `certificate_`.

    Examples
    --------
    >>> from onlinear import SelectiveSampler, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = SelectiveSampler().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "selective"
    _is_seeded = True
    _other_names: ClassVar[dict[str, str]] = {
        "b": "eagerness",
        "max_iter": "n_iter",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "base": ("base", Learner),
        "eagerness": ("eagerness", object),
        "adaptive": ("adaptive", bool),
    }

    def __init__(
        self,
        *,
        base: Learner | None = None,
        eagerness: float | Literal["inf"] = 1.0,
        adaptive: bool = False,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        n_iter: int | None = None,
        early_stopping: bool | None = None,
        shuffle: bool = True,
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        calibrate: int | bool | None = None,
        trace: bool = False,
        verbose: bool | int = False,
        certificate: bool = False,
    ) -> None:
        self.base = base
        self.eagerness = eagerness
        self.adaptive = adaptive
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.n_iter = n_iter
        self.early_stopping = early_stopping
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.calibrate = calibrate
        self.trace = trace
        self.verbose = verbose
        self.certificate = certificate


class RCD(BatchLearner):
    """Random coordinate descent with bias steps.

    Random coordinate descent that first moves the bias alone, then m random directions without it, and so on.

    Rule::

        w ← w + α d, d = e₀ every m + 1 epochs, else random with d₀ = 0

    Paper: Li (2005).

    Cost: O(N m) per epoch.

    Bound: none is known; the training error never rises.

    Differs from the paper: of equal minima the first interval is taken; w is divided by its norm beyond 10⁵; a step
    that rounding makes worse is not taken.

    The text above is that of the default schedule.

    Parameters
    ----------
    schedule : {"rcd", "rcd-bias", "rcd-conj", "rcd-conj-bias", "rcd-grad", "ccd"}, default="rcd-bias"
        Which directions are gone along: see docs/algorithms.md.
    epochs : a whole number >= 1, default=200
        How many epochs it learns for.
    start : {"zero", "fld"}, default="fld"
        The first weight vector: zeros, or Fisher's linear discriminant.
    directions : {"uniform", "gaussian"}, default="uniform"
        How the components of random directions are drawn: in [-1, 1) (the feature's half-range where rows are not
        scaled), or standard normal.
    stump : {"positive", "both"}, default="positive"
        Whether a step may also turn the weight vector round.
    gradient : {"perceptron", "hinge", "squares"}, default="perceptron"
        The loss whose gradient is gone along, as sgd has it.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import RCD, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = RCD().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "rcd-bias"
    _chosen_by = "schedule"
    _is_seeded = True
    _only_of: ClassVar[dict[str, tuple[str, ...]]] = {"gradient": ("rcd-grad",)}
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "epochs",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "epochs": ("epochs", int),
        "start": ("start", str),
        "directions": ("directions", str),
        "stump": ("stump", str),
        "gradient": ("gradient", str),
    }

    def __init__(
        self,
        *,
        schedule: Literal["rcd", "rcd-bias", "rcd-conj", "rcd-conj-bias", "rcd-grad", "ccd"] = "rcd-bias",
        epochs: int = 200,
        start: Literal["zero", "fld"] = "fld",
        directions: Literal["uniform", "gaussian"] = "uniform",
        stump: Literal["positive", "both"] = "positive",
        gradient: Literal["perceptron", "hinge", "squares"] = "perceptron",
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.schedule = schedule
        self.epochs = epochs
        self.start = start
        self.directions = directions
        self.stump = stump
        self.gradient = gradient
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.random_state = random_state
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


class Pocket(BatchLearner):
    """Pocket with ratchet.

    Runs the Perceptron on rows drawn at random and keeps the vector with the fewest errors.

    Rule::

        w ← w + Nφ_k y_k x_k when y_k⟨w,x_k⟩ ≤ 0; w_p ← w when it has been right for longer than w_p and has fewer
        errors

    Paper: Gallant (1990); Li (2005), Algorithm 1.

    Cost: O(non-zeros) per trial and up to N rows per count of errors.

    Bound: the training error never rises.

    Differs from the paper: the error to beat starts as the first vector's, not 1.

    Parameters
    ----------
    epochs : a whole number >= 1, default=200
        How many epochs it learns for.
    start : {"zero", "fld"}, default="fld"
        The first weight vector: zeros, or Fisher's linear discriminant.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import Pocket, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = Pocket().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "pocket"
    _is_seeded = True
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "epochs",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "epochs": ("epochs", int),
        "start": ("start", str),
    }

    def __init__(
        self,
        *,
        epochs: int = 200,
        start: Literal["zero", "fld"] = "fld",
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.epochs = epochs
        self.start = start
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.random_state = random_state
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


class SampledAveragedPerceptron(BatchLearner):
    """Averaged Perceptron, sampled.

    Runs the Perceptron on rows drawn at random and takes the sum of its vectors, each times the trials it lasted.

    Rule::

        w = Σ γᵢ wᵢ, wᵢ the Perceptron's vectors and γᵢ the weight of the trials that each lasted

    Paper: Freund and Schapire (1999); Li (2005), Algorithms 2 and 6.

    Cost: O(non-zeros) per trial.

    Bound: none is known for more than one epoch.

    Differs from the paper: none; order=permuted is in its Figure 2.

    Parameters
    ----------
    epochs : a whole number >= 1, default=200
        How many epochs it learns for.
    order : {"fixed", "permuted", "random"}, default="random"
        How an epoch takes the rows: as they come, each once in a new order, or drawn with replacement.
    start : {"zero", "fld"}, default="fld"
        The first weight vector: zeros, or Fisher's linear discriminant.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import SampledAveragedPerceptron, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = SampledAveragedPerceptron().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "averaged-sampled"
    _is_seeded = True
    _other_names: ClassVar[dict[str, str]] = {
        "max_iter": "epochs",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "epochs": ("epochs", int),
        "order": ("order", str),
        "start": ("start", str),
    }

    def __init__(
        self,
        *,
        epochs: int = 200,
        order: Literal["fixed", "permuted", "random"] = "random",
        start: Literal["zero", "fld"] = "fld",
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.epochs = epochs
        self.order = order
        self.start = start
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.random_state = random_state
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


class SGD(BatchLearner):
    """Stochastic gradient descent.

    Takes a row at a time and steps against the gradient of its loss.

    Rule::

        w ← w + η Nφ y x when y⟨w,x⟩ < 1 (hinge) or ≤ 0 (perceptron); w ← w + η Nφ (y − ⟨w,x⟩) x always (squares) or
        when y⟨w,x⟩ < 1 (modified-squares); w ← w + η Nφ y/(1 + e^(y⟨w,x⟩)) x (logistic)

    Paper: Zhang (2004); Li (2005), section 4.

    Cost: O(non-zeros) per trial.

    Bound: none is known for the 0/1 loss.

    Differs from the paper: a factor 2 of the gradient of the squares is part of the rate; the logistic loss is not of
    the papers.

    Parameters
    ----------
    loss : {"perceptron", "hinge", "squares", "modified-squares", "logistic"}, default="hinge"
        What a row's score costs.
    rate : a number > 0, default=0.002
        Size of a step.
    epochs : a whole number >= 1, default=200
        How many epochs it learns for.
    order : {"fixed", "permuted", "random"}, default="random"
        How an epoch takes the rows: as they come, each once in a new order, or drawn with replacement.
    start : {"zero", "fld"}, default="fld"
        The first weight vector: zeros, or Fisher's linear discriminant.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import SGD, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = SGD().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "sgd"
    _is_seeded = True
    _other_names: ClassVar[dict[str, str]] = {
        "eta": "rate",
        "max_iter": "epochs",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "loss": ("loss", str),
        "rate": ("rate", float),
        "epochs": ("epochs", int),
        "order": ("order", str),
        "start": ("start", str),
    }

    def __init__(
        self,
        *,
        loss: Literal["perceptron", "hinge", "squares", "modified-squares", "logistic"] = "hinge",
        rate: float = 0.002,
        epochs: int = 200,
        order: Literal["fixed", "permuted", "random"] = "random",
        start: Literal["zero", "fld"] = "fld",
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.loss = loss
        self.rate = rate
        self.epochs = epochs
        self.order = order
        self.start = start
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.random_state = random_state
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


class FisherDiscriminant(BatchLearner):
    """Fisher's linear discriminant.

    The direction along which the class means lie farthest apart for the spread within the classes.

    Rule::

        w = S_w⁻¹(m₊ − m₋), bias −(p₋⟨m₊,w⟩ + p₊⟨m₋,w⟩)

    Paper: Fisher (1936); the start of the learners of Li (2005).

    Cost: O(N m² + m³).

    Bound: none is known.

    Differs from the paper: the paper names no way out where S_w cannot be inverted; here it gets 10⁻¹⁰ of its mean
    eigenvalue added.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import FisherDiscriminant, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = FisherDiscriminant().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "fld"
    _other_names: ClassVar[dict[str, str]] = {}
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {}

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


class LinearSVM(BatchLearner):
    """Soft-margin linear SVM.

    Trades a wide margin for few rows within it.

    Rule::

        w minimizes ½‖w‖² + C Σ Nφᵢ max(0, 1 − yᵢ⟨w,xᵢ⟩)

    Paper: Cortes and Vapnik (1995); Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), Algorithm 1; Yan and Li (2020).

    Cost: O(non-zeros) per row and pass; where thousands of passes were needed, O(m³ + non-zeros) per Newton step
    instead, for m ≤ 1000 features; cost=cv: 35 costs and folds more, on all cores.

    Bound: none is known for the 0/1 loss.

    Differs from the paper: the bias is the weight of x₀ and so is part of ‖w‖ (Li compares with LIBSVM, where it is
    free); the end is when the projected gradients themselves are within 0.01, not just near each other, and the gap
    between primal and dual is within 0.001 of the primal (or the gradients within 0.001).

    Parameters
    ----------
    cost : cv or a number > 0, default=1.0
        C, the price of an error; cv: the best of 2⁻⁵, 2⁻³ … 2⁷ in 5-fold cross-validation.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import LinearSVM, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = LinearSVM().fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "svm"
    _other_names: ClassVar[dict[str, str]] = {
        "c": "cost",
    }
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "cost": ("cost", object),
    }

    def __init__(
        self,
        *,
        cost: float | Literal["cv"] = 1.0,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.cost = cost
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


class AdaBoost(BatchLearner):
    """AdaBoost.

    Learns with another learner again and again, each time with more weight on what it last got wrong; all hypotheses
    vote.

    Rule::

        F(x) = Σ ½ ln(1/ε − 1) h(x); weights of the rows that h gets wrong times 1/ε − 1

    Paper: Freund and Schapire (1996); over perceptrons in Li (2005).

    Cost: as many times the base's as there are rounds; a prediction asks every member, which is one product with a
    matrix where the base's model is a weight vector.

    Bound: training error ≤ Π 2√(ε(1 − ε)).

    Differs from the paper: a perfect hypothesis, of which the paper says nothing, votes as if ε = 1/1001 and boosting
    goes on; an ε within 10⁻¹² of ½ counts as ½; resample-once is Freund and Schapire's resampling, resample that of Li.

    Parameters
    ----------
    base : an estimator of this package, or None, default=None
        The learner of each round; base.KEY=VALUE sets its parameters, rcd-bias by default; its passes and stages do not
        matter.
    rounds : a whole number >= 1, default=200
        The most hypotheses there may be.
    weighting : {"reweight", "resample", "resample-once"}, default="reweight"
        Hand the weights to the base; draw the row of each of its trials from them; or draw its rows beforehand.
    passes : a whole number >= 1, default=10
        Over the rows in each round, of a base that learns by trials.
    fit_intercept : bool, default=True
        Put a constant feature in front of the others.
    scale : {"auto", "minmax", "standard", "maxabs", "range", "mixed", None}, default="auto"
        Bring each feature to -1 … 1, or to mean 0 and deviation 1, as the training rows have it; by itself by
        `"range"`, and those of data frames by `"mixed"`.
    normalize : {"auto", "l2", "lp", None}, default="auto"
        Bring rows to length 1, in the norm 2 or in the learner's own; the rows of arrays of higher-order unless told,
        and no others.
    map : str or None, default=None
        Give a linear learner a kernel: `"nystrom:landmarks=500,kernel=gaussian,sigma2=1"` or
        `"fourier:dimension=1000,sigma2=1"`, in the words of the command line.
    stages : list of str or None, default=None
        What rows go through, in order and in the words of the command line (`["standard", "bias:value=1"]`), in place
        of `fit_intercept`, `scale`, `normalize` and `map`.
    kinds : dict of str or None, default=None
        Data frames: what some columns hold, in the words of the command line, such as `{"zip": "category", "since":
        "date=dmy"}`; told by their cells unless given.
    ignore : sequence of str, default=()
        Data frames: columns that are left out.
    interact : sequence of pairs of str, default=()
        Data frames: pairs of columns whose features are multiplied with each other, which makes further ones.
    random_state : int, RandomState, Generator or None, default=1
        Where random numbers start; None draws a seed from NumPy's.
    class_weight : dict, "balanced" or None, default=None
        What the rows of each class weigh, besides `sample_weight`: `"balanced"` (all classes the same together), or a
        weight for some labels.
    trace : bool, default=False
        Keep the training errors after each epoch in `trace_`.
    verbose : bool or int, default=False
        Print what each epoch came to.

    Examples
    --------
    >>> from onlinear import AdaBoost, datasets
    >>> X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = AdaBoost(rounds=10).fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.8
    True
    """

    _name = "adaboost"
    _is_seeded = True
    _other_names: ClassVar[dict[str, str]] = {}
    _parameters: ClassVar[dict[str, tuple[str, type]]] = {
        "base": ("base", Learner),
        "rounds": ("rounds", int),
        "weighting": ("weighting", str),
        "passes": ("passes", int),
    }

    def __init__(
        self,
        *,
        base: Learner | None = None,
        rounds: int = 200,
        weighting: Literal["reweight", "resample", "resample-once"] = "reweight",
        passes: int = 10,
        fit_intercept: bool = True,
        scale: Literal["auto", "minmax", "standard", "maxabs", "range", "mixed"] | None = "auto",
        normalize: Literal["auto", "l2", "lp"] | None = "auto",
        map: str | None = None,
        stages: Sequence[str] | None = None,
        kinds: dict[str, str] | None = None,
        ignore: Sequence[str] = (),
        interact: Sequence[tuple[str, str]] = (),
        random_state: Any = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        trace: bool = False,
        verbose: bool | int = False,
    ) -> None:
        self.base = base
        self.rounds = rounds
        self.weighting = weighting
        self.passes = passes
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.normalize = normalize
        self.map = map
        self.stages = stages
        self.kinds = kinds
        self.ignore = ignore
        self.interact = interact
        self.random_state = random_state
        self.class_weight = class_weight
        self.trace = trace
        self.verbose = verbose


#: The class of each learner, by its name in a spec.
CLASSES: dict[str, type[Learner]] = {
    "perceptron": Perceptron,
    "averaged": AveragedPerceptron,
    "voted": VotedPerceptron,
    "passive-aggressive": PassiveAggressive,
    "arow": AROW,
    "scw": SoftConfidenceWeighted,
    "romma": ROMMA,
    "alma": ALMA,
    "winnow": Winnow,
    "p-norm": PNormPerceptron,
    "second-order": SecondOrderPerceptron,
    "whitened": WhitenedPerceptron,
    "higher-order": HigherOrderPerceptron,
    "projectron": Projectron,
    "projectron++": ProjectronPlusPlus,
    "forgetron": Forgetron,
    "rbp": RandomizedBudgetPerceptron,
    "stoptron": Stoptron,
    "bpa": BudgetPassiveAggressive,
    "selective": SelectiveSampler,
    "rcd": RCD,
    "rcd-bias": RCD,
    "rcd-conj": RCD,
    "rcd-conj-bias": RCD,
    "rcd-grad": RCD,
    "ccd": RCD,
    "pocket": Pocket,
    "averaged-sampled": SampledAveragedPerceptron,
    "sgd": SGD,
    "fld": FisherDiscriminant,
    "svm": LinearSVM,
    "adaboost": AdaBoost,
}
