"""Parts of data that learn apart, wherever they are mapped to."""

import functools

import numpy as np
import pytest

import onlinear
from onlinear import distributed


@pytest.fixture(scope="module")
def parts():
    sets = [onlinear.datasets.make_two_gaussians(150, random_state=seed) for seed in range(6)]
    empty = (sets[0][0][:0], sets[0][1][:0])
    of_one_class = tuple(values[sets[1][1] == 1] for values in sets[1])
    return [*sets, empty, of_one_class]


@pytest.mark.parametrize("learner", [onlinear.AveragedPerceptron(), onlinear.AROW(), onlinear.PassiveAggressive()])
def test_rounds_of_parts_learn_as_one_machine_does(parts, learner):
    X, y = onlinear.datasets.make_two_gaussians(4000, random_state=99)
    model = distributed.fit(parts, learner, rounds=5)
    assert type(model) is type(learner) and not hasattr(learner, "_model")
    assert model.passes_[:, 0].sum() == 5 * sum(len(part[0]) for part in parts)
    rows = [np.concatenate(values) for values in zip(*parts, strict=True)]
    alone = type(learner)(n_iter=5).fit(*rows)
    assert model.score(X, y) > alone.score(X, y) - 0.03
    again = distributed.fit(parts, model, rounds=1)
    assert again.passes_[:, 0].sum() == 6 * sum(len(part[0]) for part in parts)


def test_the_same_bits_wherever_parts_are_learned_from(parts):
    fit = functools.partial(distributed.fit, parts, onlinear.AveragedPerceptron(), rounds=3)
    here = fit().to_bytes()
    assert fit(map=lambda function, values: [function(value) for value in reversed(values)][::-1]).to_bytes() == here
    functions = [lambda part=part: part for part in parts]
    given = distributed.fit(functions, onlinear.AveragedPerceptron(), rounds=3, classes=[-1, 1])
    assert given.to_bytes() == here


def test_joblib(parts):
    joblib = pytest.importorskip("joblib")
    pool = joblib.Parallel(n_jobs=2)
    there = distributed.fit(
        parts,
        onlinear.AROW(),
        rounds=2,
        map=lambda function, values: pool(joblib.delayed(function)(value) for value in values),
    )
    assert there.to_bytes() == distributed.fit(parts, onlinear.AROW(), rounds=2).to_bytes()


def test_dask(parts):
    dask = pytest.importorskip("dask.distributed")
    with dask.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        there = distributed.fit(
            parts,
            onlinear.AROW(),
            rounds=2,
            map=lambda function, values: client.gather(client.map(function, values)),
        )
    assert there.to_bytes() == distributed.fit(parts, onlinear.AROW(), rounds=2).to_bytes()


def test_a_thousand_parts():
    X, y = onlinear.datasets.make_two_gaussians(5000, random_state=3)
    parts = [(X[part::1000], y[part::1000]) for part in range(1000)]
    model = distributed.fit(parts, onlinear.AveragedPerceptron(), rounds=3)
    assert model.passes_[:, 0].sum() == 15_000 and model.score(X, y) > 0.8


def test_merges_within_a_round(parts):
    fit = functools.partial(distributed.fit, parts, onlinear.AveragedPerceptron())
    assert fit(rounds=2, merges_per_round=16, mean="moved").to_bytes() == fit(rounds=2).to_bytes()
    for other in [
        onlinear.AveragedPerceptron(kernel="gaussian"),
        onlinear.AROW(output="averaged"),
        onlinear.Perceptron(),
    ]:
        assert (
            distributed.fit(parts, other, 2, merges_per_round=1, mean="all").to_bytes()
            == distributed.fit(parts, other, 2).to_bytes()
        )
    model = fit(rounds=2, merges_per_round=4)
    assert model.passes_[:, 0].sum() == 2 * sum(len(part[0]) for part in parts)
    expected = onlinear.AveragedPerceptron()
    for piece in [0, 1, 2, 3, 0, 1, 2, 3]:
        pieces = [(X[piece::4], y[piece::4]) for X, y in parts]
        expected = distributed.fit(pieces, expected, rounds=1, classes=[-1, 1], merges_per_round=1)
    assert model.to_bytes() == expected.to_bytes()
    # More merges than rows: what pieces there are is learned from, each row once.
    few = [(X[:2], y[:2]) for X, y in parts]
    many = distributed.fit(few, onlinear.PassiveAggressive(), rounds=3, classes=[-1, 1], merges_per_round=5)
    assert many.passes_[:, 0].sum() == 3 * sum(len(y) for _, y in few)
    sparse = pytest.importorskip("scipy.sparse")
    pandas = pytest.importorskip("pandas")
    kinds = [[(sparse.coo_matrix(X), y) for X, y in parts], [(pandas.DataFrame(X), pandas.Series(y)) for X, y in parts]]
    for others in kinds:
        there = distributed.fit(others, onlinear.AveragedPerceptron(), rounds=2, merges_per_round=4)
        np.testing.assert_array_equal(there.coef_, model.coef_)


