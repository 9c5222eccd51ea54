"""What is refused, and in which words."""

import numpy as np
import pytest
from conftest import every
from scipy import sparse

import onlinear
from onlinear import Perceptron, _native

GOOD = (np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 0.0]]), [0, 1, 0])


def with_value(value):
    X = GOOD[0].copy()
    X[1, 1] = value
    return X


@pytest.mark.parametrize("estimator", list(every()), ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (with_value(np.nan), GOOD[1], "Input X contains NaN"),
        (with_value(np.inf), GOOD[1], "Input X contains infinity"),
        (sparse.csr_matrix(with_value(np.nan)), GOOD[1], "Input X contains NaN"),
        (GOOD[0], [0, 1], "inconsistent numbers of samples"),
        (GOOD[0], [1, 1, 1], "number of classes has to be greater than one; got 1 class"),
        (GOOD[0], [0.5, 0.25, 0.0], "Unknown label type"),
        (GOOD[0], [0, np.nan, 1], "contains NaN"),
        (GOOD[0], None, "requires y to be passed, but the target y is None"),
        (GOOD[0], [[0, 1], [1, 0], [1, 1]], "y should be a 1d array"),
        (GOOD[0][0], [0, 1], "Expected 2D array, got 1D array instead"),
        (np.zeros((0, 2)), [], r"Found array with 0 sample\(s\)"),
        (np.zeros((3, 0)), GOOD[1], r"Found array with 0 feature\(s\)|0 feature"),
        ([["a", "b"], ["c", "d"], ["e", "f"]], GOOD[1], "could not convert string to float"),
        (GOOD[0] * 1j, GOOD[1], "Complex data not supported"),
    ],
)
def test_rows_and_labels(estimator, X, y, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)
    assert not hasattr(estimator, "coef_")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], "Negative values in data passed to `sample_weight`"),
        ([1, np.nan, 1], "Input sample_weight contains NaN"),
        ([1, np.inf, 1], "Input sample_weight contains infinity"),
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(3,\)!"),
        ([[1, 1, 1]], "Sample weights must be 1D array or scalar"),
        ([0, 0, 0], "Sample weights must contain at least one non-zero number"),
    ],
)
def test_weights(weights, message):
    for estimator in (Perceptron(), onlinear.FisherDiscriminant()):
        with pytest.raises(ValueError, match=message):
            estimator.fit(*GOOD, sample_weight=weights)


def test_weights_that_a_variant_does_not_take():
    with pytest.raises(ValueError, match="takes no sample weights"):
        onlinear.PassiveAggressive(variant="pa").fit(*GOOD, sample_weight=[1, 2, 1])
    with pytest.raises(TypeError):
        onlinear.ROMMA().fit(*GOOD, sample_weight=[1, 2, 1])


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Perceptron(rate=-1), "perceptron: rate=-1 is out of range; expected a number > 0"),
        (Perceptron(rate="much"), "rate=much is not a number"),
        (Perceptron(rate=float("nan")), "rate=nan is out of range"),
        (Perceptron(kernel="gausian"), "did you mean 'gaussian'"),
        (Perceptron(kernel="linear,rate=2"), "is not a value of a parameter"),
        (Perceptron(n_iter=0), "n_iter must be a whole number >= 1"),
        (Perceptron(random_state=-1), "random_state must be a whole number >= 0"),
        (Perceptron(scale="log"), "scale must be None, 'auto', 'minmax', 'standard', 'maxabs', 'range' or 'mixed'"),
        (Perceptron(normalize="l1"), "normalize must be None, 'auto', 'l2' or 'lp'"),
        (Perceptron(normalize="lp"), "normalize='lp': perceptron has no norm of its own"),
        (onlinear.Forgetron(budget=0), "budget=0 is out of range"),
        (onlinear.Forgetron(budget=1.5), "budget=1.5 is not a whole number"),
        (onlinear.RCD(schedule="rdc"), "no learner is called 'rdc'"),
        (onlinear.AdaBoost(base=onlinear.ROMMA()), "does not take sample weights"),
        (onlinear.Projectron(tolerance=0.1, norm_bound=3.0), "norm-bound"),
    ],
)
def test_parameters(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*GOOD)


def test_streams():
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        Perceptron().partial_fit(*GOOD)
    model = Perceptron().partial_fit(*GOOD, classes=[0, 1])
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        model.partial_fit(*GOOD, classes=[0, 2])
    with pytest.raises(ValueError, match=r"labels \[7\] that are not in classes \[0, 1\]"):
        model.partial_fit(GOOD[0], [0, 1, 7])
    with pytest.raises(ValueError, match="X has 1 features, but Perceptron is expecting 2 features"):
        model.partial_fit(GOOD[0][:, :1], GOOD[1])
    with pytest.raises(ValueError, match="minmax has to read all rows first"):
        Perceptron(scale="minmax").partial_fit(*GOOD, classes=[0, 1])
    for name in ("WhitenedPerceptron", "RCD", "LinearSVM"):
        assert not hasattr(getattr(onlinear, name)(), "partial_fit")


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = Perceptron().fit(*GOOD)
    before = model.to_bytes()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(with_value(np.nan), GOOD[1])
    assert model.to_bytes() == before


