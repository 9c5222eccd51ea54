"""Every golden case through Python: counts, every trial, and the final scores."""

import json
import pathlib

import numpy as np
import pytest

import onlinear

GOLDEN = pathlib.Path(__file__).parents[2] / "crates/onlinear/tests/golden"
CASES = json.loads((GOLDEN / "online.json").read_text()) + json.loads((GOLDEN / "beyond.json").read_text())


def near(ours, theirs):
    return np.all(np.abs(ours - theirs) <= 1e-9 * np.maximum(np.abs(theirs), 1.0))


def test_there_are_cases():
    assert len(CASES) >= 56 + 65


@pytest.mark.filterwarnings("ignore:higher-order")
@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, sparse):
    X, y = onlinear.read(GOLDEN / case["data"], sparse=sparse)
    normalize = {"none": None, "l2": "l2"}.get(case["normalize"], "lp")
    options = {"n_iter": case["passes"], "shuffle": False, "fit_intercept": False, "map": case.get("map")}
    options["calibrate"] = case.get("calibrate")
    estimator = onlinear.from_spec(case["spec"], normalize=normalize, trace=True, **options).fit(X, y)
    assert (estimator.n_mistakes_, estimator.n_updates_) == (case["mistakes"], case["updates"])
    assert estimator.passes_[:, 1].tolist() == case["mistakes_per_pass"]
    assert estimator.about_["matrix_updates"] == case.get("matrix_updates")
    assert estimator.about_["landmarks"] == case.get("landmarks")
    assert estimator.about_.get("asked") == case.get("asked")
    trials = np.loadtxt(GOLDEN / "traces" / f"{case['id']}.csv", delimiter=",", skiprows=1)
    assert np.array_equal(np.tile(y, case["passes"]), trials[:, 1])
    assert near(estimator.trace_["score"], trials[:, 2])
    assert np.array_equal(estimator.trace_["mistake"], trials[:, 3] == 1)
    assert near(estimator.decision_function(X[:40]), np.array(case["final_scores"]))
    if "calibrate" in case:
        (found,) = estimator.about_["calibration"]
        assert found[:2] == pytest.approx((case["slope"], case["intercept"]), rel=1e-6)
        probabilities = estimator.predict_proba(X[:40])
        assert probabilities[:, 1] == pytest.approx(np.array(case["probabilities"]), rel=1e-6)
        assert probabilities.sum(axis=1) == pytest.approx(np.ones(40))
    else:
        assert not hasattr(estimator, "predict_proba")
