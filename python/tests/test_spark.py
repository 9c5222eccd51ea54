"""Spark as the engine, on a small cluster of its own: two executors, each a process with one core."""

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

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.evaluation import MulticlassClassificationEvaluator  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.ml.functions import vector_to_array  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

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
        model = spark.SparkAveragedPerceptron(maxIter=2).fit(data)
        expected = distributed.fit(parts_of(data), onlinear.AveragedPerceptron(), rounds=2, classes=[-1.0, 1.0])
        assert model.native.to_bytes() == expected.to_bytes() and type(model.native) is onlinear.AveragedPerceptron
        assert model.native.passes_[:, 0].sum() == 800 and model.native.score(*rows) > least


def test_features_of_all_kinds_are_the_same(frame, session):
    fit = spark.SparkAROW(maxIter=2).fit
    dense = fit(frame).native.to_bytes()
    thinned = frame.rdd.map(lambda row: (Vectors.sparse(len(row[0]), list(enumerate(row[0].toArray()))), row[1]))
    sparse = session.createDataFrame(thinned, ["features", "label"])
    arrays = frame.withColumn("features", vector_to_array("features"))
    assert fit(sparse).native.to_bytes() == dense == fit(arrays).native.to_bytes()
    names = [f"x{i}" for i in range(len(frame.head()["features"]))]
    columns = arrays.select(*[F.col("features")[i].alias(name) for i, name in enumerate(names)], "label")
    model = spark.SparkAROW(maxIter=2, featuresCol=names).fit(columns)
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
    few = spark.SparkAveragedPerceptron(maxIter=2).fit(frame.limit(6).union(frame.limit(0)).repartition(30))
    assert few.native.passes_[:, 0].sum() == 12


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
    learner = spark.SparkAveragedPerceptron(maxIter=2, numWorkers=4)
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
    with pytest.raises(ValueError, match="n_features"):
        spark.fit_files(file, onlinear.AveragedPerceptron(), classes=[-1, 1])


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
        (spark.SparkFisherDiscriminant(maxIter=2), frame, ValueError, "learns from all rows at once"),
    ]:
        with pytest.raises(error, match=message):
            estimator.fit(data)
    assert session.sparkContext.statusTracker().getJobIdsForGroup() == jobs
    with pytest.raises(TypeError, match="no parameter 'nothing'"):
        spark.SparkPerceptron(nothing=1)
    with pytest.raises(ValueError, match="no label: null"):
        spark.SparkPerceptron().fit(frame.withColumn("label", F.lit(None).cast("double")))
    assert not hasattr(spark, "SparkVotedPerceptron")
