"""Plain arrays take a short way; what it gives, and what it refuses, is what the long way does."""

import numpy as np
import pytest
from conftest import every
from sklearn.base import clone

import onlinear
from onlinear import AveragedPerceptron, Perceptron, _native


def outcome(call):
    """Give what a call gives, or the exception that it raises."""
    try:
        return "given", call()
    except Exception as error:
        return type(error), str(error)


def is_same(one, other):
    if one[0] != other[0]:
        return False
    if isinstance(one[1], np.ndarray):
        return one[1].dtype == other[1].dtype and np.array_equal(one[1], other[1])
    return one[1] == other[1]


@pytest.fixture
def long_way(monkeypatch):
    """A function that calls with the short way closed."""

    def called(call):
        with monkeypatch.context() as patch:
            patch.setattr(_native, "is_plain", lambda X, features: False)
            return outcome(call)

    return called


def streams(**params):
    return [e for e in every(**params) if hasattr(e, "partial_fit")]


@pytest.mark.parametrize("estimator", streams(), ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_row_by_row_is_as_all_at_once(estimator, kind, three_classes):
    X, y = three_classes[0][:60].astype(kind), three_classes[1][:60]
    estimator, whole = clone(estimator), clone(estimator).partial_fit(X, y, classes=[0, 1, 2])
    for i in range(len(X)):
        estimator.partial_fit(X[i : i + 1], [int(y[i])] if i % 2 else y[i : i + 1], classes=None if i else [0, 1, 2])
    assert estimator.to_bytes() == whole.to_bytes()
    rows = np.concatenate([estimator.predict(X[i : i + 1]) for i in range(len(X))])
    assert np.array_equal(rows, whole.predict(np.asfortranarray(X)))


def odd_rows(random):
    """Draw rows with something wrong or unusual about them, or nothing."""
    X = random.standard_normal((random.integers(0, 4), random.choice([3, 3, 3, 2, 4])))
    if X.size and random.random() < 0.3:
        X.flat[random.integers(X.size)] = random.choice([np.nan, np.inf, -np.inf, 1e308, -1e308])
    changes = [
        lambda X: X,
        lambda X: X.astype(np.float32),
        lambda X: X.astype(object),
        lambda X: X.astype(str),
        lambda X: X.astype(complex),
        lambda X: X.astype(">f8"),
        lambda X: X.astype(np.longdouble),
        np.asfortranarray,
        lambda X: X[:, ::-1],
        lambda X: X[0] if len(X) else X,
        lambda X: X[None],
        lambda X: X.tolist(),
        np.ma.masked_array,
        lambda X: None,
        lambda X: "rows",
        lambda X: np.matrix(X) if X.ndim == 2 else X,
    ]
    with np.errstate(over="ignore"):
        return changes[random.integers(len(changes))](X)


def odd_labels(random, rows):
    """Draw labels with something wrong or unusual about them, or nothing."""
    count = rows if random.random() < 0.8 else rows + 1
    y = random.choice([0, 1], count)
    changes = [
        lambda y: y,
        lambda y: y.tolist(),
        lambda y: y.astype(float),
        lambda y: y.astype(bool),
        lambda y: y.astype(str),
        lambda y: y.astype(object),
        lambda y: y.astype(np.int8),
        lambda y: y + 0.5,
        lambda y: y + 7,
        lambda y: y * np.nan,
        lambda y: y[:, None],
        lambda y: [[label] for label in y],
        lambda y: None,
        lambda y: tuple(y.tolist()),
        lambda y: y.astype(complex),
        lambda y: y.astype(bytes),
        lambda y: "y",
        lambda y: 1,
    ]
    return changes[random.integers(len(changes))](y)


@pytest.mark.filterwarnings("ignore")
def test_bad_rows_and_labels_are_refused_in_the_same_words(long_way):
    random = np.random.default_rng(1)
    start = random.standard_normal((20, 3))
    refused = 0
    for _ in range(1500):
        first = Perceptron().partial_fit(start, start[:, 0] > 0, classes=[0, 1])
        second = _copy(first)
        X = odd_rows(random)
        y = odd_labels(random, len(X) if hasattr(X, "__len__") else 1)
        for call in (
            lambda model, X=X, y=y: model.partial_fit(X, y).to_bytes(),
            lambda model, X=X: model.predict(X),
            lambda model, X=X: model.decision_function(X),
        ):
            short, long = (
                outcome(lambda call=call, first=first: call(first)),
                long_way(lambda call=call, second=second: call(second)),
            )
            refused += short[0] != "given"
            assert is_same(short, long), (X, y, short, long)
    assert refused > 1000


def _copy(model):
    return onlinear.Perceptron.from_bytes(model.to_bytes())


def test_traces_of_single_rows(two_classes):
    X, y = two_classes
    model = AveragedPerceptron(trace=True)
    for i in range(30):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1] if i == 0 else None)
    assert len(model.trace_["score"]) == 30


def test_labels_that_are_texts():
    model = Perceptron().partial_fit([[1.0], [-1.0]], ["a", "b"], classes=["a", "b"])
    model.partial_fit(np.array([[2.0]]), ["b"]).partial_fit(np.array([[2.0]]), np.array(["b"]))
    assert model.passes_[:, 0].sum() == 4 and model.predict(np.array([[2.0]])).tolist() == ["b"]
    with pytest.raises(ValueError, match=r"labels \['c'\] that are not in classes"):
        model.partial_fit(np.array([[2.0]]), ["c"])
