"""A user's script, for type checkers alone: what it does with the package must be clean for mypy and pyright."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import onlinear
from onlinear import AROW, AveragedPerceptron, LinearSVM, Perceptron, TableEncoder, datasets, distributed


def errors(model: onlinear.Learner, X: np.ndarray, y: np.ndarray) -> int:
    return int((model.predict(X) != y).sum())


def learned() -> AveragedPerceptron:
    X, y = datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    model = AveragedPerceptron(n_iter=3, shuffle=False).fit(X[:400], y[:400])
    share: float = model.score(X[400:], y[400:])
    print(share, model.coef_.shape, model.intercept_[0], model.n_mistakes_ + 1, model.classes_.tolist())
    return model.set_params(n_iter=2).partial_fit(X[400:], y[400:])


def stored(path: Path) -> np.ndarray:
    learned().save(path)
    model = onlinear.load(path)
    X, y = onlinear.read("rows.svm", n_features=20)
    scores: np.ndarray = model.partial_fit(X, y).decision_function(X)
    print(errors(model, X, y), errors(learned(), X, y))
    figures = onlinear.metrics(model, X, y)
    print(figures["error_rate"], onlinear.merge([model, model], weights=[0.5, 0.5]).to_bytes()[:8])
    return scores


def others() -> list[str]:
    X, y = datasets.make_two_gaussians(300)
    kernel = Perceptron(kernel="gaussian", sigma2="auto", random_state=None)
    weighted = LinearSVM(class_weight="balanced").fit(X, y, sample_weight=np.ones(len(X)))
    parts = distributed.fit([(X, y), (X, y)], AROW(), rounds=2)
    spec: str = onlinear.from_spec("passive-aggressive:c=0.5", n_iter=3).spec
    names: np.ndarray = TableEncoder().get_feature_names_out()
    return [kernel.fit(X, y).spec, weighted.spec, parts.spec, spec, onlinear.__version__, *names.tolist()]
