"""Measure the Python package beside its peers: a line for each row, everyone the least of several turns, in turns.

Each line has tabs between the row, the peer, our seconds and the peer's: by the wall and of CPU each.
"""

import subprocess
import sys
import time

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron

import onlinear

PATH, TABLE = sys.argv[1], sys.argv[2]
ROWS, COLUMNS = 200_000, 100


def times(work):
    """Give the seconds that work takes, by the wall and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def row(name, peer, ours, theirs, turns=5, per=1):
    """Print a row: the least of several turns of both, one after the other, for one of `per` things."""
    taken = [(times(ours), times(theirs)) for _ in range(turns)]
    least = np.min(np.array(taken), axis=0) / per
    print(name, peer, *(f"{seconds:.9f}" for seconds in least.ravel()), sep="\t", flush=True)


def ours(passes, X, y):
    return onlinear.Perceptron(n_iter=passes, shuffle=False).fit(X, y)


def theirs(passes, X, y):
    return Perceptron(max_iter=passes, tol=None, shuffle=False).fit(X, y)


def importing(name):
    return lambda: subprocess.run([sys.executable, "-c", f"import {name}"], check=True)


def fits(X, y):
    """Rows of `fit` and `predict` on a sparse matrix."""
    for kind, matrix in (("float64", X), ("float32", X.astype(np.float32))):
        for passes in (6, 1):
            name = f"fit, CSR {kind}, {passes} {'pass' if passes == 1 else 'passes'}"
            row(name, "scikit-learn", lambda: ours(passes, matrix, y), lambda: theirs(passes, matrix, y))
    model, other = ours(1, X, y), theirs(1, X, y)
    row("predict, CSR", "scikit-learn", lambda: model.predict(X), lambda: other.predict(X), turns=15)


def dense(X, y):
    """Rows of `fit` and `predict` on arrays, in either order and precision."""
    single = X.astype(np.float32)
    arrays = {"float64": X, "float32": single, "Fortran order": np.asfortranarray(X)}
    for kind, array in arrays.items():
        name = f"fit, dense, {kind}, 6 passes"
        row(name, "scikit-learn", lambda: ours(6, array, y), lambda: theirs(6, array, y))
    many = X[:, :20].argmax(axis=1)
    for name, labels in (("predict, dense", y), ("predict, 20 classes", many)):
        model, other = ours(1, X, labels), theirs(1, X, labels)
        row(name, "scikit-learn", lambda: model.predict(X), lambda: other.predict(X), turns=15)


def single_rows(X, y):
    """Rows of `partial_fit` and `predict` of one row."""
    X, y = np.ascontiguousarray(X[:2000, :20]), y[:2000]
    rows, labels = [X[i : i + 1] for i in range(len(X))], [y[i : i + 1] for i in range(len(X))]
    model = onlinear.Perceptron().partial_fit(X, y, classes=[-1, 1])

    def learn():
        for x, label in zip(rows, labels, strict=True):
            model.partial_fit(x, label)

    def predict():
        for x in rows:
            model.predict(x)

    try:
        from river.linear_model import Perceptron as River
    except ImportError:
        return
    river, dicts = River(), [dict(enumerate(x)) for x in X.tolist()]
    row(
        "partial_fit of one row",
        "river",
        learn,
        lambda: [river.learn_one(*pair) for pair in zip(dicts, y > 0, strict=True)],
        per=len(X),
    )
    row("predict of one row", "river", predict, lambda: [river.predict_one(x) for x in dicts], per=len(X))


def frames(X, y):
    """Rows of `fit` on data frames, beside an array of the same numbers."""
    names = [f"c{j}" for j in range(X.shape[1])]
    made = {}
    for library in ("polars", "pyarrow", "pandas"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        columns = {name: X[:, j].copy() for j, name in enumerate(names)}
        made[library] = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    for library, frame in made.items():
        learner = {"n_iter": 6, "shuffle": False, "scale": None}
        fit = {
            kind: lambda rows=rows: onlinear.Perceptron(**learner).fit(rows, y) for kind, rows in ((0, frame), (1, X))
        }
        row(f"fit, {library}, 6 passes", "NumPy's array", fit[0], fit[1], turns=3)


def reading():
    """Rows of reading files."""
    row("read, LIBSVM", "scikit-learn", lambda: onlinear.read(PATH), lambda: load_svmlight_file(PATH), turns=2)
    for library in ("pandas", "polars"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        row("read, CSV", library, lambda: onlinear.read(TABLE, label="y"), lambda: module.read_csv(TABLE), turns=3)


def main():
    row("import", "scikit-learn", importing("onlinear"), importing("sklearn.base"), turns=3)
    X, y = onlinear.read(PATH)
    fits(sparse.csr_matrix(X), y)
    random = np.random.default_rng(1)
    X = random.standard_normal((ROWS, COLUMNS))
    y = np.where(X @ random.standard_normal(COLUMNS) > 0, 1, -1)
    dense(X, y)
    single_rows(X, y)
    frames(X, y)
    reading()
    kernel = onlinear.Perceptron(kernel="gaussian", n_iter=1, shuffle=False, fit_intercept=False)
    X, y = onlinear.read(PATH)
    taken = min(times(lambda: kernel.fit(X[:4000], y[:4000]))[1] for _ in range(3))
    print("kernel", "the program", 0, taken, 0, 0, sep="\t")


main()