def test_a_weight_is_the_mean_of_the_parts_that_moved_it():
    """Features that one part has, two parts have, and none has: what was learned of them is not divided by others."""
    start = onlinear.Perceptron(fit_intercept=False, scale=None).partial_fit(np.eye(4), [1, -1, 1, -1], [-1, 1])
    rows = [([[1, 0, 0, 2]], [1]), ([[0, 0, 0, 3], [0, 0, 0, 3]], [1, 1]), ([[0, 0, 0, 0]], [1])]
    models = [onlinear.merge([start]).partial_fit(np.array(X, float), y) for X, y in rows]
    first, second, w = models[0].coef_[0], models[1].coef_[0], start.coef_[0]
    assert first[0] != w[0] and first[3] != w[3] != second[3]
    moved = onlinear.merge(models, base=start, mean="moved").coef_[0]
    np.testing.assert_array_equal(moved[:3], first[:3])
    np.testing.assert_allclose(moved[3], (first[3] + 2 * second[3]) / 3, rtol=1e-15)
    np.testing.assert_allclose(onlinear.merge(models, base=start).coef_[0][0], (first[0] + 3 * w[0]) / 4, rtol=1e-15)
    given = onlinear.merge(models, [5.0, 15.0, 0.0], start, mean="moved").coef_[0]
    np.testing.assert_allclose(given[3], (first[3] + 3 * second[3]) / 4, rtol=1e-15)
    for asked, message in [
        ({"mean": "moved"}, "mean=moved needs the base"),
        ({"mean": "moved", "base": start, "weights": [1, -1, 1]}, "weights that are not negative"),
        ({"mean": "most", "base": start}, "there is no mean 'most'"),
    ]:
        with pytest.raises(ValueError, match=message):
            onlinear.merge(models, **asked)


def test_parts_that_start_afresh_move_weights_from_nothing():
    parts = [(np.eye(3)[[part]], [label]) for part, label in enumerate([1, -1, 1])]
    model = distributed.fit(parts, onlinear.Perceptron(fit_intercept=False, scale=None), 1, mean="moved")
    np.testing.assert_array_equal(model.coef_, [[1, -1, 1]])
    mixed = distributed.fit(parts, onlinear.Perceptron(fit_intercept=False, scale=None), 1, mean="all")
    np.testing.assert_allclose(mixed.coef_, [[1 / 3, -1 / 3, 1 / 3]])


def test_a_model_that_has_learned_gives_all_parts_its_scales(parts):
    X, y = parts[0]
    start = onlinear.AveragedPerceptron(scale="standard").fit(X * [1000.0, 1.0], y)
    model = distributed.fit([(X * [1000.0, 1.0], y) for X, y in parts], start, rounds=2)
    assert model.score(X * [1000.0, 1.0], y) > 0.8
    grown = onlinear.AROW(map="nystrom:landmarks=20,kernel=gaussian").fit(X, y)
    assert distributed.fit(parts, grown, rounds=2).score(X, y) > 0.8


def test_parts_of_a_table_go_on_from_one_model():
    pandas = pytest.importorskip("pandas")
    frames = [{"x": [1.0, 2.5, 3, 4], "c": ["r", "b", "r", "b"]}, {"x": [5.0, 0, 3, 9], "c": ["g", "b", "r", "k"]}]
    parts = [(pandas.DataFrame(frame), ["no", "yes", "no", "yes"]) for frame in frames]
    with pytest.raises(ValueError, match="they differ in their features; let all go on from one model"):
        distributed.fit(parts, onlinear.AveragedPerceptron(), rounds=1)
    start = onlinear.AveragedPerceptron().fit(*parts[0])
    model = distributed.fit(parts, start, rounds=2)
    learned = model.passes_[:, 0].sum() - start.passes_[:, 0].sum()
    assert learned == 16 and model.predict(parts[1][0]).shape == (4,)


