"""The examples in docstrings, in the docs and in the notebook, run as they stand."""

import doctest
import json
import pathlib

import matplotlib
import pytest

import onlinear
from onlinear import _attributes, _estimators, _learner, _models, _onnx, _plots, _read, _specs, datasets

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize(
    "module",
    [onlinear, _attributes, _estimators, _learner, _models, _onnx, _plots, _read, _specs, datasets],
    ids=lambda module: module.__name__,
)
def test_docstrings(module):
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_every_class_has_an_example():
    for name in _estimators.__all__:
        text = getattr(onlinear, name).__doc__
        assert all(part in text for part in ("Rule::", "Paper: ", "Cost: ", "Bound: ", "Parameters\n", ">>> ")), name


def test_the_tour():
    failed, attempted = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert failed == 0 and attempted > 20


def test_the_notebook():
    from matplotlib import pyplot as plt

    cells = json.loads((ROOT / "examples/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    plt.close("all")
    assert "stream" in names
