"""Measure the Python package beside its peers: a line for each row, everyone the least of several turns, in turns.

Each line has tabs between the row, the peer, and what we took and what the peer took: seconds by the wall, seconds of
CPU, and bytes of memory beyond what there was before, at most.
"""

import importlib
import os
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
#: Rows of the relation that is never in memory as a whole, which would take 1.6 GB.
STREAM = 20_000_000


def peer(name):
    """Give a library that may not be installed, or none."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def memory(field):
    """Give what the process holds, or the most that it held, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/status") as status:
            return next((1024 * int(line.split()[1]) for line in status if line.startswith(field)), 0)
    except OSError:
        return 0


def forget_peak():
    """Let the most memory that the process held be what it holds now, where the system can."""
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
    except OSError:
        pass


def taken(work):
    """Give what work takes: seconds by the wall and of CPU (with those of processes that it started), and memory."""
    forget_peak()
    held, before = memory("VmRSS"), os.times()
    wall = time.perf_counter()
    work()
    wall, after = time.perf_counter() - wall, os.times()
    cpu = sum(after[:4]) - sum(before[:4])
    return wall, cpu, max(0, memory("VmHWM") - held)


def row(name, peer, ours, theirs, turns=7, per=1):
    """Print a row: the least of several turns of both, one after the other, for one of `per` things."""
    turns = np.array([(taken(ours), taken(theirs)) for _ in range(turns)])
    least = turns.min(axis=0) / [per, per, 1]
    print(name, peer, *(f"{figure:.9f}" for figure in least.ravel()), sep="\t", flush=True)


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
    river = peer("river.linear_model")
    if river is None:
        return
    X, y = np.ascontiguousarray(X[:2000, :20]), y[:2000]
    rows, labels = [X[i : i + 1] for i in range(len(X))], [y[i : i + 1] for i in range(len(X))]
    model = onlinear.Perceptron().partial_fit(X, y, classes=[-1, 1])
    other, dicts, positive = river.Perceptron(), [dict(enumerate(x)) for x in X.tolist()], (y > 0).tolist()

    def learn():
        for x, label in zip(rows, labels, strict=True):
            model.partial_fit(x, label)

    def learn_there():
        for x, label in zip(dicts, positive, strict=True):
            other.learn_one(x, label)

    def predict():
        for x in rows:
            model.predict(x)

    def predict_there():
        for x in dicts:
            other.predict_one(x)

    row("partial_fit of one row", "river", learn, learn_there, turns=15, per=len(X))
    row("predict of one row", "river", predict, predict_there, turns=15, per=len(X))


def frames(X, y):
    """Rows of `fit` on data frames, beside an array of the same numbers."""
    for library in ("polars", "pyarrow", "pandas"):
        module = peer(library)
        if module is None:
            continue
        columns = {f"c{j}": X[:, j].copy() for j in range(X.shape[1])}
        frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)

        def fit(rows):
            return onlinear.Perceptron(n_iter=6, shuffle=False, scale=None).fit(rows, y)

        row(f"fit, {library}, 6 passes", "NumPy's array", lambda: fit(frame), lambda: fit(X), turns=5)


def streams():
    """The row of a relation that is never in memory as a whole, beside walking through it."""
    duckdb = peer("duckdb")
    if duckdb is None:
        return
    cells = ", ".join(f"sin(i * {j + 1}) as c{j}" for j in range(9))
    duckdb.sql("set enable_progress_bar = false")  # it would stand among the rows
    relation = duckdb.sql(f"select {cells}, i % 2 as y from range({STREAM}) rows(i)")

    reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch  # its name before

    def walk():
        for _ in reader():
            pass

    def learn():
        onlinear.Perceptron(shuffle=False).partial_fit(relation, "y", classes=[0, 1])

    row("partial_fit, duckdb relation", "duckdb", learn, walk, turns=1)


def reading():
    """Rows of reading files."""
    row("read, LIBSVM", "scikit-learn", lambda: onlinear.read(PATH), lambda: load_svmlight_file(PATH), turns=2)
    for library in ("polars", "pandas"):
        module = peer(library)
        if module is not None:
            row("read, CSV", library, lambda: onlinear.read(TABLE, label="y"), lambda: module.read_csv(TABLE), turns=5)


def main():
    row("import", "scikit-learn", importing("onlinear"), importing("sklearn.base"))
    X, y = onlinear.read(PATH)
    fits(sparse.csr_matrix(X), y)
    random = np.random.default_rng(1)
    X = random.standard_normal((ROWS, COLUMNS))
    y = np.where(X @ random.standard_normal(COLUMNS) > 0, 1, -1)
    dense(X, y)
    single_rows(X, y)
    frames(X, y)
    streams()
    reading()
    kernel = onlinear.Perceptron(kernel="gaussian", n_iter=1, shuffle=False, fit_intercept=False)
    X, y = onlinear.read(PATH)
    cpu = min(taken(lambda: kernel.fit(X[:4000], y[:4000]))[1] for _ in range(3))
    print("kernel", "the program", 0, cpu, 0, 0, 0, 0, sep="\t")


main()
