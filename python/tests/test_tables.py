"""Data frames: the same columns, rows and models as the program has of the same table in a file."""

import datetime
import os
import pathlib
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import onlinear
from onlinear import AROW, AveragedPerceptron, LinearSVM, PassiveAggressive, TableEncoder

ROWS = 400


def mixed(rows=ROWS, seed=0):
    """Make a table with a column of every kind, and cells without a value."""
    random = np.random.default_rng(seed)
    city = random.choice(["Rome", "Oslo", "Bern"], rows).astype(object)
    age = random.integers(18, 80, rows).astype(float)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 1500, rows), unit="D")
    score = age / 10 + 3 * (city == "Oslo") + random.normal(size=rows)
    frame = pd.DataFrame(
        {
            "number": np.arange(rows),
            "age": age,
            "fee": random.normal(size=rows).round(3),
            "city": city,
            "member": random.random(rows) < 0.5,
            "since": day,
            "plan": pd.Categorical(random.choice(["a", "b"], rows)),
            "y": np.where(score > 6, "yes", "no"),
        }
    )
    frame.loc[::7, "fee"] = np.nan
    frame.loc[::11, "city"] = None
    return frame


def halves(frame):
    return frame.drop(columns="y"), frame["y"]


def printed(text):
    """Give the scores that `predict --scores` printed."""
    return np.array([float(line.split("\t")[1]) for line in text.splitlines()])


def real_table(name):
    folder = pathlib.Path(os.environ.get("ONLINEAR_DATA", "")) / "tables"
    if not os.environ.get("ONLINEAR_DATA") or not (folder / name).exists():
        pytest.skip(f"ONLINEAR_DATA has no tables/{name}")
    return folder / name


def telco():
    return pd.read_csv(real_table("telco-churn.csv.gz")), "Churn"


def adult():
    frame = pd.read_csv(real_table("adult-train.csv.gz"), header=None, skipinitialspace=True)
    return frame.rename(columns="column {}".format), "column 14"


@pytest.mark.parametrize("spec", ["averaged", "passive-aggressive", "arow", "perceptron", "svm"])
def test_the_same_table_gives_the_same_model_here_and_in_the_program(spec, program, tmp_path):
    frame = mixed()
    frame.to_csv(tmp_path / "data.csv", index=False)
    program("learn", spec, tmp_path / "data.csv", "--label", "y", "--model", tmp_path / "model")
    here = onlinear.from_spec(spec).fit(*halves(frame))
    assert here.to_bytes() == (tmp_path / "model").read_bytes()
    named = onlinear.from_spec(spec).fit(frame, "y")
    assert named.to_bytes() == here.to_bytes()


def test_blanks_around_labels_are_no_part_of_them():
    frame, labels = halves(mixed())
    plain = AROW().fit(frame, labels)
    model = AROW().fit(frame, " " + labels)
    assert model.to_bytes() == plain.to_bytes()
    assert model.classes_.tolist() == [" no", " yes"]
    assert model.predict_frame(frame).tolist() == (" " + pd.Series(plain.predict_frame(frame))).tolist()
    assert pickle.loads(pickle.dumps(model)).predict(frame).tolist() == model.predict(frame).tolist()
    assert set(onlinear.metrics(model, frame, " " + labels)["classes"]) == {" no", " yes"}
    stream = AROW().partial_fit(frame, " " + labels, classes=[" no", " yes"])
    assert stream.classes_.tolist() == [" no", " yes"]
    with pytest.raises(ValueError, match="'no' differ in the blanks around them alone; strip them"):
        AROW().fit(frame, labels.where(frame["age"] > 40, " no"))


def test_columns_called_by_numbers_are_those_of_a_file_without_names(program, tmp_path):
    frame = mixed()[["y", "age", "city", "fee"]]
    frame.to_csv(tmp_path / "data.csv", index=False, header=False)
    for first in (0, 1):
        numbered = frame.set_axis(range(first, first + 4), axis=1)
        model = AROW().fit(numbered.drop(columns=first), numbered[first])
        model.save(tmp_path / "model")
        told = program("predict", tmp_path / "model", tmp_path / "data.csv", "--header", "no", "--scores")
        assert np.array_equal(printed(told), model.decision_function_frame(numbered))


