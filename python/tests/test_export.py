"""Models as what others run: ONNX by onnxruntime, SQL by DuckDB and SQLite, JSON by a reader of its documentation."""

import csv
import json
import sqlite3
import subprocess

import numpy as np
import pytest
from conftest import every

import onlinear

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
duckdb = pytest.importorskip("duckdb")

#: The only class whose models, as they are by default, are neither weights nor a sum over support vectors.
REFUSED = "VotedPerceptron"


def session(graph):
    onnx.checker.check_model(onnx.load_model_from_string(graph), full_check=True)
    return onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])


def close(ours, theirs):
    assert np.abs(np.asarray(ours) - np.asarray(theirs)).max() <= 1e-9 * max(1.0, np.abs(ours).max())


def agrees(model, X):
    label, scores = session(model.to_onnx()).run(None, {"X": np.asarray(X, dtype=float)})
    assert np.array_equal(label, model.predict(X))
    close(model.decision_function(X), scores)


@pytest.mark.parametrize("estimator", list(every(n_iter=2)), ids=lambda estimator: type(estimator).__name__)
def test_every_learner_as_onnx(estimator, two_classes, three_classes):
    for X, y in (two_classes, three_classes):
        estimator.fit(X, y)
        # A row of zeros has score 0 without an intercept, and is then of the positive class.
        rows = np.vstack([X, np.zeros(X.shape[1])])
        if type(estimator).__name__ == REFUSED:
            with pytest.raises(ValueError, match="cannot be exported: voted"):
                estimator.to_onnx()
        else:
            agrees(estimator, rows)


@pytest.mark.parametrize(
    "params",
    [
        {"scale": "minmax", "normalize": "l2"},
        {"map": "nystrom:landmarks=30,kernel=gaussian,sigma2=2"},
        {"map": "fourier:dimension=40,sigma2=2", "normalize": "l2"},
        {"kernel": "gaussian", "sigma2": 3.0},
        {"kernel": "polynomial", "degree": 3, "cosine": True},
        {"kernel": "gaussian", "multiclass": "direct"},
        {"multiclass": "direct", "fit_intercept": False},
    ],
    ids=str,
)
def test_stages_and_kernels_as_onnx(params, three_classes):
    X, y = three_classes
    agrees(onlinear.AveragedPerceptron(n_iter=2, **params).fit(X, y), X)
    agrees(onlinear.Perceptron(n_iter=2, **params).fit(X, np.array(["10", "9", "a"])[y]), X)


def test_two_classes_with_a_score_each_have_one_as_in_decision_function(two_classes):
    skl2onnx = pytest.importorskip("skl2onnx")
    X, y = two_classes
    model = onlinear.AROW(multiclass="direct").fit(X, y)
    agrees(model, X)
    onlinear.register_onnx_converters()
    graph = skl2onnx.to_onnx(model, X, target_opset=19).SerializeToString()
    label, scores = session(graph).run(None, {"X": X})
    assert scores.shape == (len(X),) and np.array_equal(label, model.predict(X))


def test_ties_fall_as_they_do_here():
    X = np.array([[1.0, 0.0], [-1.0, 0.0]])
    model = onlinear.Perceptron(fit_intercept=False, n_iter=1, shuffle=False).fit(X, [1, -1])
    rows = np.array([[0.0, 0.0], [0.0, 5.0], [-0.0, 1.0]])
    assert (model.decision_function(rows) == 0).all() and (model.predict(rows) == 1).all()
    agrees(model, rows)
    # A mean whose weights have no exact form: 1/3 and the like cancel exactly all the same.
    counts = np.random.default_rng(3).integers(0, 3, size=(500, 6)).astype(float)
    mean = onlinear.AveragedPerceptron(fit_intercept=False, n_iter=3).fit(counts, (counts[:, 0] > counts[:, 1]) * 2 - 1)
    agrees(mean, np.vstack([counts, counts - counts[::-1]]))


