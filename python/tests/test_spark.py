"""Spark as the engine, on a small cluster of its own: two executors, each a process with one core."""

import gzip
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import onlinear

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
if shutil.which("java") is None:
    pytest.skip("there is no Java on this machine", allow_module_level=True)

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ["PYSPARK_PYTHON"] = sys.executable  # the executors have what this Python has

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.evaluation import MulticlassClassificationEvaluator  # noqa: E402
from pyspark.ml.feature import StandardScaler, VectorAssembler  # noqa: E402
from pyspark.ml.functions import vector_to_array  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

from onlinear import distributed, spark  # noqa: E402


@pytest.fixture(scope="module")
def session():
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.task.maxFailures", "8")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows():
    return onlinear.datasets.make_two_gaussians(400, random_state=5)


@pytest.fixture(scope="module")
def frame(session, rows):
    values = [(Vectors.dense(x), float(label), 1.0) for x, label in zip(*rows, strict=True)]
    return session.createDataFrame(values, ["features", "label", "w"]).repartition(3, "features").cache()


def parts_of(frame):
    """The partitions as they are."""
    found = frame.rdd.glom().collect()
    width = len(frame.head()["features"])
    rows_of = lambda part: np.array([row["features"].toArray() for row in part]).reshape(-1, width)  # noqa: E731
    return [(rows_of(part), np.array([row["label"] for row in part])) for part in found]


def test_it_is_distributed_fit_to_the_bit(frame, rows):
    # A partition of each class too: it learns little, but what it is meant to.
    for data, least in [(frame, 0.8), (frame.repartitionByRange(2, "label").cache(), 0.0)]:
        parts, options = parts_of(data), {"rounds": 2, "classes": [-1.0, 1.0]}
        model = spark.SparkAveragedPerceptron(maxIter=2).fit(data)
        expected = distributed.fit(parts, onlinear.AveragedPerceptron(), merges_per_round=1, **options)
        assert model.native.to_bytes() == expected.to_bytes() and type(model.native) is onlinear.AveragedPerceptron
        assert model.native.passes_[:, 0].sum() == 800 and model.native.score(*rows) > least
        merged_often = spark.SparkAveragedPerceptron(maxIter=2, mergesPerRound=3, mean="all").fit(data)
        expected = distributed.fit(parts, onlinear.AveragedPerceptron(), merges_per_round=3, mean="all", **options)
        assert merged_often.native.to_bytes() == expected.to_bytes() != model.native.to_bytes()
    # What `distributed.fit` does unless it is told otherwise.
    merged_often = spark.SparkAveragedPerceptron(maxIter=2, mergesPerRound=16).fit(frame)
    expected = distributed.fit(parts_of(frame), onlinear.AveragedPerceptron(), **options)
    assert merged_often.native.to_bytes() == expected.to_bytes()


def test_features_of_all_kinds_are_the_same(frame, session):
    fit = spark.SparkAROW(maxIter=2, mergesPerRound=2).fit
    dense = fit(frame).native.to_bytes()
    thinned = frame.rdd.map(lambda row: (Vectors.sparse(len(row[0]), list(enumerate(row[0].toArray()))), row[1]))
    sparse = session.createDataFrame(thinned, ["features", "label"])
    arrays = frame.withColumn("features", vector_to_array("features"))
    assert fit(sparse).native.to_bytes() == dense == fit(arrays).native.to_bytes()
    names = [f"x{i}" for i in range(len(frame.head()["features"]))]
    columns = arrays.select(*[F.col("features")[i].alias(name) for i, name in enumerate(names)], "label")
    model = spark.SparkAROW(maxIter=2, mergesPerRound=2, featuresCol=names).fit(columns)
    assert model.native.to_bytes() == dense
    assert model.transform(columns).where("prediction = label").count() > 300