@pytest.mark.parametrize("table", [telco, adult])
def test_real_tables_go_both_ways(table, program, tmp_path):
    frame, label = table()
    frame.to_csv(tmp_path / "data.csv", index=False)
    program("learn", "averaged", tmp_path / "data.csv", "--label", label, "--model", tmp_path / "model")
    X, y = frame.drop(columns=label), frame[label]
    here = AveragedPerceptron().fit(X, y)
    assert here.to_bytes() == (tmp_path / "model").read_bytes()
    here.save(tmp_path / "here")
    scores = printed(program("predict", tmp_path / "here", tmp_path / "data.csv", "--scores"))
    there = onlinear.load(tmp_path / "model")
    assert np.array_equal(there.decision_function_frame(frame), scores)
    assert np.array_equal(there.decision_function(X), scores)
    rows, labels = onlinear.read(tmp_path / "data.csv", like=there)
    assert np.array_equal(there.decision_function(rows), scores)
    assert labels.tolist() == y.tolist()
    assert there.feature_names_in_.tolist() == X.columns.tolist()


def test_what_is_asked_for_is_kept(program, tmp_path):
    frame = mixed()
    frame.to_csv(tmp_path / "data.csv", index=False)
    flags = ["--passes", 3, "--scale", "standard", "--bias", "none", "--shuffle", 7]
    program("learn", "averaged", tmp_path / "data.csv", "--label", "y", *flags, "--model", tmp_path / "model")
    model = AveragedPerceptron(n_iter=3, scale="standard", fit_intercept=False, random_state=7).fit(*halves(frame))
    assert model.to_bytes() == (tmp_path / "model").read_bytes()


def test_sample_weights_are_a_column_of_the_program(program, tmp_path):
    frame = mixed()
    weights = np.random.default_rng(1).integers(1, 4, ROWS).astype(float)
    frame.assign(sample_weight=weights).to_csv(tmp_path / "data.csv", index=False)
    flags = ["--label", "y", "--weight", "sample_weight"]
    program("learn", "averaged", tmp_path / "data.csv", *flags, "--model", tmp_path / "model")
    for model in (AveragedPerceptron().fit(*halves(frame), weights), AveragedPerceptron().fit(frame, "y", weights)):
        assert model.to_bytes() == (tmp_path / "model").read_bytes()


def test_columns_by_name_in_any_order_and_others_besides():
    frame = mixed()
    X, y = halves(frame)
    model = AveragedPerceptron().fit(X, y)
    scores = model.decision_function(X)
    assert np.array_equal(model.decision_function_frame(frame[frame.columns[::-1]]), scores)
    assert np.array_equal(model.predict_frame(frame), model.predict(X))
    assert model.score(X, y) > 0.8
    for wrong, why in ((X[X.columns[::-1]], "same order"), (frame, "unseen at fit time"), (X[["age"]], "now missing")):
        with pytest.raises(ValueError, match=f"feature names should match(.|\n)*{why}"):
            model.predict(wrong)
    with pytest.raises(ValueError, match="has no column 'age'"):
        model.predict_frame(X.drop(columns="age"))
    with pytest.raises(TypeError, match="no data frame"):
        model.predict_frame([[1.0]])


def test_names_and_columns_are_saved():
    X, y = halves(mixed())
    model = AveragedPerceptron().fit(X, y)
    for again in (onlinear.AveragedPerceptron.from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model))):
        assert again.feature_names_in_.tolist() == X.columns.tolist()
        assert again.n_features_in_ == X.shape[1]
        assert np.array_equal(again.decision_function(X), model.decision_function(X))
        assert again.about_["names"] == model.about_["names"]
    kinds = dict(model.about_["columns"])
    assert kinds["number"] == "id" and kinds["age"] == "number" and kinds["city"] == "category"
    assert kinds["member"] == "boolean" and kinds["since"] == "date" and kinds["plan"] == "category"
    assert kinds["y"] == "label"


def test_a_table_is_read_like_that_of_a_model(tmp_path):
    frame = mixed()
    frame.to_csv(tmp_path / "train.csv", index=False)
    model = AveragedPerceptron().fit(*halves(frame))
    test = mixed(50, seed=1)
    test.loc[3, "city"] = "Nowhere"
    test.to_csv(tmp_path / "test.csv", index=False)
    X, y = onlinear.read(tmp_path / "test.csv", like=model)
    assert X.shape == (50, model.coef_.shape[1])
    assert np.array_equal(model.decision_function(X), model.decision_function_frame(test))
    assert y.tolist() == test["y"].tolist()
    with pytest.raises(ValueError, match="has learned"):
        onlinear.read(tmp_path / "test.csv", like=AROW())