def test_a_pipeline_with_ours_in_it(two_classes, three_classes):
    skl2onnx = pytest.importorskip("skl2onnx")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    onlinear.register_onnx_converters()
    for (X, y), model in [
        (two_classes, onlinear.AveragedPerceptron()),
        (three_classes, onlinear.PassiveAggressive(kernel="gaussian", n_iter=2)),
    ]:
        pipeline = make_pipeline(StandardScaler(), model).fit(X, np.array(["no", "yes", "perhaps"])[y % 3])
        graph = skl2onnx.to_onnx(pipeline, X, target_opset=19).SerializeToString()
        label, scores = session(graph).run(None, {"X": X})
        assert np.array_equal(label, pipeline.predict(X))
        close(pipeline.decision_function(X), scores)


# -- tables ---------------------------------------------------------------------------------------------------------

HEADER = ["months", "plan", 'it\'s "odd"', "paperless", "total", "churn"]


def table(rows=200):
    """Categories, yes and no, and cells that are missing, under names that want quotes."""
    random = np.random.default_rng(5)
    plans = ["Month-to-month", "One year", "Two year", "it's", ""]
    for i in range(rows):
        months, plan = int(random.integers(0, 72)), plans[random.integers(0, 5)]
        odd = ["a", 'b"c', "semi;colon"][random.integers(0, 3)]
        total = "" if i % 17 == 3 else f"{months * 19.95:.2f}"
        left = months + 20 * (plan == "Two year") + random.integers(0, 20) < 40
        yield [str(months), plan, odd, ["Yes", "no"][i % 2], total, "Yes" if left else "No"]


