"""Probabilities, labels asked for, all classes at once, and widths found from rows."""

import numpy as np
import pytest

import onlinear


@pytest.fixture
def rows():
    return onlinear.datasets.make_artificial(600, features=20, relevant=5, noise=0.05)


def test_probabilities_of_two_classes(rows):
    X, y = rows
    model = onlinear.AROW(calibrate=True, n_iter=1).fit(X[:400], y[:400])
    shares = model.predict_proba(X[400:])
    assert shares.shape == (200, 2) and np.allclose(shares.sum(axis=1), 1)
    right = shares[np.arange(200), np.searchsorted(model.classes_, y[400:])]
    assert -np.log(right).mean() < 0.6
    loaded = type(model).from_bytes(model.to_bytes())
    assert np.array_equal(loaded.predict_proba(X[:9]), model.predict_proba(X[:9]))


def test_scikit_learn_draws_and_measures_probabilities(rows):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from sklearn.calibration import CalibrationDisplay, calibration_curve
    from sklearn.metrics import brier_score_loss, log_loss

    X, y = rows
    model = onlinear.AROW(calibrate=True, n_iter=1).fit(X[:400], y[:400])
    display = CalibrationDisplay.from_estimator(model, X[400:], y[400:], n_bins=10)
    observed, predicted = calibration_curve(y[400:], model.predict_proba(X[400:])[:, 1], n_bins=10, pos_label=1)
    assert np.array_equal(display.prob_true, observed) and np.array_equal(display.prob_pred, predicted)
    assert log_loss(y[400:], model.predict_proba(X[400:])) < 0.6
    assert brier_score_loss(y[400:], model.predict_proba(X[400:])[:, 1]) < 0.2


def test_the_logistic_loss_is_that_of_scikit_learn(rows):
    from sklearn.linear_model import SGDClassifier

    X, y = rows
    ones = np.hstack([np.ones((600, 1)), X])
    plain = {"penalty": None, "learning_rate": "constant", "eta0": 0.01, "shuffle": False, "tol": None}
    theirs = SGDClassifier(loss="log_loss", fit_intercept=False, max_iter=3, **plain).fit(ones, y)
    ours = onlinear.SGD(loss="logistic", rate=0.01, epochs=3, order="fixed", start="zero", scale=None).fit(X, y)
    expected = theirs.decision_function(ones)
    assert np.allclose(ours.decision_function(X), expected, rtol=1e-9, atol=1e-12)


def test_probabilities_must_be_asked_for(rows):
    model = onlinear.AROW().fit(*rows)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(ValueError, match="calibrate must be a whole number >= 1"):
        onlinear.AROW(calibrate=0.5).fit(*rows)
    with pytest.raises(ValueError, match="calibrate does not go with multiclass=direct"):
        onlinear.AROW(calibrate=True, multiclass="direct").fit(*rows)


def test_all_classes_at_once(rows):
    X, y = rows
    classes = 2 * (X[:, 0] > 0) + (y > 0)
    model = onlinear.PassiveAggressive(multiclass="direct", n_iter=3).fit(X, classes)
    assert model.decision_function(X).shape == (600, 4)
    assert model.coef_.shape == (4, 20) and model.score(X, classes) > 0.7
    assert np.array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])
    two = onlinear.Perceptron(multiclass="direct").fit(X, y)
    assert two.decision_function(X).shape == (600,) and two.coef_.shape == (2, 20)


def test_a_row_asked_for_is_learned_from(rows):
    X, y = rows
    model = onlinear.SelectiveSampler(eagerness=0.3)
    model.partial_fit(X[:50], y[:50], classes=[-1, 1])
    for i in range(50, 150):
        (expected,) = model.ask(X[i : i + 1])
        before = model.about_["asked"]
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert model.about_["asked"] - before == expected
    assert 0 < model.ask(X).mean() < 1
    with pytest.raises(ValueError, match="AROW asks for no labels"):
        onlinear.AROW().fit(X, y).ask(X)


@pytest.mark.parametrize("stream", [False, True])
def test_a_width_is_found_from_the_first_rows(rows, stream):
    X, y = rows
    distances = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    width = np.median(distances[np.triu_indices(600, 1)]) / 2
    model = onlinear.Perceptron(kernel="gaussian", sigma2="auto", fit_intercept=False, shuffle=False)
    model = model.partial_fit(X, y, classes=[-1, 1]) if stream else model.fit(X, y)
    spec = model.about_["spec"]
    assert float(spec.split("sigma2=")[1].split(",")[0]) == pytest.approx(width)
    mapped = onlinear.AROW(map="nystrom:landmarks=20,kernel=gaussian,sigma2=auto", fit_intercept=False).fit(X, y)
    assert float(mapped.about_["map"].split("sigma2=")[1].split(",")[0]) == pytest.approx(width)
