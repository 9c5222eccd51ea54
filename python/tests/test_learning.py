"""Learning in one go, in parts, again, and from a saved model."""

import copy
import pickle

import numpy as np
import pytest
from conftest import every

import onlinear
from onlinear import AveragedPerceptron, Perceptron, Projectron, VotedPerceptron

STREAMING = [estimator for estimator in every(n_iter=1, shuffle=False) if hasattr(estimator, "partial_fit")]
ALL = list(every())


def named(estimators):
    return {"argvalues": estimators, "ids": [type(estimator).__name__ for estimator in estimators]}


def fresh(estimator):
    return copy.deepcopy(estimator)


@pytest.mark.parametrize("estimator", **named(STREAMING))
def test_parts_are_the_whole(estimator, two_classes):
    X, y = two_classes
    whole, parts = fresh(estimator).fit(X, y), fresh(estimator)
    for start in range(0, len(X), 70):
        parts.partial_fit(X[start : start + 70], y[start : start + 70], classes=[-1, 1])
    assert np.array_equal(parts.decision_function(X), whole.decision_function(X))
    assert (parts.n_mistakes_, parts.n_updates_) == (whole.n_mistakes_, whole.n_updates_)
    assert parts.passes_[:, 0].tolist() == [len(X)]


@pytest.mark.parametrize("estimator", **named(STREAMING))
def test_saved_on_the_way_is_never_saved(estimator, three_classes, tmp_path):
    X, y = three_classes
    going, stopped = fresh(estimator), fresh(estimator)
    for model in (going, stopped):
        model.partial_fit(X[:150], y[:150], classes=[0, 1, 2])
    stopped.save(tmp_path / "model")
    resumed = onlinear.load(tmp_path / "model")
    assert type(resumed) is type(estimator)
    for model in (going, resumed):
        model.partial_fit(X[150:], y[150:])
    assert np.array_equal(resumed.decision_function(X), going.decision_function(X))
    assert resumed.to_bytes() == going.to_bytes()


@pytest.mark.parametrize("estimator", **named(ALL))
def test_copies_predict_the_same(estimator, two_classes, three_classes):
    for X, y in (two_classes, three_classes):
        model = fresh(estimator).fit(X, y)
        scores = model.decision_function(X)
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), model.from_bytes(model.to_bytes())):
            assert np.array_equal(again.decision_function(X), scores)
            assert np.array_equal(again.predict(X), model.predict(X))
            assert again.get_params(deep=False).keys() == model.get_params(deep=False).keys()
        assert model.from_bytes(model.to_bytes()).about_ == model.about_


