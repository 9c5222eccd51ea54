"""The program against Python: random learners, rows and runs, to the bit.

`ONLINEAR_LONG=1` makes it 10 000 runs.
"""

import json
import os
import re
import subprocess

import numpy as np
import pytest
from scipy import sparse

import onlinear

RUNS = 10_000 if os.environ.get("ONLINEAR_LONG") else 60
#: Runs that are one test, so that a failure says how to find it again.
SHARE = 20
#: Numbers that are drawn from narrower ranges than they may be, lest a run take minutes.
NARROW = {
    "degree": (1, 4),
    "epochs": (1, 6),
    "rounds": (1, 4),
    "passes": (1, 3),
    "budget": (1, 30),
    "p": (2, 8),
    "landmarks": (2, 12),
    "dimension": (2, 20),
}
BASES = {
    "selective": ["perceptron", "averaged", "romma", "arow", "second-order", "passive-aggressive"],
    "adaboost": ["rcd", "pocket", "sgd", "fld", "averaged-sampled", "perceptron", "svm"],
}
STAGES = ["standard", "minmax", "maxabs", "range", "mixed", "l2", "bias:value=0.5", "bias", "nystrom", "fourier"]

#: Maps to fewer components than there are rows.
SHORT = {"nystrom": "nystrom:landmarks=5", "fourier": "fourier:dimension=10"}


def has_auto_form(spec, learners):
    """Tell whether a form is chosen by the number of rows, which one pass of the program does not know beforehand."""
    names = re.findall(r"^[a-z0-9+-]+|(?<=base=)[a-z0-9+-]+", spec)
    forms = any(parameter["name"] == "form" for name in names for parameter in learners[name]["parameters"])
    return forms and not re.search(r"form=(primal|dual|implicit)", spec)


def number(random, name, text):
    """Draw a number out of a range as `onlinear algorithms` words it."""
    low, high = 1e-3, 30.0
    for sign, bound in re.findall(r"(>=|<=|>|<) ([0-9.]+)", text):
        bound = float(bound)
        if sign[0] == ">":
            low = max(bound + (1e-3 if sign == ">" else 0.0), 0.0)
        else:
            high = bound - (1e-3 if sign == "<" else 0.0)
    low, high = NARROW.get(name, (low, min(high, 30.0)))
    if "whole" in text:
        return str(random.integers(int(low), int(high) + 1))
    return repr(float(np.round(np.exp(random.uniform(np.log(low + 1e-3), np.log(high + 1e-3))) - 1e-3, 6) or low))


def value(random, learner, parameter, learners):
    """Draw the value of a parameter, as a spec has it."""
    name, kind, text = parameter["name"], parameter["kind"], parameter["range"]
    if kind == "learner":
        base = random.choice(BASES[learner])
        return f"{name}={base}", [f"{name}.{setting}" for setting in settings(random, base, learners)]
    if parameter["choices"]:
        return f"{name}={random.choice(parameter['choices'])}", []
    if text == "true or false":
        return f"{name}={random.choice(['true', 'false'])}", []
    word, _, rest = text.partition(" or ")
    if rest and random.random() < 0.3 and word != "cv":
        return f"{name}={word}", []
    return f"{name}={number(random, name, rest or text)}", []


def settings(random, name, learners):
    """Draw some settings of a learner."""
    drawn = []
    for parameter in learners[name]["parameters"]:
        if parameter["name"] in ("epochs", "rounds", "base") or random.random() < 0.4:
            own, inner = value(random, name, parameter, learners)
            drawn += [own, *inner]
    return [setting for setting in drawn if not setting.startswith("seed=")]


def rows(random):
    """Draw rows, dense or sparse, and labels that a hidden function tells, but for some."""
    count, features, classes = random.integers(12, 60), random.integers(1, 9), random.choice([2, 2, 2, 3, 5])
    X = np.round(random.standard_normal((count, features)) * random.choice([0.1, 1.0, 5.0]), 4)
    X[X == 0] = 1.0
    if random.random() < 0.2:
        X = np.abs(X).clip(max=1.0)
    score = X @ random.standard_normal((features, classes)) + random.standard_normal((count, classes))
    y = score.argmax(axis=1)
    y[:classes] = np.arange(classes)
    if random.random() < 0.4:
        kept = random.random(X.shape) < 0.6
        kept[:, -1] |= ~kept.any(axis=1)  # no row is empty, and the last feature is met
        kept[0, -1] = True
        X = sparse.csr_matrix(np.where(kept, X, 0.0))
    if classes == 2:
        return X, np.array([-1, 1])[y]
    return X, y


def write(path, X, y):
    """Write rows as LIBSVM text, every component that they have."""
    with open(path, "w") as file:
        for i, label in enumerate(y.tolist()):
            row = X[[i]].tocoo() if sparse.issparse(X) else None
            cells = enumerate(X[i].tolist()) if row is None else zip(row.col.tolist(), row.data.tolist(), strict=True)
            file.write(f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in cells) + "\n")


