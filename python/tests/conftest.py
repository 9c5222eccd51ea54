"""What several tests need."""

import os
import pathlib
import shutil
import subprocess

import pytest

import onlinear
from onlinear import _estimators, datasets

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def golden():
    """The folder of golden traces."""
    return ROOT / "crates/onlinear/tests/golden"


@pytest.fixture(scope="session")
def program():
    """The command line, as a function of its arguments that gives what it prints."""
    path = os.environ.get("ONLINEAR_PROGRAM") or shutil.which("onlinear")
    if path is None or not pathlib.Path(path).exists():
        pytest.skip("the program is not built: ONLINEAR_PROGRAM names it")

    def run(*arguments):
        command = [path, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def two_classes():
    """Rows that a line tells apart, but for a few."""
    return datasets.make_artificial(300, features=12, relevant=4, noise=0.05)


@pytest.fixture(scope="session")
def three_classes():
    """Rows of three classes by the sign of two features."""
    X, _ = datasets.make_artificial(300, features=6, relevant=2)
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] > 0).astype(int)


def every(**params):
    """One estimator of each class, with these parameters where it has them."""
    quick = {"AdaBoost": {"rounds": 5}}
    for name in _estimators.__all__:
        estimator = getattr(onlinear, name)(**quick.get(name, {}))
        known = estimator.get_params(deep=False)
        yield estimator.set_params(**{key: value for key, value in params.items() if key in known})
