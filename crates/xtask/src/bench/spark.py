"""What learning and predicting on Spark cost, on a cluster of two executors with a core each."""

import os
import sys

import numpy as np

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ["PYSPARK_PYTHON"] = sys.executable

import onlinear
from onlinear import distributed, spark
from pyspark.sql import SparkSession

CORES = 2
FEATURES = 50_000
FILE = sys.argv[1]

session = (
    SparkSession.builder.master(f"local-cluster[{CORES},1,1024]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "2g")
    .getOrCreate()
)
session.sparkContext.setLogLevel("ERROR")


def processor_seconds():
    """The seconds of all processors that the driver, the executors and their workers have taken so far."""
    parents, taken = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        parents[int(pid)] = int(fields[1])
        taken[int(pid)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    known = {os.getpid()}
    while found := {pid for pid, parent in parents.items() if parent in known} - known:
        known |= found
    return sum(taken[pid] for pid in known)


def timed(work, turns=2):
    """The least seconds of some turns, behind one that nobody counts."""
    seconds = []
    for _ in range(turns + 1):
        begun = processor_seconds()
        work()
        seconds.append(processor_seconds() - begun)
    return min(seconds[1:])


def tell(name, figure, words):
    print(name, f"{figure:.4g}", words, sep="\t", flush=True)


def learner():
    return onlinear.AveragedPerceptron(fit_intercept=False, scale=None)


def throughput():
    """Rows a second and core: files read by the workers, frames through the JVM, predictions."""
    options = {"classes": [-1, 1], "n_features": FEATURES, "session": session}
    files = lambda merges=1: spark.fit_files(FILE, learner(), 1, merges_per_round=merges, **options)
    rows = int(files().passes_[:, 0].sum())
    gigabytes = os.path.getsize(FILE) / 1e9
    seconds = timed(files)
    tell("files", rows / seconds / 1e3, f"{rows} rows, {gigabytes:.2f} GB of text, {seconds:.1f} s of CPU a round")
    seconds = timed(lambda: files(16))
    words = f"thousand rows/s/core: the same with merges_per_round=16, {seconds:.1f} s of CPU"
    tell("merged 16 times", rows / seconds / 1e3, words)
    frame = session.read.format("libsvm").option("numFeatures", FEATURES).load(FILE).repartition(2 * CORES)
    kept = FILE + ".parquet"
    if not os.path.exists(kept):
        frame.write.parquet(kept)
    frame = session.read.parquet(kept)
    labels = np.array([-1.0, 1.0])
    pieces = [spark._learner._models_of(spark.SparkAveragedPerceptron()._rows(frame), labels)]
    seconds = timed(lambda: spark._rounds.rounds_over(session, pieces, learner(), labels, 1, "moved"))
    tell("mapInArrow", rows / seconds / 1e3, f"the same rows in a frame of Parquet, {seconds:.1f} s of CPU a round")
    seconds = timed(lambda: spark.fit_files(parquet_files(kept), learner(), 1, classes=[-1, 1], session=session))
    words = f"thousand rows/s/core: the same Parquet read by the workers, {seconds:.1f} s of CPU"
    tell("row groups", rows / seconds / 1e3, words)
    model = spark.SparkLearnerModel(learner().partial_fit(*onlinear.read(FILE, n_features=FEATURES), classes=[-1, 1]))
    told = lambda: model.transform(frame).select("prediction").groupBy("prediction").count().collect()
    seconds = timed(told)
    tell("transform", rows / seconds / 1e3, f"the same frame, {seconds:.1f} s of CPU")


def parquet_files(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".parquet")]


def seconds_of_a_round(path, features, size):
    """The middle one of some rounds, between merges at the driver; the first two find out how large models are."""
    begun, merged = [], distributed.merged

    def noted(*arguments):
        begun.append(processor_seconds())
        return merged(*arguments)

    distributed.merged = noted
    options = {"classes": [-1, 1], "n_features": features, "session": session, "bytes_per_part": size}
    spark.fit_files(path, learner(), 7, merges_per_round=1, **options)
    distributed.merged = merged
    return np.median(np.diff(begun)[1:])


def cost_of_rounds():
    """Seconds of CPU a round = a + b p + c p B, for p parts whose models have B bytes, without time to learn."""
    found = []
    for features in (1 << 14, 1 << 18, 1 << 20, 1 << 22):
        for parts in (4, 16, 64):
            if parts * features > 1 << 24:
                continue
            rng = np.random.default_rng(1)
            X = rng.integers(1, features + 1, (parts, 10))
            path = f"{FILE}.rounds"
            with open(path, "w") as out:
                for i, row in enumerate(X):
                    places = sorted({*row.tolist(), features})
                    out.write(f"{(-1) ** i} {' '.join(f'{j}:1' for j in places)}\n")
            size = os.path.getsize(path) // parts
            found.append((parts, 16 * features, seconds_of_a_round(path, features, size)))
            os.remove(path)
    p, size, seconds = np.array(found).T
    A = np.column_stack([np.ones_like(p), p, p * size / 1e6])
    weight = 1 / seconds
    a, b, c = np.linalg.lstsq(A * weight[:, None], seconds * weight, rcond=None)[0]
    off = np.abs(A @ [a, b, c] / seconds - 1)
    words = f"s of CPU a round + {b:.2g} s a part + {c:.2g} s a part and MB of model"
    tell("rounds", a, f"{words}; off by {np.median(off):.0%}, at most {off.max():.0%}")
    for parts, size, seconds in found:
        tell(f"round of {int(parts)} parts", seconds, f"s of CPU, models of {size / 1e6:.1f} MB")


throughput()
cost_of_rounds()
session.stop()
