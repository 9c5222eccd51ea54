"""Measure the Python package beside scikit-learn; prints a figure per line."""

import sys
import time

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron

import onlinear


def least(turns, work, clock=time.process_time):
    """Give the least time of several turns, and what the last one gave."""
    times = []
    for _ in range(turns):
        start = clock()
        result = work()
        times.append(clock() - start)
    return min(times), result


def per_pass(fit, turns=5):
    """Give the time that a further pass takes."""
    return (least(turns, lambda: fit(6))[0] - least(turns, lambda: fit(1))[0]) / 5


path = sys.argv[1]
ours, (X, y) = least(3, lambda: onlinear.read(path))
theirs, _ = least(1, lambda: load_svmlight_file(path))
print("read", ours, theirs)
ours = per_pass(lambda passes: onlinear.Perceptron(n_iter=passes).fit(X, y))
theirs = per_pass(lambda passes: Perceptron(max_iter=passes, tol=None).fit(X, y))
print("pass", ours, theirs)
ours, model = least(5, lambda: onlinear.Perceptron(n_iter=1).fit(X, y))
theirs, other = least(5, lambda: Perceptron(max_iter=1, tol=None).fit(X, y))
print("fit", ours, theirs)
for name, clock in (("predict", time.process_time), ("wall", time.perf_counter)):
    ours, _ = least(15, lambda: model.predict(X), clock)
    theirs, _ = least(15, lambda: other.predict(X), clock)
    print(name, X.shape[0] / ours / 1e6, X.shape[0] / theirs / 1e6)
kernel = onlinear.Perceptron(kernel="gaussian", n_iter=1, shuffle=False, fit_intercept=False)
print("kernel", least(3, lambda: kernel.fit(X[:4000], y[:4000]))[0], kernel.n_mistakes_)
