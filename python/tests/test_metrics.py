"""The figures of a model are those of scikit-learn."""

import numpy as np
import pytest

import onlinear
from onlinear import datasets

skm = pytest.importorskip("sklearn.metrics")
TOLERANCE = {"rel": 1e-12, "abs": 1e-12}


def noisy(classes, rows=700):
    """Rows of unequal classes, whose scores have ties."""
    random = np.random.default_rng(classes)
    y = random.choice(classes, rows, p=np.arange(1, classes + 1) / sum(range(1, classes + 1)))
    X = np.round(random.normal(size=(rows, 4)) + np.eye(max(classes, 4))[y][:, :4], 0)
    return X, np.array(["ant", "bee", "cat", "dog"])[y]


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_all_figures(classes):
    X, y = noisy(classes)
    model = onlinear.AveragedPerceptron(n_iter=2).fit(X[:400], y[:400])
    X, y = X[400:], y[400:]
    figures = onlinear.metrics(model, X, y)
    predicted, scores, labels = model.predict(X), model.decision_function(X), list(model.classes_)
    assert figures["accuracy"] == pytest.approx(skm.accuracy_score(y, predicted), **TOLERANCE)
    assert figures["error_rate"] == pytest.approx(1 - skm.accuracy_score(y, predicted), **TOLERANCE)
    assert figures["balanced_accuracy"] == pytest.approx(skm.balanced_accuracy_score(y, predicted), **TOLERANCE)
    assert (figures["confusion"] == skm.confusion_matrix(y, predicted, labels=labels)).all()
    per_class = skm.precision_recall_fscore_support(y, predicted, labels=labels, zero_division=0)
    for label, *expected in zip(labels, *per_class, strict=True):
        ours = figures["classes"][label]
        assert [ours[name] for name in ("precision", "recall", "f1", "support")] == pytest.approx(expected, **TOLERANCE)
    columns = scores.T if classes > 2 else [scores]
    positives = labels if classes > 2 else labels[1:]
    pairs = [(y == label, column) for label, column in zip(positives, columns, strict=True)]
    assert len(np.unique(columns[0])) < len(y), "there are no ties"
    auc = np.mean([skm.roc_auc_score(*pair) for pair in pairs])
    assert figures["auc"] == pytest.approx(auc, **TOLERANCE)
    average = np.mean([skm.average_precision_score(*pair) for pair in pairs])
    assert figures["average_precision"] == pytest.approx(average, **TOLERANCE)
    f1 = {} if classes > 2 else {"pos_label": labels[1]}
    average = "macro" if classes > 2 else "binary"
    assert figures["f1"] == pytest.approx(skm.f1_score(y, predicted, average=average, **f1), **TOLERANCE)
    assert figures["log_loss"] is None


def test_log_loss_and_baseline():
    X, y = noisy(3)
    model = onlinear.AveragedPerceptron(n_iter=2).fit(X[:400], y[:400])
    exponents = np.exp(model.decision_function(X) / 50)
    probabilities = exponents / exponents.sum(axis=1, keepdims=True)
    probabilities[0] = [0, 0, 1]
    figures = onlinear.metrics(model, X, y, probabilities)
    assert figures["log_loss"] == pytest.approx(skm.log_loss(y, probabilities, labels=model.classes_), **TOLERANCE)
    labels, counts = np.unique(y[:400], return_counts=True)
    assert figures["baseline"] == pytest.approx(1 - np.mean(y == labels[counts.argmax()]), **TOLERANCE)
    with pytest.raises(ValueError, match="probabilities have shape"):
        onlinear.metrics(model, X, y, probabilities[:, :2])
    with pytest.raises(ValueError, match="y has labels"):
        onlinear.metrics(model, X, np.full(len(X), "emu"))


def test_class_weights_are_sample_weights():
    X, y = datasets.make_artificial(400, features=6, relevant=3, noise=0.1)
    y = np.where((y > 0) & (np.arange(len(y)) % 3 == 0), 1, -1)
    counts = {label: np.sum(y == label) for label in (-1, 1)}
    balanced = {label: len(y) / (2 * count) for label, count in counts.items()}
    weights = np.array([balanced[label] for label in y])
    for make in (onlinear.AveragedPerceptron, onlinear.LinearSVM, onlinear.AROW):
        expected = make().fit(X, y, sample_weight=weights).decision_function(X)
        for class_weight in ("balanced", balanced):
            model = make(class_weight=class_weight).fit(X, y)
            assert (model.decision_function(X) == expected).all()
    with pytest.raises(ValueError, match="class_weight"):
        onlinear.LinearSVM(class_weight="equal").fit(X, y)
    with pytest.raises(ValueError, match="no label '7'"):
        onlinear.LinearSVM(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="has to count all rows first"):
        onlinear.AveragedPerceptron(class_weight="balanced").partial_fit(X, y, classes=[-1, 1])


def test_class_weights_are_kept():
    X, y = noisy(2)
    model = onlinear.AveragedPerceptron(class_weight={"bee": 3.0}, n_iter=1, shuffle=False)
    whole = onlinear.AveragedPerceptron(class_weight={"bee": 3.0}, n_iter=1, shuffle=False)
    model.partial_fit(X[:300], y[:300], classes=["ant", "bee"])
    again = model.from_bytes(model.to_bytes())
    again.partial_fit(X[300:], y[300:])
    whole.fit(X, y)
    assert (again.decision_function(X) == whole.decision_function(X)).all()
    assert again.class_weight == {"ant": 1.0, "bee": 3.0}
    assert again.error_rate_ == np.mean(again.passes_[:, 1].sum() / again.passes_[:, 0].sum())