def test_the_diagonal_arow_is_that_of_the_precisions_of_all_parts():
    """Σ⁻¹ = Σ₀⁻¹ + Σ (Σᵢ⁻¹ − Σ₀⁻¹); each weight is the mean of the parts', by the precision each has gained for it."""

    def replay(state, X, y):
        w, precision = state[0].copy(), state[1].copy()
        for x, label in zip(X, y, strict=True):
            loss = 1 - label * (w @ x)
            if loss > 0:
                w += loss / (x @ (x / precision) + 1) * label * x / precision
                precision += x**2
        return w, precision

    X, y = onlinear.datasets.make_two_gaussians(400, random_state=7)
    start, base = (np.zeros(X.shape[1]), np.ones(X.shape[1])), None
    for turn in range(3):
        rows = [(X[at::4], y[at::4]) for at in ([1, 2, 3], [0, 2], [3])[turn]]
        states = [replay(start, *part) for part in rows]
        gained = np.array([precision - start[1] for _, precision in states])
        w = np.sum([g * w for g, (w, _) in zip(gained, states, strict=True)], axis=0) / gained.sum(axis=0)
        start = w, start[1] + gained.sum(axis=0)
        learner = onlinear.AROW(fit_intercept=False, scale=None) if base is None else base
        base = distributed.fit(rows, learner, rounds=1, classes=[-1, 1])
        np.testing.assert_allclose(base.coef_[0], start[0], rtol=1e-9)


def test_labels_are_those_of_all_parts():
    X, y = onlinear.datasets.make_two_gaussians(300, random_state=4)
    names = np.array(["no", "yes"])[(y > 0).astype(int)]
    parts = [(X[names == name], names[names == name]) for name in ("yes", "no")]
    model = distributed.fit(parts, onlinear.AveragedPerceptron(), rounds=10)
    assert model.classes_.tolist() == ["no", "yes"] and model.score(X, names) > 0.8


def test_bad_input_is_refused_before_the_first_round(parts):
    def fails(*_):
        raise AssertionError("nothing may be learned")

    for learner, rounds, message in [
        (onlinear.VotedPerceptron(), 3, "voted cannot be merged"),
        (onlinear.ROMMA(), 3, "romma cannot be merged"),
        (onlinear.AROW(), 0, "rounds must be at least 1"),
        (onlinear.FisherDiscriminant(), 2, "learns from all rows at once"),
        (onlinear.FisherDiscriminant(), 1, "would differ from part to part; scale the rows beforehand, and learn with"),
        (onlinear.LinearSVM(stages=["standard", "bias"]), 1, "standard goes by the rows that it reads"),
        (onlinear.AROW(scale="standard"), 3, "standard goes by .*; let all go on from one model"),
        (onlinear.Perceptron(kernel="gaussian", sigma2="auto"), 3, "sigma2=auto goes by the first rows"),
        (onlinear.Perceptron(map="nystrom"), 3, "nystrom grows by the rows that it meets, and would differ"),
        (onlinear.Perceptron(class_weight="balanced"), 3, "class_weight 'balanced' would differ from part to part"),
    ]:
        with pytest.raises(ValueError, match=message):
            distributed.fit(parts, learner, rounds, map=fails)
    with pytest.raises(ValueError, match="merges_per_round must be at least 1, not 0"):
        distributed.fit(parts, onlinear.AROW(), map=fails, merges_per_round=0)
    with pytest.raises(ValueError, match="merges_per_round must be 1, not 2"):
        distributed.fit(parts, onlinear.FisherDiscriminant(), 1, map=fails, merges_per_round=2)
    with pytest.raises(ValueError, match="there is no mean 'most'; there are all, moved"):
        distributed.fit(parts, onlinear.AROW(), map=fails, mean="most")
    with pytest.raises(ValueError, match="averaged cannot be merged: with mean=moved a support vector"):
        distributed.fit(parts, onlinear.AveragedPerceptron(kernel="gaussian"), map=fails, mean="moved")
    with pytest.raises(ValueError, match="arow cannot be merged: with mean=moved nothing would be another"):
        distributed.fit(parts, onlinear.AROW(), map=fails, mean="moved")
    with pytest.raises(ValueError, match="fld learns from all rows at once: mean=moved has no base"):
        distributed.fit(parts, onlinear.FisherDiscriminant(scale=None), 1, map=fails, mean="moved")
    with pytest.raises(TypeError, match="learner must be an estimator of onlinear, not 'arow'"):
        distributed.fit(parts, "arow", map=fails)
    with pytest.raises(ValueError, match=r"SGD needs all classes in each part, and one lacks \[-1\]: shuffle"):
        distributed.fit([parts[0], parts[-1]], onlinear.SGD(scale=None), 1)
    with pytest.raises(ValueError, match="classes must be given"):
        distributed.fit([lambda: parts[0]], onlinear.AROW(), map=fails)
    with pytest.raises(ValueError, match="no part has any rows"):
        distributed.fit(parts[-2:-1], onlinear.AROW(), classes=[-1, 1])
    one_round = distributed.fit(parts[:2], onlinear.FisherDiscriminant(scale=None), 1)
    assert one_round.score(*parts[0]) > 0.8
