"""Test error against parts and rounds, the parts one after another: a line for each set, learner, parts and round."""

import gzip
import sys

import numpy as np
import onlinear
from onlinear import distributed

PARTS = (1, 4, 16, 64, 256, 1000)
ROUNDS = 10
PLAIN = {"fit_intercept": False, "scale": None}
LEARNERS = {
    "averaged": onlinear.AveragedPerceptron(**PLAIN),
    "arow": onlinear.AROW(**PLAIN),
    "passive-aggressive:output=averaged": onlinear.PassiveAggressive(output="averaged", **PLAIN),
}


def rcv1(folder):
    """CCAT against the rest; the first 20 000 rows are learned from."""
    with gzip.open(f"{folder}/rcv1v2_subsets.multilabel.svm.gz", "rt") as file, open("ccat.svm", "w") as out:
        for line in file:
            topics, features = line.split(" ", 1)
            out.write(f"{'+1' if '33' in topics.split(',') else '-1'} {features}")
    return *onlinear.read("ccat.svm", n_features=47236), 20_000


def text(file):
    """Text as the speed of the program is measured on; the first 160 000 rows are learned from."""
    return *onlinear.read(file, n_features=50_000), 160_000


for name, (X, y, count) in {"rcv1": rcv1(sys.argv[1]), "text": text(sys.argv[2])}.items():
    order = np.random.default_rng(1).permutation(count)
    rest = X[count:], y[count:]
    for p in PARTS:
        rows = [order[part::p] for part in range(p)]
        parts = [(X[places], y[places]) for places in rows]
        for spec, learner in LEARNERS.items():
            model = learner
            for done in range(1, ROUNDS + 1):
                model = distributed.fit(parts, model, rounds=1)
                print(name, spec, p, done, round(1 - model.score(*rest), 5), sep="\t", flush=True)