@pytest.fixture(scope="module")
def churn(tmp_path_factory, program):
    folder = tmp_path_factory.mktemp("churn")
    rows = list(table())
    with open(folder / "churn.csv", "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    # What the model has never met: another plan.
    rows[0][1] = "Ten years"
    with open(folder / "new.csv", "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return folder, rows


SPECS = [
    ["averaged"],
    ["arow", "--missing", "median", "--normalize", "l2"],
    ["averaged", "--interact", "plan,paperless", "--interact", "months,plan"],
    ["perceptron", "--missing", "zero", "--column", "plan:category=2"],
    ["perceptron:kernel=gaussian,sigma2=5", "--passes", "2"],
    ["averaged", "--map", "nystrom:landmarks=20,kernel=gaussian,sigma2=5"],
    ["averaged", "--map", "fourier:dimension=20,sigma2=5", "--bias"],
    ["alma"],
]


def learned(churn, program, spec):
    folder, rows = churn
    model = folder / "model"
    program("learn", spec[0], folder / "churn.csv", "--label", "churn", "--model", model, "--quiet", *spec[1:])
    told = [
        json.loads(line) for line in program("predict", model, folder / "new.csv", "--json", "--quiet").splitlines()
    ]
    return model, rows, [row["label"] for row in told], [row["score"] for row in told]


@pytest.mark.parametrize("spec", SPECS, ids=" ".join)
def test_tables_as_onnx(spec, churn, program):
    model, rows, labels, scores = learned(churn, program, spec)
    program("export", model, "--to", "onnx", "--output", f"{model}.onnx")
    running = session(model.with_suffix(".onnx").read_bytes())
    cells = dict(zip(HEADER, np.array(rows, dtype=object).T, strict=True))
    inputs = {}
    for given in running.get_inputs():
        column = cells[given.name][:, np.newaxis]
        is_number = given.type == "tensor(double)"
        inputs[given.name] = np.where(column == "", "nan", column).astype(float) if is_number else column
    label, found = running.run(None, inputs)
    assert label.tolist() == labels
    close(scores, found)


@pytest.mark.parametrize("spec", SPECS, ids=" ".join)
def test_tables_as_sql(spec, churn, program):
    model, rows, labels, scores = learned(churn, program, spec)
    query = program("export", model, "--to", "sql", "--table", 'the "rows"')
    kinds = ["DOUBLE", "VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE", "VARCHAR"]
    quoted = [name.replace('"', '""') for name in HEADER]
    columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(quoted, kinds, strict=True))
    cells = [[None if cell == "" else cell for cell in row] for row in rows]
    for connection in (duckdb.connect(), sqlite3.connect(":memory:")):
        connection.execute(f'CREATE TABLE "the ""rows""" (place INTEGER, {columns})')
        marks = ", ".join("?" * (len(HEADER) + 1))
        insert = f'INSERT INTO "the ""rows""" VALUES ({marks})'
        connection.executemany(insert, [[i, *row] for i, row in enumerate(cells)])
        found = connection.execute(
            f'SELECT "onlinear_label", "onlinear_score" FROM ({query}) AS scored ORDER BY place'
        ).fetchall()
        assert [label for label, _ in found] == labels
        close(scores, [score for _, score in found])


def test_more_than_two_classes_in_sql(tmp_path, program, three_classes):
    X, y = three_classes
    text = "\n".join(
        ["a,b,c,d,e,f,label", *(",".join([*map(repr, row), "xyz'"[k]]) for row, k in zip(X.tolist(), y, strict=True))]
    )
    (tmp_path / "three.csv").write_text(text + "\n")
    for spec in ("averaged", "perceptron:kernel=polynomial"):
        program("learn", spec, tmp_path / "three.csv", "--label", "label", "--model", tmp_path / "m", "--quiet")
        told = program("predict", tmp_path / "m", tmp_path / "three.csv", "--json", "--quiet").splitlines()
        told = [json.loads(line) for line in told]
        query = program("export", tmp_path / "m", "--to", "sql")
        data = [[i, *row] for i, row in enumerate(X.tolist())]
        for connection in (duckdb.connect(), sqlite3.connect(":memory:")):
            connection.execute(
                "CREATE TABLE data (place INTEGER, a DOUBLE, b DOUBLE, c DOUBLE, d DOUBLE, e DOUBLE, f DOUBLE)"
            )
            connection.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?, ?, ?)", data)
            rows = connection.execute(f"SELECT * FROM ({query}) AS scored ORDER BY place")
            names = [column[0] for column in rows.description]
            for row, found in zip(
                told, (dict(zip(names, values, strict=True)) for values in rows.fetchall()), strict=True
            ):
                assert found["onlinear_label"] == row["label"]
                close(list(row["scores"].values()), [found[f"onlinear_score_{name}"] for name in row["scores"]])


def test_a_frame_as_onnx(churn):
    pandas = pytest.importorskip("pandas")
    _, rows = churn
    frame = pandas.DataFrame(rows, columns=HEADER).replace({"": None})
    frame["months"], frame["total"] = frame["months"].astype(float), frame["total"].astype(float)
    y = frame.pop("churn")
    model = onlinear.AveragedPerceptron().fit(frame, y)
    inputs = {
        name: frame[[name]].to_numpy(float) if frame[name].dtype == float else frame[[name]].fillna("").to_numpy(object)
        for name in frame
    }
    running = session(model.to_onnx())
    label, scores = running.run(None, {given.name: inputs[given.name] for given in running.get_inputs()})
    assert np.array_equal(label, model.predict(frame))
    close(model.decision_function(frame), scores)


# -- JSON -----------------------------------------------------------------------------------------------------------


def kernel_values(kernel, x, row):
    z = np.zeros_like(x)
    z[row["places"]] = row["values"]

    def plain(a, b, formula=kernel["formula"]):
        if isinstance(formula, (int, float)):
            return formula
        if isinstance(formula, str):
            return {"product": a @ b, "distance": (a - b) @ (a - b)}[formula]
        parts = [plain(a, b, part) for part in formula[1:]]
        return {"+": np.add, "*": np.multiply, "^": np.power, "exp": np.exp}[formula[0]](*parts)

    if not kernel["cosine"]:
        return plain(x, z)
    length = np.sqrt(plain(x, x)) * np.sqrt(plain(z, z))
    return plain(x, z) / length if length else 0.0