def test_transform_save_load_and_pipelines(frame, rows, tmp_path):
    model = spark.SparkAROW(maxIter=2, calibrate=200, weightCol="w").fit(frame)
    told = model.transform(frame).toPandas()
    X = np.array([x.toArray() for x in told["features"]])
    np.testing.assert_array_equal(told["prediction"], model.native.predict(X))
    np.testing.assert_array_equal([raw[1] for raw in told["rawPrediction"]], model.native.decision_function(X))
    np.testing.assert_array_equal([p.toArray() for p in told["probability"]], model.native.predict_proba(X))
    model.write().overwrite().save(str(tmp_path / "model"))
    again = spark.SparkLearnerModel.load(str(tmp_path / "model"))
    assert again.native.to_bytes() == model.native.to_bytes() == (tmp_path / "model" / "model.onlinear").read_bytes()
    assert onlinear.load(tmp_path / "model" / "model.onlinear").score(*rows) > 0.8
    estimator = spark.SparkAROW(regularization=0.5, labelCol="other")
    estimator.save(str(tmp_path / "estimator"))
    loaded = spark.SparkAROW.load(str(tmp_path / "estimator"))
    assert loaded.getOrDefault("regularization") == 0.5 and loaded.getLabelCol() == "other"
    names = ["a", "b"]
    values = vector_to_array("features")
    table = frame.select("label", *[values[i].alias(name) for i, name in enumerate(names)])
    assembler = VectorAssembler(inputCols=names, outputCol="features")
    pipeline = Pipeline(stages=[assembler, spark.SparkPerceptron(maxIter=2)])
    fitted = pipeline.fit(table)
    fitted.save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    told = [model.transform(table).select("prediction").collect() for model in (fitted, loaded)]
    assert told[0] == told[1]


# Spark's own pool of threads is left to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_cross_validation_over_two_specs(frame):
    learner = spark.SparkPassiveAggressive(maxIter=2)
    grid = ParamGridBuilder().addGrid(learner.aggressiveness, [0.01, 1.0]).build()
    evaluator = MulticlassClassificationEvaluator(metricName="accuracy")
    validator = CrossValidator(estimator=learner, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1)
    found = validator.fit(frame)
    assert len(found.avgMetrics) == 2 and min(found.avgMetrics) > 0.6
    assert found.bestModel.native.aggressiveness in (0.01, 1.0)


def test_texts_as_labels_and_an_empty_partition(session, rows):
    X, y = rows
    values = [(x.tolist(), "yes" if label > 0 else "no") for x, label in zip(X, y, strict=True)]
    frame = session.createDataFrame(values, "features array<double>, label string").repartition(40)
    model = spark.SparkAveragedPerceptron(maxIter=2, numWorkers=3).fit(frame)
    assert model.native.classes_.tolist() == ["no", "yes"]
    assert model.transform(frame).where("prediction = label").count() > 300
    few = spark.SparkAveragedPerceptron(maxIter=2, mergesPerRound=2).fit(
        frame.limit(6).union(frame.limit(0)).repartition(30)
    )
    assert few.native.passes_[:, 0].sum() == 12


def test_columns_of_any_name_and_parameters_that_are_none(frame):
    estimator = spark.SparkAveragedPerceptron(maxIter=1, numWorkers=None, weightCol=None, checkpointDir=None)
    plain = spark.SparkAveragedPerceptron(maxIter=1).fit(frame)
    assert estimator.fit(frame).native.to_bytes() == plain.native.to_bytes()
    named = frame.withColumn("a.b", F.lit(7))
    told = plain.transform(named)
    assert told.columns == [*named.columns, "prediction", "rawPrediction"] and told.head()["a.b"] == 7
    with pytest.raises(ValueError, match="numWorkers must be at least 1, not 0"):
        spark.SparkAROW(numWorkers=0).fit(frame)
    with pytest.raises(TypeError, match="no parameter 'nothing'"):
        estimator.setParams(nothing=1)
    dotted = frame.withColumnsRenamed({"features": "x.y", "label": "of`it", "w": "w.w"})
    names = {"featuresCol": "x.y", "labelCol": "of`it", "weightCol": "w.w"}
    other = spark.SparkAveragedPerceptron(maxIter=1, **names).fit(dotted)
    assert other.native.to_bytes() == plain.native.to_bytes()
    assert (
        other.transform(dotted).select("prediction").collect() == plain.transform(frame).select("prediction").collect()
    )


