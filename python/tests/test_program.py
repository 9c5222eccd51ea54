"""Model files of Python in the program, and the other way round."""

import json

import numpy as np
import pytest
from conftest import every

import onlinear


def write_libsvm(path, X, y):
    """Write rows with every value, so that the program reads back the same dense rows."""
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
        for row, label in zip(X.tolist(), y, strict=True)
    )
    path.write_text("\n".join(lines) + "\n")


def printed(text):
    """Give the labels and scores that `predict --scores` printed."""
    rows = [line.split("\t") for line in text.splitlines()]
    return np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])


@pytest.fixture(scope="module")
def files(tmp_path_factory, two_classes, three_classes):
    folder = tmp_path_factory.mktemp("program")
    for name, (X, y) in {"two.svm": two_classes, "three.svm": three_classes}.items():
        write_libsvm(folder / name, X, y)
    return folder


@pytest.mark.parametrize("estimator", list(every(n_iter=2)), ids=lambda estimator: type(estimator).__name__)
def test_the_program_predicts_what_python_does(estimator, files, two_classes, program):
    X, y = two_classes
    estimator.fit(X, y).save(files / "model")
    labels, scores = printed(program("predict", files / "model", files / "two.svm", "--scores"))
    assert np.array_equal(labels.astype(int), estimator.predict(X))
    assert np.array_equal(scores, estimator.decision_function(X))


def test_three_classes_in_the_program(files, three_classes, program):
    X, y = three_classes
    model = onlinear.AveragedPerceptron().fit(X, np.array(["a", "b", "c"])[y])
    model.save(files / "model")
    lines = program("predict", files / "model", files / "three.svm", "--json").splitlines()
    told = [json.loads(line) for line in lines]
    assert [row["label"] for row in told] == model.predict(X).tolist()
    assert np.array_equal([[row["scores"][name] for name in "abc"] for row in told], model.decision_function(X))


@pytest.mark.parametrize(
    "spec", ["perceptron", "second-order", "projectron:kernel=gaussian", "rcd-bias:epochs=20", "whitened"]
)
@pytest.mark.parametrize("name", ["two.svm", "three.svm"])
def test_python_predicts_what_the_program_does(spec, name, files, program):
    bias = [] if spec.startswith("rcd") else ["--bias"]
    program("learn", spec, files / name, "--model", files / "model", *bias)
    X, y = onlinear.read(files / name)
    model = onlinear.load(files / "model")
    labels, scores = printed(program("predict", files / "model", files / name, "--scores"))
    assert np.array_equal(labels.astype(int), model.predict(X))
    ours = model.decision_function(X)
    assert np.array_equal(scores, ours if ours.ndim == 1 else ours.max(axis=1))
    options = {} if spec.startswith("rcd") else {"n_iter": 1, "shuffle": False}
    here = onlinear.from_spec(spec, **options).fit(X, y)
    assert np.array_equal(here.decision_function(X), ours)
    # What was left to the learner and the rows is told by what it became.
    params = here.get_params(deep=False) | {key: here.about_[key] for key in ("scale", "normalize")}
    assert params == model.get_params(deep=False)


def test_the_program_goes_on_where_python_stopped(files, two_classes, program):
    X, y = two_classes
    write_libsvm(files / "rest.svm", X[200:], y[200:])
    model = onlinear.PassiveAggressive(n_iter=1, shuffle=False).fit(X[:200], y[:200])
    model.save(files / "model")
    program("learn", "--resume", files / "model", files / "rest.svm", "--model", files / "resumed")
    model.partial_fit(X[200:], y[200:])
    assert np.array_equal(onlinear.load(files / "resumed").coef_, model.coef_)


def test_sets_are_those_of_the_program(program, tmp_path):
    text = program("generate", "artificial:features=7,relevant=3,noise=0.2", "--rows", 50, "--seed", 3)
    (tmp_path / "set.svm").write_text(text)
    X, y = onlinear.read(tmp_path / "set.svm")
    ours = onlinear.datasets.make_artificial(50, features=7, relevant=3, noise=0.2, random_state=3)
    assert np.array_equal(X, ours[0]) and np.array_equal(y, ours[1])


@pytest.mark.parametrize("name", ["06-voted", "30-projectron", "90-multiclass-csv", "92-hashed"])
def test_a_model_saved_again_by_safetensors_is_the_same_model(name, golden, tmp_path):
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    path = golden.parent / "models-v1" / f"{name}.onlinear"
    with pytest.importorskip("safetensors").safe_open(path, "np") as file:
        arrays = {key: file.get_tensor(key) for key in reversed(list(file.keys()))}
        numpy.save_file(arrays, tmp_path / "copy", file.metadata())
    assert onlinear.load(tmp_path / "copy").to_bytes() == onlinear.load(path).to_bytes()