def by_json(model, x):
    """Compute the scores of a row as docs/export.md says."""
    for stage in model["stages"]:
        kind = stage["kind"]
        if kind == "scale":
            x = (x - stage["center"]) * np.array(stage["factor"])
        elif kind == "length":
            norm = (np.abs(x) ** stage["p"]).sum() ** (1 / stage["p"])
            x = x / norm if norm > 0 else x
        elif kind == "landmarks":
            z = np.array([kernel_values(stage["kernel"], x, row) for row in stage["rows"]])
            for i, row in enumerate(stage["factor"]):
                z[i] = (z[i] - np.dot(row[:-1], z[:i])) / row[-1]
            x = z
        elif kind == "waves":
            angles = np.array(stage["directions"]) @ x
            x = np.concatenate([np.cos(angles), np.sin(angles)]) / np.sqrt(len(angles))
        elif kind == "constant":
            x = np.concatenate([[stage["value"]], x])
        else:
            x = np.where(np.isnan(x), stage["values"], x)
    scores = model["scores"]
    if scores["kind"] == "kernel":
        values = [kernel_values(scores["kernel"], x, row) for row in scores["rows"]]
        return np.array(scores["coefficients"]) @ values
    if scores["kind"] == "votes":
        return [np.dot(np.where(np.array(each["weights"]) @ x >= 0, 1, -1), each["votes"]) for each in scores["each"]]
    found = []
    for each in scores["each"]:
        score = np.dot(each["weights"], x)
        if each["late"] is not None:
            score -= np.dot(each["late"], x) / each["trials"]
        norm = 1.0 if each["over_norm"] is None else (np.abs(x) ** each["over_norm"]).sum() ** (1 / each["over_norm"])
        found.append(each["scale"] * score / norm if norm else 0.0)
    return found


@pytest.mark.parametrize(
    "spec",
    [
        ["averaged", "--scale", "standard", "--normalize", "l2", "--bias"],
        ["alma:p=3"],
        ["romma"],
        ["adaboost:rounds=4,base=pocket,base.epochs=3"],
        ["perceptron:kernel=polynomial,cosine=true"],
        ["arow", "--map", "nystrom:landmarks=20,kernel=gaussian,sigma2=4"],
        ["averaged", "--map", "fourier:dimension=20,sigma2=4"],
    ],
    ids=" ".join,
)
def test_json_says_all(spec, tmp_path, program, three_classes):
    X, y = three_classes
    X = X[:60]
    lines = (
        f"{k} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
        for row, k in zip(X.tolist(), y[:60], strict=True)
    )
    (tmp_path / "three.svm").write_text("\n".join(lines) + "\n")
    program("learn", spec[0], tmp_path / "three.svm", "--model", tmp_path / "m", "--quiet", *spec[1:])
    model = json.loads(program("export", tmp_path / "m", "--to", "json"))
    told = program("predict", tmp_path / "m", tmp_path / "three.svm", "--json", "--quiet").splitlines()
    for x, line in zip(X, told, strict=True):
        row, scores = json.loads(line), by_json(model, x)
        close([row["scores"][label] for label in model["labels"]], scores)
        assert row["label"] == model["labels"][int(np.argmax(scores))]


def test_what_the_program_refuses_is_refused_here(tmp_path, program, three_classes):
    model = onlinear.VotedPerceptron(n_iter=1).fit(*three_classes)
    model.save(tmp_path / "m")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        program("export", tmp_path / "m", "--to", "onnx")
    assert "averaged is nearly as good, and can be" in refused.value.stderr
    assert refused.value.stdout == ""