def test_numbered_columns_of_numbers_are_an_array(two_classes):
    X, y = two_classes
    frame = AveragedPerceptron().fit(pd.DataFrame(X), y)
    assert np.array_equal(frame.coef_, AveragedPerceptron().fit(X, y).coef_)
    with pytest.raises(ValueError, match="not learned from a table"):
        frame.predict_frame(pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]))


def test_streams_of_tables_are_those_of_the_program(program, tmp_path):
    frame = mixed().drop(columns=["since"])
    X, y = halves(frame)
    parts = PassiveAggressive(fit_intercept=False)
    for start in range(0, ROWS, 100):
        parts.partial_fit(X[start : start + 100], y[start : start + 100], classes=["no", "yes"])
    whole = PassiveAggressive(fit_intercept=False).partial_fit(X[:100], y[:100], classes=["no", "yes"])
    assert not np.array_equal(parts.coef_, whole.coef_)
    assert parts.passes_[:, 0].sum() == ROWS and parts.about_["stages"] == ["impute-running"]
    with pytest.raises(ValueError, match="feature names should match"):
        parts.partial_fit(X[["age"]], y)
    scores = parts.decision_function(X)
    parts.save(tmp_path / "model")
    frame.to_csv(tmp_path / "data.csv", index=False)
    assert np.array_equal(printed(program("predict", tmp_path / "model", tmp_path / "data.csv", "--scores")), scores)


def test_an_encoder_in_a_pipeline():
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    frame = mixed()
    X, y = halves(frame)
    encoder = TableEncoder()
    rows = encoder.fit_transform(X)
    names = encoder.get_feature_names_out().tolist()
    assert rows.shape == (ROWS, len(names)) and {"age", "city=Rome", "city=?", "fee=?", "since:year"} <= set(names)
    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    fee = dense[:, names.index("fee")]
    assert np.isfinite(dense).all() and np.allclose(fee[X["fee"].isna()], X["fee"].mean())
    assert encoder.kinds_["number"] == "id"
    again = pickle.loads(pickle.dumps(encoder)).transform(X)
    assert (again != rows).sum() == 0
    pipeline = make_pipeline(clone(encoder), MaxAbsScaler(), LogisticRegression())
    assert pipeline.fit(X, y).score(X, y) > 0.8
    only = TableEncoder(only=["age", "plan"], kinds={"age": "category"}, sparse=False).fit(X)
    assert {name.partition("=")[0] for name in only.get_feature_names_out()} == {"age", "plan"}
    with pytest.raises(ValueError, match="missing must be"):
        TableEncoder(missing="guess").fit(X)
    with pytest.raises(TypeError, match="data frames"):
        encoder.transform(np.ones((2, 2)))


