"""Time LinearSVM and LinearSVC on one-hot rows; prints its time and those of theirs.

By default LinearSVC squares the hinge, which is another problem than ours; with loss="hinge" it is the same one.
"""

import time

import numpy as np
import scipy.sparse
from sklearn.svm import LinearSVC

import onlinear

generator = np.random.default_rng(1)
ROWS, COLUMNS, VALUES = 4000, 10, 71
codes = generator.integers(0, VALUES, (ROWS, COLUMNS)) + VALUES * np.arange(COLUMNS)
rows = np.repeat(np.arange(ROWS), COLUMNS)
X = scipy.sparse.csr_matrix((np.ones(ROWS * COLUMNS), (rows, codes.ravel())), shape=(ROWS, COLUMNS * VALUES))
y = X @ generator.normal(size=COLUMNS * VALUES) + generator.normal(size=ROWS) > 0


def least(estimator):
    """Give the least time of several fits."""
    times = []
    for _ in range(7):
        start = time.process_time()
        estimator.fit(X, y)
        times.append(time.process_time() - start)
    return min(times)


print(least(onlinear.LinearSVM()), least(LinearSVC()), least(LinearSVC(loss="hinge")))
