"""Together with scikit-learn's tools, without scikit-learn, and with Matplotlib."""

import pathlib
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import onlinear
from onlinear import AveragedPerceptron, Perceptron

matplotlib.use("Agg")


def test_pipelines_and_cross_validation(three_classes):
    X, y = three_classes
    pipeline = make_pipeline(StandardScaler(), AveragedPerceptron())
    assert pipeline.fit(X, y).score(X, y) > 0.6
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.6


def test_grids(two_classes):
    X, y = two_classes
    grid = GridSearchCV(Perceptron(kernel="gaussian"), {"sigma2": [0.01, 1.0, 100.0]}, cv=3).fit(X, y)
    assert grid.best_params_["sigma2"] > 0.01
    inner = onlinear.AdaBoost(base=onlinear.SGD(), rounds=3)
    assert GridSearchCV(inner, {"base__epochs": [1, 5]}, cv=2).fit(X, y).best_score_ > 0.8


def test_calibration_and_one_versus_rest(two_classes, three_classes):
    X, y = two_classes
    probabilities = CalibratedClassifierCV(AveragedPerceptron(), cv=3).fit(X, y).predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1) and ((probabilities[:, 1] > 0.5) == (y > 0)).mean() > 0.8
    X, y = three_classes
    options = {"n_iter": 1, "shuffle": False}
    theirs = OneVsRestClassifier(Perceptron(**options)).fit(X, y)
    assert np.array_equal(theirs.decision_function(X), Perceptron(**options).fit(X, y).decision_function(X))


def test_clones_and_representations(two_classes):
    X, y = two_classes
    model = Perceptron(kernel="gaussian", sigma2=0.5).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params() and not hasattr(copy, "classes_")
    assert repr(model) == "Perceptron(kernel='gaussian', sigma2=0.5)"
    assert "Perceptron" in model._repr_html_()
    assert onlinear.from_spec(model.spec).spec == model.spec == model.about_["spec"]
    assert model.spec.startswith("perceptron:rate=1,output=last,multiclass=rest,kernel=gaussian,")


WITHOUT = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "scipy", "matplotlib", "pandas"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import pickle
import numpy as np
import onlinear
X, y = onlinear.datasets.make_artificial(300, features=10, relevant=4)
for name in onlinear._native.ESTIMATORS:
    model = getattr(onlinear, name)()
    if name == "AdaBoost":
        model.set_params(rounds=3, base=onlinear.SGD()).set_params(base__epochs=5)
        assert model.get_params()["base__epochs"] == 5
    assert model.fit(X, y).score(X, y) > 0.8, name
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
assert "sklearn" not in sys.modules
assert repr(onlinear.Perceptron(rate=2.0)) == "Perceptron(rate=2.0)"
assert onlinear.Perceptron()._repr_html_() == "<pre>Perceptron()</pre>"
good = ([[0.0], [1.0]], [0, 1])
model = onlinear.Perceptron()
for arguments, words in [
    (([[0.0], [np.nan]], [0, 1]), "Input X contains NaN"),
    (([[0.0], [np.inf]], [0, 1]), "Input X contains infinity"),
    (([0.0, 1.0], [0, 1]), "Expected 2D array, got 1D array instead"),
    (([[0.0], [1.0]], [0, 0]), "greater than one; got 1 class"),
    (([[0.0], [1.0]], [0]), "inconsistent numbers of samples"),
    (([[0.0], [1.0]], [0.5, 1]), "Unknown label type"),
    (([["a"], ["b"]], [0, 1]), "could not convert string to float"),
]:
    try:
        model.fit(*arguments)
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
try:
    model.predict([[1.0]])
except ValueError as error:
    assert "is not fitted yet" in str(error)
try:
    model.fit(*good).predict([[1.0, 2.0]])
except ValueError as error:
    assert "X has 2 features, but Perceptron is expecting 1 features as input" in str(error)
"""


def test_without_scikit_learn():
    done = subprocess.run([sys.executable, "-W", "error", "-c", WITHOUT], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_interrupts_end_the_learning():
    script = (
        "import _thread, threading, onlinear\n"
        "X, y = onlinear.datasets.make_artificial(3000, features=50, relevant=10, noise=0.2)\n"
        "threading.Timer(0.5, _thread.interrupt_main).start()\n"
        "try:\n"
        "    onlinear.Perceptron(kernel='gaussian', n_iter=100000).fit(X, y)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_figures(two_classes):
    from matplotlib import pyplot as plt

    X, y = two_classes
    models = [Perceptron(trace=True).fit(X, y), AveragedPerceptron(trace=True).fit(X, y)]
    ax = onlinear.plot_learning_curve(*models)
    assert len(ax.lines) == 2 and ax.lines[0].get_ydata()[-1] == pytest.approx(models[0].n_mistakes_ / 3000)
    plt.close(ax.figure)
    _, mine = plt.subplots()
    assert onlinear.plot_learning_curve(onlinear.RCD(epochs=5, trace=True).fit(X, y), ax=mine) is mine
    plt.close(mine.figure)
    X, y = onlinear.datasets.make_yinyang(100)
    model = Perceptron(kernel="gaussian", sigma2=0.02).fit(X, y)
    ax = onlinear.plot_decision_boundary(model, X, y, resolution=30)
    assert len(ax.collections) >= 2
    plt.close(ax.figure)
    with pytest.raises(ValueError, match="kept no trace"):
        onlinear.plot_learning_curve(model)
    with pytest.raises(ValueError, match="of two features"):
        onlinear.plot_decision_boundary(model, np.zeros((3, 4)))


def test_the_package_is_typed():
    folder = pathlib.Path(onlinear.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()


def test_nothing_is_loaded_before_it_is_asked_for():
    script = """
import sys, onlinear
assert {"Perceptron", "read", "load", "datasets"} <= set(dir(onlinear)) and "sklearn" not in sys.modules
onlinear.read, onlinear.datasets
assert "sklearn" not in sys.modules and "pandas" not in sys.modules and "matplotlib" not in sys.modules
from onlinear import *
from sklearn.base import BaseEstimator
assert isinstance(Perceptron(), BaseEstimator) and Perceptron is onlinear.Perceptron
assert sorted(onlinear.__all__) == sorted(set(onlinear.__all__))
try:
    onlinear.Perzeptron
except AttributeError as error:
    assert "Perzeptron" in str(error)
else:
    raise AssertionError
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