def frames(frame):
    """Give a frame in every library that is installed."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    yield table
    yield pl.from_arrow(table)
    yield pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=64))


def test_frames_of_every_library_give_one_model():
    frame = mixed()
    expected = AveragedPerceptron().fit(frame, "y")
    for other in frames(frame):
        assert AveragedPerceptron().fit(other, "y").to_bytes() == expected.to_bytes(), type(other)
    for other in frames(frame):
        assert np.array_equal(expected.decision_function_frame(other), expected.decision_function_frame(frame))


def test_types_of_arrow():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    dates = [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)]
    times = [datetime.datetime(2024, 2, 29, 13, 5), None, datetime.datetime(1969, 12, 31)]
    columns = {
        "i8": pa.array([1, None, -3], pa.int8()),
        "u64": pa.array([1, None, 3], pa.uint64()),
        "f16": pa.array(np.array([0.5, -2, 1024], np.float16)),
        "f32": pa.array([0.5, None, 3], pa.float32()),
        "dec": pa.array([1, None, 3], pa.decimal128(10, 2)),
        "bit": pa.array([True, None, False]),
        "txt": pa.array(["short", None, "a text of more than twelve bytes"]),
        "big": pa.array(["short", None, "x"], pa.large_string()),
        "view": pa.array(["short", None, "a text of more than twelve bytes"], pa.string_view()),
        "dict": pa.array(["a", None, "b"]).dictionary_encode(),
        "none": pa.nulls(3),
        "date": pa.array(dates),
        "time": pa.array(times, pa.timestamp("us")),
    }
    table = pa.table(columns)
    same = pd.DataFrame(
        {
            **{name: columns[name].to_pandas() for name in ("i8", "u64", "f16", "f32", "txt", "big", "view", "dict")},
            "dec": [1.0, np.nan, 3.0],
            "bit": ["True", None, "False"],
            "none": [None] * 3,
            "date": ["2024-02-29", None, "1969-12-31"],
            "time": ["2024-02-29 13:05:00", None, "1969-12-31"],
        }
    )[table.column_names]
    encoder = TableEncoder(sparse=False).fit(same)
    assert np.array_equal(encoder.transform(table), encoder.transform(same))
    assert np.array_equal(encoder.transform(table.slice(1)), encoder.transform(same)[1:])
    with pytest.raises(TypeError, match=r"column 'list'.*cast it"):
        TableEncoder().fit(pa.table({"list": [[1], [2]]}))


def test_a_lazy_frame_is_to_be_collected():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(TypeError, match=r"\.collect\(\)"):
        AveragedPerceptron().fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])


def test_a_relation_is_learned_as_a_stream():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    connection = duckdb.connect()
    query = "select i % 7 as a, i % 3 as b, case when i % 7 > 3 then 'yes' else 'no' end as y from range(20000) t(i)"
    streamed = PassiveAggressive().partial_fit(connection.sql(query), "y", classes=["no", "yes"])
    assert streamed.passes_[:, 0].sum() == 20000
    with pytest.raises(ValueError, match="does not go with a stream"):
        streamed.partial_fit(connection.sql(query), "y", sample_weight=np.ones(20000))
    fitted = LinearSVM().fit(connection.sql(query), "y")
    assert fitted.score(connection.sql(query).df()[["a", "b"]], connection.sql(query).df()["y"]) > 0.99


def test_what_tables_do_not_have():
    X, y = halves(mixed())
    with pytest.raises(ValueError, match="'target', which the table does not have"):
        AveragedPerceptron().fit(X, "target")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        AveragedPerceptron().fit(X, y[:-1])
    with pytest.raises(ValueError, match="greater than one"):
        AveragedPerceptron().fit(X, ["a"] * len(X))
    with pytest.raises(TypeError, match="time spans"):
        AveragedPerceptron().fit(pd.DataFrame({"a": pd.to_timedelta([1, 2], unit="D")}), [0, 1])
    with pytest.raises(ValueError, match="learned from arrays"):
        PassiveAggressive().fit([[1.0], [2.0]], [0, 1]).partial_fit(X, y)


def test_columns_are_what_they_are_said_to_be(program, tmp_path):
    frame = mixed().drop(columns=["since"])
    frame["number"] = np.arange(len(frame)) % 4
    frame.to_csv(tmp_path / "data.csv", index=False)
    said = ["--column", "number:category", "--ignore", "fee", "--interact", "city,plan"]
    program("learn", "averaged", tmp_path / "data.csv", "--label", "y", "--model", tmp_path / "model", *said)
    params = {"kinds": {"number": "category"}, "ignore": ["fee"], "interact": [("city", "plan")]}
    model = AveragedPerceptron(**params).fit(frame, "y")
    assert model.to_bytes() == (tmp_path / "model").read_bytes()
    names = TableEncoder(**params).fit(frame.drop(columns="y")).get_feature_names_out()
    assert {"number=1", "city=Rome*plan=a"} <= set(names) and "fee" not in names
    part = AveragedPerceptron(**params).partial_fit(frame, "y", classes=["no", "yes"])
    assert dict(part.about_["columns"])["number"] == "category"
    for wrong in ({"ignore": "fee"}, {"interact": [("city",)]}, {"kinds": {"number": "colour"}}):
        with pytest.raises(ValueError):
            AveragedPerceptron(**wrong).fit(frame, "y")


def test_passes_and_epochs_are_told_of(capsys, two_classes):
    AveragedPerceptron(n_iter=3, verbose=True).fit(*two_classes)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["pass 1", "pass 2", "pass 3"]
    assert re.fullmatch(r"pass 1: \d+ mistakes and \d+ updates in 300 trials", lines[0])
    onlinear.Pocket(epochs=2, verbose=1).fit(*two_classes)
    assert "epoch 2: " in capsys.readouterr().out
    AveragedPerceptron().fit(*two_classes)
    assert capsys.readouterr().out == ""