def test_what_is_missing_in_a_row_is_refused_before_anything_is_learned(frame, monkeypatch):
    monkeypatch.setattr(spark._learner, "rounds_over", None)
    only = lambda name: F.when(F.col("label") > 0, F.col(name))  # noqa: E731
    arrays = frame.withColumn("features", F.array(only("w"), F.lit(1.0)))
    columns = frame.withColumn("a", only("w"))
    for estimator, data, message in [
        (spark.SparkAROW(), frame.withColumn("features", only("features")), "'features': a row has no features: null"),
        (spark.SparkAROW(), arrays, "'features': a row has no features: null"),
        (spark.SparkAROW(featuresCol=["w", "a"]), columns, "a row has no features: null"),
        (spark.SparkAROW(weightCol="a"), columns, "weightCol='a': a row has no weight: null"),
        (spark.SparkAROW(featuresCol=[]), frame, "featuresCol names no column"),
        (spark.SparkLinearSVM(), frame, "scale the rows beforehand, and learn with scale=None"),
        (spark.SparkAROW(scale="standard"), frame, "standard goes by the rows that it reads"),
        (spark.SparkPerceptron(kernel="gaussian", sigma2="auto"), frame, "sigma2=auto goes by the first rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.fit(data)


def test_vectors_read_from_parquet_are_predicted_and_counted(session, frame, tmp_path):
    frame.withColumnRenamed("features", "vector").write.parquet(str(tmp_path / "vectors"))
    vectors = session.read.parquet(str(tmp_path / "vectors"))
    scaler = StandardScaler(inputCol="vector", outputCol="scaled")
    for stages in [
        [spark.SparkAROW(maxIter=1, featuresCol="vector")],
        [scaler, spark.SparkAROW(maxIter=1, featuresCol="scaled")],
    ]:
        model = Pipeline(stages=stages).fit(vectors)
        counted = model.transform(vectors).groupBy("prediction").count().collect()
        told = model.transform(vectors).toPandas()["prediction"]
        assert {row["prediction"]: row["count"] for row in counted} == told.value_counts().to_dict()


def test_texts_that_look_like_numbers_are_texts_when_a_model_is_loaded(frame, tmp_path):
    texts = frame.withColumn("label", F.when(F.col("label") > 0, "1").otherwise("0"))
    model = spark.SparkAveragedPerceptron(maxIter=1).fit(texts)
    model.save(str(tmp_path / "model"))
    again = spark.SparkLearnerModel.load(str(tmp_path / "model"))
    assert again.native.classes_.tolist() == ["0", "1"]
    told = [one.transform(texts).select("prediction") for one in (model, again)]
    assert told[0].schema == told[1].schema and told[0].collect() == told[1].collect()


def test_grids_and_one_learner_for_each_class_over_executors(session, rows):
    """The recipes of docs/distributed.md: each task has all rows, and nothing is merged."""
    context = session.sparkContext
    X, y = rows
    given = context.broadcast((X, y))

    def score(c):
        from sklearn.model_selection import cross_val_score

        return c, cross_val_score(onlinear.PassiveAggressive(aggressiveness=c), *given.value).mean()

    found = dict(context.parallelize([0.01, 1.0], 2).map(score).collect())
    assert list(found.items()) == [score(c) for c in (0.01, 1.0)] and min(found.values()) > 0.7
    # More than two classes: the quarters of the plane.
    labels = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    given = context.broadcast((X, labels))

    def against_rest(label):
        X, y = given.value
        return onlinear.AROW().fit(X, y == label)

    models = context.parallelize(range(4), 4).map(against_rest).collect()
    scores = np.column_stack([model.decision_function(X) for model in models])
    np.testing.assert_allclose(scores, onlinear.AROW().fit(X, labels).decision_function(X), rtol=1e-12)


def executors(session):
    """The processes of the executors: the parents of the parents of what runs Python tasks."""
    daemons = session.sparkContext.parallelize(range(8), 8).map(lambda _: os.getppid()).distinct().collect()
    return sorted({int(Path(f"/proc/{daemon}/stat").read_text().split()[3]) for daemon in daemons})


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc to find the executors in")
def test_an_executor_killed_in_mid_round_leaves_the_same_bits(session, rows, tmp_path):
    values = [(x.tolist(), float(label)) for x, label in zip(*rows, strict=True)]
    slow = str(tmp_path / "slow")

    @F.udf("array<double>")
    def waits(values):
        if os.path.exists(slow):
            time.sleep(0.02)
        return values

    frame = session.createDataFrame(values, "features array<double>, label double")
    source = frame.withColumn("features", waits("features"))
    learner = spark.SparkAveragedPerceptron(maxIter=2, numWorkers=4, mergesPerRound=2)
    expected = learner.fit(source).native.to_bytes()
    Path(slow).touch()
    victim = executors(session)[0]
    killer = threading.Timer(3.0, os.kill, [victim, signal.SIGKILL])
    killer.start()
    after = learner.fit(source).native.to_bytes()
    killer.join()
    assert after == expected and victim not in executors(session)


def test_files_are_read_by_the_workers(session, tmp_path):
    X, y = onlinear.datasets.make_two_gaussians(500, random_state=6)
    texts = [" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist())) for x in X]
    lines = [f"{int(label)} {text}" for text, label in zip(texts, y, strict=True)]
    file = tmp_path / "rows.svm"
    file.write_text("\n".join(lines))
    options = {"classes": [-1, 1], "n_features": X.shape[1], "session": session}
    model = spark.fit_files(file, onlinear.AveragedPerceptron(), 3, bytes_per_part=5000, **options)
    assert model.passes_[:, 0].sum() == 1500 and model.score(X, y) > 0.8
    often = spark.fit_files(file, onlinear.AveragedPerceptron(), 3, bytes_per_part=5000, merges_per_round=3, **options)
    assert often.passes_[:, 0].sum() == 1500 and often.to_bytes() != model.to_bytes()
    with pytest.raises(ValueError, match="n_features"):
        spark.fit_files(file, onlinear.AveragedPerceptron(), classes=[-1, 1])
    packed = tmp_path / "rows.svm.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    whole = spark.fit_files(packed, onlinear.AveragedPerceptron(), 3, bytes_per_part=5000, **options)
    alone = distributed.fit([(X, y.astype(int))], onlinear.AveragedPerceptron(), 3, merges_per_round=1)
    np.testing.assert_array_equal(whole.decision_function(X), alone.decision_function(X))
    for name, text, message in [
        ("rows.csv", "a,b\n", "know its columns"),
        ("rows.tsv.gz", "a,b\n", "know its columns"),
        ("bad.svm", "1 1:x\n", "bytes 0 to 6: there"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(Exception, match=message):
            spark.fit_files(tmp_path / name, onlinear.AveragedPerceptron(), 1, **options)
    blank = tmp_path / "blank.svm"
    blank.write_text("\n".join(lines) + 12_000 * "\n")
    spaced = spark.fit_files(blank, onlinear.AveragedPerceptron(), 1, bytes_per_part=5000, **options)
    assert spaced.passes_[:, 0].sum() == 500
    wide = tmp_path / "wide.svm"
    wide.write_bytes(file.read_text().encode("utf-16"))
    encoded = spark.fit_files(wide, onlinear.AveragedPerceptron(), 3, bytes_per_part=5000, **options)
    assert encoded.to_bytes() == whole.to_bytes()
    for asked in ({"nfeatures": 2}, {"return_weight": True}, {"features": "x"}):
        with pytest.raises(TypeError, match=f"there is no option '{next(iter(asked))}' for it; there are alias, "):
            spark.fit_files(file, onlinear.AveragedPerceptron(), 1, **options, **asked)
    with pytest.raises(ValueError, match="is a folder"):
        spark.fit_files(tmp_path, onlinear.AveragedPerceptron(), 1, **options)


def test_row_groups_of_parquet_are_read_by_the_workers(session, frame, tmp_path):
    frame.write.parquet(str(tmp_path / "vectors"))
    files = sorted(tmp_path.glob("vectors/*.parquet"))
    options = {"classes": [-1.0, 1.0], "session": session}
    model = spark.fit_files(files, onlinear.AveragedPerceptron(), 2, **options)
    expected = distributed.fit(parts_of(frame), onlinear.AveragedPerceptron(), rounds=2, merges_per_round=1)
    np.testing.assert_array_equal(model.decision_function(np.eye(2)), expected.decision_function(np.eye(2)))
    X, y = (np.concatenate(values) for values in zip(*parts_of(frame), strict=True))
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "sort": np.where(y > 0, "yes", "no"), "times": np.ones(len(y))})
    pq.write_table(table, tmp_path / "table.parquet", row_group_size=100)
    options = {"classes": ["no", "yes"], "session": session, "bytes_per_part": 1, "label": "sort", "weight": "times"}
    model = spark.fit_files(tmp_path / "table.parquet", onlinear.AROW(), 2, features=["a", "b"], **options)
    parts = [(X[i : i + 100], table["sort"].to_numpy()[i : i + 100]) for i in range(0, len(y), 100)]
    expected = distributed.fit(parts, onlinear.AROW(), rounds=2, merges_per_round=1)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
    with pytest.raises(ValueError, match="there is no column 'c'; there are a, b, sort, times"):
        spark.fit_files(tmp_path / "table.parquet", onlinear.AROW(), 2, features=["a", "c"], **options)


def test_columns_of_parquet_that_are_none_are_refused_before_the_first_job(session, tmp_path):
    file = tmp_path / "kinds.parquet"
    columns = {"label": [1, -1], "features": ["a", "b"], "x": ["1", "2"], "z": [1.0, 2.0], "on": [True, False]}
    pairs = pa.array([[1.0, 2.0], [3.0, -4.0]], pa.list_(pa.float64(), 2))
    records = pa.array([{"p": 1.0}, {"p": 2.0}])
    pq.write_table(pa.table({**columns, "pairs": pairs, "records": records}), file)
    options = {"classes": [-1, 1], "session": session}
    for asked, message in [
        ({}, "the features, 'features', are of type string"),
        ({"features": ["z", "x"]}, "'x' is of type string; expected a number"),
        ({"features": ["z"], "weight": "x"}, "'x' is of type string; expected a number"),
        ({"features": ["z"], "label": "on"}, "the label, 'on', is of type bool"),
        ({"features": "records"}, "the features, 'records', are of type struct"),
        ({"feature": "pairs"}, "there is no option 'feature' for it; there are features, label, weight"),
    ]:
        with pytest.raises(TypeError, match=message):
            spark.fit_files(file, onlinear.AROW(), 1, **options, **asked)
    with pytest.raises(ValueError, match="features names no column"):
        spark.fit_files(file, onlinear.AROW(), 1, features=[], **options)
    with pytest.raises(ValueError, match="weight='z' does not go with Winnow: it takes no weights"):
        spark.fit_files(file, onlinear.Winnow(), 1, features="pairs", weight="z", **options)
    model = spark.fit_files(file, onlinear.AROW(), 1, features="pairs", **options)
    assert model.n_features_in_ == 2 and model.passes_[:, 0].sum() == 2


def test_large_models_are_merged_by_the_workers_to_the_same_bits(session, monkeypatch):
    features, count = 1 << 20, 40
    rng = np.random.default_rng(2)
    places = [np.unique(rng.integers(0, features, 30)).tolist() for _ in range(count)]
    rows = [(Vectors.sparse(features, at, [1.0] * len(at)), float((-1) ** i)) for i, at in enumerate(places)]
    frame = session.createDataFrame(rows, ["features", "label"]).repartitionByRange(20, "features").cache()
    seen = []
    merged = distributed.merged
    monkeypatch.setattr(distributed, "merged", lambda files, *rest: seen.append(len(files)) or merged(files, *rest))
    model = spark.SparkAveragedPerceptron(maxIter=2).fit(frame)
    assert len(model.native.to_bytes()) > 1 << 23
    assert seen == [2, 1], (
        "of 20 models the driver gets two of the first round, whose size nobody knew, and one of the next"
    )
    found = frame.rdd.glom().collect()
    matrix = lambda part: csr_matrix(np.vstack([row["features"].toArray() for row in part])) if part else None  # noqa: E731
    parts = [(matrix(part), np.array([row["label"] for row in part])) for part in found if part]
    monkeypatch.undo()
    expected = distributed.fit(parts, onlinear.AveragedPerceptron(), rounds=2, merges_per_round=1)
    assert len(parts) == 20 and model.native.to_bytes() == expected.to_bytes()


def test_what_is_wrong_is_refused_before_the_first_job(session, frame):
    jobs = session.sparkContext.statusTracker().getJobIdsForGroup()
    texts = frame.withColumn("features", F.lit("text"))
    for estimator, data, error, message in [
        (spark.SparkPerceptron(labelCol="nowhere"), frame, ValueError, "there is no column 'nowhere' for labelCol"),
        (spark.SparkPerceptron(featuresCol="nowhere"), frame, ValueError, "no column 'nowhere' for featuresCol"),
        (spark.SparkPerceptron(featuresCol=["w", "x"]), frame, ValueError, "there is no column 'x'"),
        (spark.SparkPerceptron(), texts, TypeError, "is of type string; expected a vector"),
        (spark.SparkPerceptron(weightCol="features"), frame, TypeError, "expected a number"),
        (spark.SparkPerceptron(labelCol="features"), frame, TypeError, "expected a number or a text"),
        (spark.SparkPerceptron(output="longest"), frame, ValueError, "perceptron cannot be merged"),
        (spark.SparkPerceptron(mean="most"), frame, ValueError, "there is no mean 'most'"),
        (spark.SparkAROW(mean="moved"), frame, ValueError, "arow cannot be merged: with mean=moved"),
        (spark.SparkPerceptron(mergesPerRound=0), frame, ValueError, "merges_per_round must be at least 1, not 0"),
        (spark.SparkFisherDiscriminant(maxIter=2), frame, ValueError, "learns from all rows at once"),
    ]:
        with pytest.raises(error, match=message):
            estimator.fit(data)
    assert session.sparkContext.statusTracker().getJobIdsForGroup() == jobs
    with pytest.raises(TypeError, match="no parameter 'nothing'"):
        spark.SparkPerceptron(nothing=1)
    with pytest.raises(ValueError, match="no label: null"):
        spark.SparkPerceptron().fit(frame.withColumn("label", F.lit(None).cast("double")))
    with pytest.raises(ValueError, match="no label: NaN"):
        spark.SparkPerceptron().fit(frame.withColumn("label", F.lit(float("nan"))))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        spark.SparkPerceptron().fit(frame.withColumn("label", F.rand(1)))
    exact = frame.withColumn("label", F.col("label").cast("decimal(5,1)"))
    model = spark.SparkPerceptron(maxIter=1).fit(exact)
    assert model.native.classes_.tolist() == [-1.0, 1.0]
    with pytest.raises(ValueError, match="there is a column 'prediction' already"):
        model.transform(model.transform(frame))
    others = [(Vectors.sparse(3, [2], [1.0]), 1.0), (Vectors.dense([1.0, 2.0]), -1.0)]
    with pytest.raises(Exception, match="a row has 2 features; expected 3"):
        spark.SparkPerceptron(maxIter=1).fit(session.createDataFrame(others, ["features", "label"]).coalesce(1))
    with pytest.raises(Exception, match="a row has 3 features; expected 2"):
        model.transform(session.createDataFrame(others[:1], ["features", "label"])).collect()
    assert not hasattr(spark, "SparkVotedPerceptron")