def test_numbers_that_overflow():
    with pytest.raises(ValueError, match=r"row 1 of X: the score is .*grown too large"):
        Perceptron(n_iter=1, shuffle=False).fit([[1e200], [-1e200], [1e200]], [0, 1, 0])


def test_too_much_memory_is_refused():
    wide = sparse.csr_matrix((np.ones(2), np.array([0, 2**30]), np.array([0, 1, 2])), shape=(2, 2**30 + 1))
    with pytest.raises(MemoryError, match="more than this machine's memory allows; use form=dual"):
        onlinear.SecondOrderPerceptron(form="primal").fit(wide, [0, 1])
    model = _native.Model("perceptron", ["0", "1"], 2, max_memory=10)
    with pytest.raises(
        MemoryError, match=r"^X: perceptron: 2 features need .* allows; read\(…, hash=BITS\) can hash them into fewer$"
    ):
        model.fit(GOOD[0], np.array(GOOD[1]))
    model = _native.Model("fld", ["0", "1"], 2, max_memory=121)
    with pytest.raises(MemoryError, match=r"^X: its rows do not fit in 121 bytes of memory$"):
        model.fit(GOOD[0], np.array(GOOD[1]))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("label,x\n1,1\n0,\n", {}, ":3:3: empty cell in column 'x'; missing='indicator' fills it in"),
        (
            "a,x\n1,1\n",
            {},
            ": has no column called label, class, target or y; say which column holds the labels with label=;"
            " the columns are a, x",
        ),
        ("a,x\n1,1\n", {"label": "z"}, ": has no column 'z' for label=; the columns are a, x"),
        ("a,x\n1,1\n", {"label": "a", "weight": "z"}, ": has no column 'z' for weight=; the columns are a, x"),
        ("a,x\n1,1\n", {"label": 1, "format": "csw"}, "unknown format 'csw'; the formats are"),
    ],
)
def test_files(tmp_path, text, options, message):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ValueError) as error:
        onlinear.read(path, **options)
    assert message in str(error.value) and "--" not in str(error.value)


def test_labels():
    for classes, message in (
        (["1", "1.0"], "classes 1,1.0: the two labels are the same"),
        (["1"], "classes 1: expected two labels or more"),
        (["1", "2", "2"], "X: label '2' is there twice, or one too many to be a class"),
    ):
        model = _native.Model("perceptron", classes, 2, max_memory=1 << 30)
        with pytest.raises(ValueError) as error:
            model.fit(GOOD[0], np.array([0, 0, 0]))
        assert str(error.value) == message


def test_what_is_advised_is_in_words_of_python():
    with pytest.warns(UserWarning, match=r"; use normalize='l2'$"):
        onlinear.HigherOrderPerceptron(normalize=None).fit(*GOOD)
    model = Perceptron(certificate=True).fit(np.eye(3), [0, 1, 2])
    reason = "the theorems are about two classes; certify one against the rest by fitting to y == label"
    for name in ("before", "self_check"):
        told = model.certificate_[name]
        assert (told["reason"], told["text"]) == (reason, f"none: {reason}")


@pytest.mark.parametrize(
    "parts",
    [
        ([0, 2, 1], [0, 1], [1.0, 2.0]),
        ([1, 1, 2], [0, 1], [1.0, 2.0]),
        ([0, 1, 9], [0, 1], [1.0, 2.0]),
        ([0, 1, 2], [0, 5], [1.0, 2.0]),
        ([0, 1, 2], [0, -1], [1.0, 2.0]),
        ([0, 2, 2], [1, 0], [1.0, 2.0]),
        ([0, 1, 2], [0], [1.0, 2.0]),
        ([], [], []),
    ],
)
def test_matrices_that_do_not_fit_together(parts):
    starts, indices, values = (
        np.array(part, dtype=kind) for part, kind in zip(parts, (np.int64, np.int64, float), strict=True)
    )
    model = _native.Model("perceptron", ["0", "1"], 2, max_memory=1 << 30)
    with pytest.raises(ValueError):
        model.fit((starts, indices, values), np.array([0, 1]))


def test_the_native_half_refuses_what_does_not_fit():
    model = _native.Model("perceptron", ["0", "1"], 2, max_memory=1 << 30)
    X = GOOD[0]
    for y, weights in ((np.array([0, 1]), None), (np.array([0, 1, 9]), None), (np.array([0, 1, -1]), None)):
        with pytest.raises(ValueError, match="label"):
            model.fit(X, y, weights)
    with pytest.raises(ValueError, match="weight"):
        model.fit(X, np.array([0, 1, 0]), np.array([1.0, -1.0, 1.0]))
    with pytest.raises(RuntimeError, match="has not learned yet"):
        model.scores(X)
    with pytest.raises(ValueError, match="X has 3 features, but 2"):
        model.fit(np.zeros((2, 3)), np.array([0, 1]))


def test_before_it_has_learned():
    from sklearn.exceptions import NotFittedError

    for call in (
        lambda: Perceptron().predict(GOOD[0]),
        lambda: Perceptron().save("x"),
        lambda: Perceptron().to_bytes(),
    ):
        with pytest.raises(NotFittedError):
            call()
    assert not hasattr(Perceptron(), "coef_") and not hasattr(Perceptron(), "n_mistakes_")
