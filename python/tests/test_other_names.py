"""Parameters by the names that scikit-learn and the papers have for them."""

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from onlinear import LinearSVM, PassiveAggressive, Perceptron


def test_other_names_are_understood_and_kept_by_their_own():
    model = PassiveAggressive(C=0.5, max_iter=3, kernel="rbf", gamma=0.25)
    params = model.get_params()
    assert (params["aggressiveness"], params["n_iter"], params["sigma2"]) == (0.5, 3, 2.0)
    assert not {"C", "max_iter", "gamma", "others"} & set(params)
    assert clone(model).get_params() == params
    assert "kernel=gaussian" in model.spec and "sigma2=2" in model.spec
    assert model.set_params(C=2).aggressiveness == 2
    assert Perceptron(kernel="poly", degree=3).spec == Perceptron(kernel="polynomial", degree=3).spec


def test_what_a_learner_has_not_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'C'"):
        Perceptron(C=1)
    with pytest.raises(ValueError, match="Invalid parameter"):
        Perceptron().set_params(penalty="l1")


def test_grids_go_over_other_names(two_classes):
    grid = GridSearchCV(LinearSVM(), {"C": [0.01, 1.0]}, cv=2).fit(*two_classes)
    assert set(grid.best_params_) == {"C"}


def test_rows_held_out_stop_the_passes(two_classes):
    X, y = two_classes
    stopped = Perceptron(early_stopping=True, n_iter=5).fit(X, y)
    assert 1 <= len(stopped.passes_) <= 5
    assert len(Perceptron().fit(X, y).passes_) == 10