class Run:
    """One run, drawn at random: the same for the program and for Python."""

    def __init__(self, seed, learners):
        random = np.random.default_rng(seed)
        self.name = name = random.choice(sorted(learners))
        declared = learners[name]
        self.is_batch = declared["learns"] == "all-at-once"
        self.seed = int(random.integers(1, 1000))
        drawn = settings(random, name, learners)
        if any(parameter["name"] == "seed" for parameter in declared["parameters"]):
            drawn.append(f"seed={self.seed}")
        self.spec = f"{name}:{','.join(drawn)}" if drawn else name
        self.X, self.y = rows(random)
        tells_width = "sigma2=auto" in self.spec  # by the first rows, of which a stream has others
        self.passes = 1 if self.is_batch else int(random.integers(1, 4))
        self.shuffles = not self.is_batch and random.random() < 0.5
        can_stream = declared["learns"] == "row-by-row" and not self.shuffles and not tells_width
        self.streams = can_stream and random.random() < 0.5
        self.stages = None
        if random.random() < 0.4:
            self.stages = list(dict.fromkeys(random.choice(STAGES, random.integers(1, 3)).tolist()))
            if has_auto_form(self.spec, learners):
                self.stages = [SHORT.get(stage, stage) for stage in self.stages]
        self.has_bias = not self.is_batch and random.random() < 0.5
        self.window = 50 if not self.is_batch and random.random() < 0.2 else None
        self.balanced = random.random() < 0.15
        self.cuts = np.sort(random.integers(1, len(self.y), 3))
        if self.streams:
            self.passes, self.balanced = 1, False
            self.stages = self.stages and [stage for stage in self.stages if stage.startswith(("l2", "bias", "four"))]

    def flags(self):
        """What the program is told."""
        flags = ["--passes", self.passes] if self.passes > 1 else []
        flags += ["--shuffle", self.seed] if self.shuffles else []
        flags += ["--calibrate", self.window] if self.window else []
        flags += ["--class-weight", "balanced"] if self.balanced else []
        if self.stages:
            flags += [flag for stage in self.stages for flag in ("--stage", stage)]
        elif self.has_bias:
            flags.append("--bias")
        return [*flags, "--labels", ",".join(map(str, np.unique(self.y)))]

    def estimator(self):
        """What Python is told."""
        estimator = onlinear.from_spec(self.spec)
        known = estimator.get_params(deep=False)
        params = {"normalize": None, "stages": self.stages or None, "fit_intercept": self.is_batch or self.has_bias}
        params |= {"n_iter": self.passes, "shuffle": self.shuffles, "random_state": self.seed, "calibrate": self.window}
        if self.balanced:
            params["class_weight"] = "balanced"
        if self.balanced and "class_weight" not in known:
            raise ValueError("takes no weights")
        return estimator.set_params(**{name: value for name, value in params.items() if name in known})

    def fit(self):
        """Learn in Python, at once or in parts."""
        estimator = self.estimator()
        if not self.streams:
            return estimator.fit(self.X, self.y)
        for part in np.split(np.arange(len(self.y)), self.cuts):
            if len(part):
                estimator.partial_fit(self.X[part], self.y[part], classes=np.unique(self.y))
        return estimator


@pytest.fixture(scope="module")
def learners(program):
    told = json.loads(program("algorithms", "--json"))
    return {learner["name"]: learner for learner in told}


def compare(run, program, folder):
    """Say how the program and Python differ, if they do; and whether both refused."""
    data, model = folder / "data.svm", folder / "model"
    write(data, run.X, run.y)
    try:
        program("learn", run.spec, data, "--model", model, "--quiet", *run.flags())
        theirs = None
    except subprocess.CalledProcessError as error:
        theirs = error.stderr
    try:
        ours, refusal = run.fit(), None
    except (ValueError, MemoryError) as error:
        ours, refusal = None, str(error)
    if (theirs is None) != (refusal is None):
        return f"the program: {theirs or 'learned'}; Python: {refusal or 'learned'}", False
    if theirs is not None:
        return None, True
    loaded = onlinear.load(model)
    if not np.array_equal(loaded.decision_function(run.X), ours.decision_function(run.X)):
        return "other scores", False
    if not np.array_equal(loaded.passes_, ours.passes_):
        return f"other counts: {loaded.passes_.tolist()} and {ours.passes_.tolist()}", False
    if model.read_bytes() != ours.to_bytes():
        return "other bytes", False
    return None, False


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, RUNS, SHARE))
def test_runs(first, learners, program, tmp_path):
    refused, different = 0, []
    for seed in range(first, first + SHARE):
        run = Run(seed, learners)
        difference, is_refused = compare(run, program, tmp_path)
        refused += is_refused
        if difference:
            different.append((seed, run.spec, run.flags(), difference))
    assert not different
    assert refused < SHARE / 2