@pytest.mark.parametrize("estimator", **named(ALL))
def test_weights_explain_scores(estimator, three_classes):
    X, y = three_classes
    for kept in (slice(None), y < 2):
        model = fresh(estimator).fit(X[kept], y[kept])
        if hasattr(model, "coef_"):
            scores = X @ model.coef_.T + model.intercept_
            classes = len(model.classes_)
            assert model.coef_.shape == (classes if classes > 2 else 1, 6)
            if isinstance(model, onlinear.ALMA):  # which divides each score by the length of its row
                assert np.array_equal(scores > 0, model.decision_function(X).reshape(scores.shape) > 0)
            elif model.normalize is None:
                expected = model.decision_function(X).reshape(scores.shape)
                np.testing.assert_allclose(scores, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("output", ["last", "averaged", "longest"])
def test_support_vectors_explain_scores(output, two_classes):
    X, y = two_classes
    for model in (
        Projectron(output=output, kernel="gaussian", sigma2=4.0),
        AveragedPerceptron(kernel="gaussian", sigma2=4.0),
    ):
        model.fit(X, y)
        distances = ((X[:, np.newaxis] - model.support_vectors_) ** 2).sum(axis=2)
        np.testing.assert_allclose(
            np.exp(-distances / 8.0) @ model.dual_coef_[0], model.decision_function(X), atol=1e-9
        )
        assert not hasattr(model, "coef_")


def test_a_voted_perceptron_is_no_sum():
    model = VotedPerceptron(kernel="gaussian").fit([[0.0], [1.0]], [0, 1])
    assert len(model.support_vectors_) == model.about_["support"]  # the rows that vote, but no sum over them
    assert not hasattr(model, "dual_coef_") and not hasattr(model, "coef_")


def test_warm_start_goes_on(two_classes):
    X, y = two_classes
    once = Perceptron(n_iter=1, shuffle=False, warm_start=True).fit(X, y).fit(X, y)
    twice = Perceptron(n_iter=2, shuffle=False).fit(X, y)
    assert np.array_equal(once.coef_, twice.coef_)
    assert once.passes_.tolist() == twice.passes_.tolist()
    cold = Perceptron(n_iter=1, shuffle=False).fit(X, y).fit(X, y)
    assert cold.passes_.tolist() == twice.passes_[:1].tolist()


def test_other_rows_are_other_support_vectors(two_classes):
    X, y = two_classes
    model = Perceptron(kernel="gaussian", n_iter=3, shuffle=False, warm_start=True).fit(X[:100], y[:100])
    before = len(model.support_vectors_)
    model.fit(X[100:200], y[100:200])
    known = {tuple(row) for row in X[:200]}
    assert len(model.support_vectors_) > before
    assert all(tuple(row) in known for row in model.support_vectors_)


def test_seeds_decide(two_classes):
    X, y = two_classes
    weights = [Perceptron(n_iter=2, random_state=seed).fit(X, y).coef_ for seed in (1, 1, 2, np.random.RandomState(3))]
    assert np.array_equal(weights[0], weights[1]) and not np.array_equal(weights[0], weights[2])
    assert Perceptron(random_state=None).fit(X, y).score(X, y) > 0.7


def test_weights_count(two_classes):
    X, y = two_classes
    options = {"n_iter": 1, "shuffle": False}
    none = np.where(np.arange(len(y)) % 2, 1.0, 0.0)
    left_out = Perceptron(**options).fit(X[none > 0], y[none > 0])
    assert np.array_equal(Perceptron(**options).fit(X, y, sample_weight=none).coef_, left_out.coef_)
    assert not np.array_equal(Perceptron(**options).fit(X, y).coef_, left_out.coef_)


def test_traces_and_certificates(two_classes):
    X, y = two_classes
    model = Perceptron(n_iter=3, fit_intercept=False, trace=True, certificate=True).fit(X, y)
    assert {name: len(array) for name, array in model.trace_.items()} == dict.fromkeys(
        ["score", "mistake", "updated"], 900
    )
    assert model.trace_["mistake"].sum() == model.n_mistakes_ == model.certificate_["mistakes"]
    statements = ["before", "hindsight", "leave_one_out", "mistakes", "risk", "self_check"]
    assert sorted(model.certificate_) == statements
    for statement in ("before", "self_check"):
        told = model.certificate_[statement]
        assert told["bound"] >= model.n_mistakes_
        assert np.linalg.norm(told["weights"]) == pytest.approx(told["norm"])
    wrong = (np.where(X @ model.certificate_["hindsight"]["weights"] > 0, 1, -1) != y).sum()
    assert wrong == model.certificate_["hindsight"]["errors"]
    assert model.certificate_["risk"]["bound"] is None  # three passes: rows are no longer new
    once = Perceptron(n_iter=1, certificate=True).fit(X, y).certificate_["risk"]
    assert once["confidence"] == 0.95 and once["mistakes"] / 300 < once["bound"] < 1
    parts = Perceptron(trace=True).partial_fit(X[:100], y[:100], classes=[-1, 1]).partial_fit(X[100:], y[100:])
    assert len(parts.trace_["score"]) == 300
    epochs = onlinear.RCD(epochs=20, trace=True).fit(X, y).trace_
    assert epochs["epoch"].tolist() == list(range(21)) and (np.diff(epochs["errors"].astype(int)) <= 0).all()
    assert not hasattr(Perceptron().fit(X, y), "trace_")


def test_models_of_parts_become_one(two_classes, three_classes):
    for X, y in (two_classes, three_classes):
        for cls in (Perceptron, AveragedPerceptron, onlinear.AROW, onlinear.Winnow, onlinear.FisherDiscriminant):
            models = [cls(scale=None).fit(X[part::2], y[part::2]) for part in range(2)]
            merged = onlinear.merge(models)
            assert type(merged) is cls and np.array_equal(merged.classes_, models[0].classes_)
            # Where scores are mixed, a class on which all parts agree is the merged model's too, so that it errs
            # only where a part does. AROW and Winnow mix something else: each weight by its own precision, or θ.
            told = [model.predict(X) for model in models]
            agree = told[0] == told[1]
            share = np.mean(merged.predict(X)[agree] == told[0][agree])
            assert agree.mean() > 0.5 and share >= (0.95 if cls in (onlinear.AROW, onlinear.Winnow) else 1.0), cls
            alone = onlinear.merge(models[:1])
            assert alone.to_bytes() == models[0].to_bytes()
        models = [Perceptron().fit(X[part::2], y[part::2]) for part in range(2)]
        mixed = onlinear.merge(models, [0.25, 0.75])
        expected = 0.25 * models[0].decision_function(X) + 0.75 * models[1].decision_function(X)
        np.testing.assert_allclose(mixed.decision_function(X), expected, rtol=1e-9, atol=1e-9)
        base = AveragedPerceptron().partial_fit(X[:50], y[:50], classes=np.unique(y))
        parts = [base.from_bytes(base.to_bytes()).partial_fit(X[part::2], y[part::2]) for part in range(2)]
        merged = onlinear.merge(parts, base=base)
        assert merged.passes_[:, 0].sum() == 50 + len(X)
        merged.partial_fit(X, y)
    with pytest.raises(ValueError, match="voted cannot be merged: every hypothesis"):
        onlinear.merge([onlinear.VotedPerceptron().fit(X, y)])
    with pytest.raises(ValueError, match="they differ in"):
        onlinear.merge([Perceptron().fit(X, y), AveragedPerceptron().fit(X, y)])


def test_adaboost_over_any_base(two_classes):
    X, y = two_classes
    for base in (onlinear.SGD(epochs=5), Perceptron(kernel="gaussian"), onlinear.FisherDiscriminant()):
        model = onlinear.AdaBoost(base=base, rounds=3).fit(X, y)
        assert model.score(X, y) > 0.8
        assert model.about_["spec"].startswith(f"adaboost:base={base._spec_name()},")
        assert type(model.from_bytes(model.to_bytes()).base) is type(base)
    assert onlinear.AdaBoost(base=onlinear.SGD()).set_params(base__epochs=7).base.epochs == 7


def test_every_schedule(two_classes):
    for schedule in ("rcd", "rcd-bias", "rcd-conj", "rcd-conj-bias", "rcd-grad", "ccd"):
        model = onlinear.RCD(schedule=schedule, epochs=30).fit(*two_classes)
        assert model.about_["spec"].startswith(f"{schedule}:epochs=30,")
        assert model.from_bytes(model.to_bytes()).schedule == schedule


def test_without_an_intercept(two_classes):
    X, y = two_classes
    for estimator in every(fit_intercept=False, scale=None):
        model = estimator.fit(X, y)
        zero = model.decision_function(np.zeros((1, X.shape[1])))
        if "kernel" not in model.get_params() and not isinstance(model, onlinear.AdaBoost):  # members vote at 0 too
            assert abs(zero[0]) < 1e-9, estimator


def test_a_parameter_of_one_schedule_alone(two_classes):
    X, y = two_classes
    hinge = onlinear.from_spec("rcd-grad:epochs=3,gradient=hinge")
    assert hinge.gradient == "hinge" and "gradient=hinge" in hinge.spec
    plain = onlinear.from_spec("rcd-grad:epochs=3")
    assert not np.array_equal(hinge.fit(X, y).coef_, plain.fit(X, y).coef_)
    assert "gradient" not in onlinear.from_spec("rcd:epochs=3").spec
    with pytest.raises(ValueError, match="gradient='hinge' does not go with schedule='rcd'"):
        onlinear.from_spec("rcd:epochs=3").set_params(gradient="hinge").fit(X, y)
