"""`onlinear.Client` against a server that runs; skipped where the program is not built."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import onlinear

BUILT = Path(__file__).parents[2] / "target"


def program():
    named = os.environ.get("ONLINEAR_PROGRAM") or shutil.which("onlinear")
    built = [str(path) for path in (BUILT / "release/onlinear", BUILT / "debug/onlinear") if path.exists()]
    return named or (built[0] if built else None)


def has_serve(path):
    asked = [path, "serve", "--help"]
    return path is not None and subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.fixture
def server(tmp_path):
    path = program()
    if not has_serve(path):
        pytest.skip("the program `onlinear`, with `serve`, is not built")
    words = ["arow", "--labels", "no,yes", "--learn", "--store", "store", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen([path, "serve", *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        yield onlinear.Client(process.stdout.readline().split()[-1])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_rows_are_learned_and_predicted(server):
    rows = [{"x": 1.0, "city": "Oslo"}, {"x": -1.0, "city": "Bergen"}] * 5
    told = server.learn(rows, ["yes", "no"] * 5, ids=range(10))
    assert [answer["row"] for answer in told] == list(range(1, 11))
    assert [answer["label"] for answer in server.predict(rows[:2])] == ["yes", "no"]
    again = server.learn(rows[:1], ["yes"], ids=[0])
    assert again == [{**told[0], "repeated": True}]


def test_labels_come_late(server):
    [answer] = server.predict([{"x": 1}], remember=True)
    [learned, unknown] = server.label([answer["id"], "other"], ["yes", "no"])
    assert learned["row"] == 1 and "forgotten" in unknown["error"]


def test_the_model_is_a_model_file(server, tmp_path):
    server.learn([{"1": 0.5, "2": 1.0}, {"1": -0.5}], ["yes", "no"])
    assert server.snapshot() == 2
    (tmp_path / "model").write_bytes(server.model())
    assert onlinear.load(tmp_path / "model").spec.startswith("arow")


def test_what_is_refused_says_where(server):
    with pytest.raises(onlinear.ServerError) as refused:
        server.learn('{"label":"yes","features":{"a":1}}\n{"label":"maybe","features":{"a":1}}\n')
    assert (refused.value.status, refused.value.line) == (400, 2)
    with pytest.raises(ValueError, match="a label for each"):
        server.learn([{"a": 1}], [])


def test_metrics_are_what_prometheus_reads(server):
    parser = pytest.importorskip("prometheus_client.parser")
    server.learn([{"a": 1}] * 3, ["yes"] * 3)
    families = {family.name: family for family in parser.text_string_to_metric_families(server.metrics())}
    assert families["onlinear_rows_learned"].type == "counter"
    assert families["onlinear_rows_learned"].samples[0].value == 3
    histogram = families["onlinear_request_seconds"]
    assert histogram.type == "histogram"
    counts = {s.labels["request"]: s.value for s in histogram.samples if s.name.endswith("_count")}
    assert counts["learn"] == 1
