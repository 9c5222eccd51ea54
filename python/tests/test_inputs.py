"""Rows and labels in all their guises, and the files they come from."""

import gzip
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import onlinear
from onlinear import AveragedPerceptron, Perceptron, datasets


def options():
    return {"n_iter": 2, "shuffle": False}


def test_dense_layouts_are_the_same(two_classes):
    X, y = two_classes
    expected = Perceptron(**options()).fit(X, y)
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    for rows in (np.asfortranarray(X), wide[:, ::2], X[::-1][::-1], read_only, X.tolist(), X.astype(">f8")):
        assert np.array_equal(Perceptron(**options()).fit(rows, y).coef_, expected.coef_)
        assert np.array_equal(expected.decision_function(rows), expected.decision_function(X))


def test_single_precision_is_widened(two_classes):
    X, y = two_classes
    X = X.astype(np.float32)
    model = Perceptron(**options()).fit(X, y)
    assert np.array_equal(model.coef_, Perceptron(**options()).fit(X.astype(float), y).coef_)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float64, np.float32])
def test_sparse_layouts_are_the_same(index, value, two_classes):
    X, y = two_classes
    X = np.where(np.abs(X) > 0.2, X, 0.0).astype(value)
    csr = sparse.csr_matrix(X)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    expected = Perceptron(**options()).fit(csr, y)
    np.testing.assert_allclose(expected.coef_, Perceptron(**options()).fit(X, y).coef_, rtol=1e-9, atol=1e-12)
    unsorted = csr.copy()
    for i in range(len(y)):
        part = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
        unsorted.indices[part], unsorted.data[part] = (
            unsorted.indices[part][::-1].copy(),
            unsorted.data[part][::-1].copy(),
        )
    unsorted.has_sorted_indices = False
    before = unsorted.indices.copy()
    for rows in (unsorted, csr.tocsc(), csr.tocoo(), sparse.csr_array(csr)):
        model = Perceptron(**options()).fit(rows, y)
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(model.predict(rows), expected.predict(csr))
    assert np.array_equal(unsorted.indices, before)


def test_duplicates_add_up():
    doubled = sparse.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    model = Perceptron(n_iter=1, shuffle=False, fit_intercept=False).fit(doubled, [0, 1])
    assert model.coef_.tolist() == [[4.0, -3.0]]


def test_frames(two_classes):
    X, y = two_classes
    names = [f"feature {j}" for j in range(X.shape[1])]
    expected = Perceptron(**options()).fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        # A frame is a table, whose numbers are scaled unless told otherwise.
        model = Perceptron(scale=None, **options()).fit(frame, y)
        assert model.feature_names_in_.tolist() == names
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(model.predict(frame), expected.predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(X, columns=names[::-1]))


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1, 1], [1.0, 2.0], [False, True], ["ham", "spam"], ["10", "9"], [7, 30, 1000], ["10", "9", "b"]],
)
def test_labels_of_any_kind(labels, three_classes):
    X, y = three_classes
    X, y = X[y < len(labels)], y[y < len(labels)]
    named = np.sort(np.array(labels))[y]
    model = AveragedPerceptron().fit(X, named)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    numbered = AveragedPerceptron().fit(X, y)
    assert np.array_equal(model.decision_function(X), numbered.decision_function(X))
    assert np.array_equal(model.classes_.tolist().index(model.predict(X[:1])[0]), numbered.predict(X[:1])[0])
    assert model.score(X, named) == numbered.score(X, y)
    again = model.from_bytes(model.to_bytes())
    assert [str(label) for label in again.predict(X)] == [
        str(int(label)) if isinstance(label, float) else str(label) for label in model.predict(X).tolist()
    ]


def test_files_of_every_format(tmp_path):
    (tmp_path / "a.svm").write_text("+1 1:2 3:0.5\n-1 2:1\n")
    with gzip.open(tmp_path / "a.svm.gz", "wt") as file:
        file.write("+1 1:2 3:0.5\n-1 2:1\n")
    for name in ("a.svm", "a.svm.gz"):
        X, y = onlinear.read(tmp_path / name, sparse=True)
        assert sparse.issparse(X) and X.toarray().tolist() == [[2, 0, 0.5], [0, 1, 0]] and y.tolist() == [1, -1]
        dense, _ = onlinear.read(tmp_path / name, sparse=False, n_features=4)
        assert dense.tolist() == [[2, 0, 0.5, 0], [0, 1, 0, 0]]
    (tmp_path / "b.csv").write_text("x,y,kind,much\n1,2,ham,1\n3,4,spam,2.5\n")
    X, y, weights, names = onlinear.read(
        tmp_path / "b.csv", label="kind", weight="much", return_weight=True, return_names=True
    )
    assert X.tolist() == [[1, 2], [3, 4]] and y.tolist() == ["ham", "spam"]
    assert weights.tolist() == [1, 2.5] and names.tolist() == ["x", "y"]
    (tmp_path / "c.vw").write_text("1 | a:2 b\n-1 3.0 | b:0.5\n")
    X, y, weights = onlinear.read(tmp_path / "c.vw", sparse=False, return_weight=True)
    assert y.tolist() == [1, -1] and weights.tolist() == [1, 3] and X[0, 0] == 2


def test_files_that_are_wrong(tmp_path):
    (tmp_path / "bad.svm").write_text("+1 3:1 2:1\n")
    with pytest.raises(ValueError, match=r"bad\.svm:1:8: "):
        onlinear.read(tmp_path / "bad.svm")
    with pytest.raises(FileNotFoundError):
        onlinear.read(tmp_path / "none.svm")
    with pytest.raises(ValueError, match="unknown format 'xml'"):
        onlinear.read(tmp_path / "bad.svm", format="xml")
    with pytest.raises(FileNotFoundError):
        onlinear.load(tmp_path / "none")
    with pytest.raises(ValueError, match="not a usable model"):
        onlinear.load(tmp_path / "bad.svm")
    with pytest.raises(ValueError, match="not a usable model"):
        Perceptron.from_bytes(b"nothing")


def test_other_threads_run_while_it_learns():
    X, y = datasets.make_artificial(20000, features=100, relevant=10, noise=0.1)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    onlinear.AveragedPerceptron(kernel="gaussian", n_iter=1).fit(X[:4000], y[:4000])
    end = time.perf_counter()
    done.set()
    thread.join()
    assert sum(start < t < end for t in ticks) >= 3


def test_sets_have_the_shape_asked_for():
    for name in datasets.__all__:
        X, y = getattr(datasets, name)(20, random_state=4)
        assert X.shape[0] == len(y) == 20 and set(y) <= {-1, 1}
        assert np.array_equal(X, getattr(datasets, name)(20, random_state=4)[0])
    with pytest.raises(ValueError, match="noise=2"):
        datasets.make_artificial(3, noise=2)
