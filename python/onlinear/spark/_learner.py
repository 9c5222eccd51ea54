"""What the estimators and models of `pyspark.ml` have in common."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, cast

import numpy as np
import pyarrow as pa
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasLabelCol,
    HasMaxIter,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasSeed,
    HasWeightCol,
)
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from .. import distributed
from .._convert import distinct
from .._learner import BatchLearner, Learner, WeightedOnlineLearner
from .._sklearn import check_classification_targets
from ._rounds import MODELS, alone, learned_from, rounds_over
from ._rows import (
    FEATURES,
    LABEL,
    WEIGHT,
    features_of,
    is_text,
    label_of,
    matrix_of,
    named,
    require_column,
    require_number,
)

#: From Spark 4.3 on, columns beside a function's own stay columns where the source gives them so, as Parquet does; but
#: columns of vectors cannot, and every query with one fails (UNSUPPORTED_DATATYPE). Where this is off, they are rows.
_COLUMNAR_INPUT = "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled"
#: So many bits of what `monotonically_increasing_id` gives are the place of a row in its partition.
_PLACES = 33
#: Columns of parts in pieces: where a row is in its partition, and the piece that it is of.
_PLACE, _PIECE = "_place", "_piece"
#: Parameters of an estimator that mean something else here, or nothing.
_OTHERS = {"n_iter", "trace", "certificate", "shuffle", "random_state", "early_stopping", "validation_fraction"}


class _Columns(
    HasFeaturesCol,
    HasLabelCol,
    HasWeightCol,
    HasPredictionCol,
    HasRawPredictionCol,
    HasProbabilityCol,
    HasMaxIter,
    HasSeed,
):
    """The columns that are read and made, and how rounds are made."""

    featuresCol = Param(Params._dummy(), "featuresCol", "a column of vectors or of arrays, or a list of columns")
    numWorkers = Param(Params._dummy(), "numWorkers", "parts that rows are shuffled into", TypeConverters.toInt)
    mergesPerRound = Param(Params._dummy(), "mergesPerRound", "merges of models in each round", TypeConverters.toInt)
    mean = Param(Params._dummy(), "mean", "of which parts a weight is the mean: moved, all", TypeConverters.toString)
    checkpointDir = Param(Params._dummy(), "checkpointDir", "where the parts are kept", TypeConverters.toString)

    def _use_native(self, native: type[Learner]) -> None:
        for name in native().get_params(deep=False):
            if name not in _OTHERS:
                setattr(self, name, Param(self, name, f"as of onlinear.{native.__name__}"))
        self._setDefault(maxIter=1 if native._is_batch else 10, seed=1)

    def _learner(self, native: type[Learner]) -> Learner:
        """Give the estimator that the parameters name."""
        names = set(native().get_params(deep=False)) - _OTHERS
        given = {param.name: value for param, value in self.extractParamMap().items() if param.name in names}
        return native(**given)


class SparkLearner(Estimator, _Columns, MLReadable, MLWritable):
    """A learner that learns in rounds over the partitions of a frame.

    Parameters of the estimator of the same name are given by keyword, and are parameters of `pyspark.ml` as well.

    Parameters
    ----------
    featuresCol : str or list of str, default="features"
        A column of vectors (sparse or dense) or of arrays, or columns of numbers.
    labelCol, weightCol, predictionCol, rawPredictionCol, probabilityCol : str
        The others; there are probabilities with `calibrate`.
    maxIter : int, default=10
        Rounds: each partition goes on from one model, and the models are merged.
    numWorkers : int, default=None
        Parts that all rows are shuffled into, by their content and `seed`, so that the same rows are the same parts
        again; the partitions as they are unless given.
    mergesPerRound : int, default=1
        So often models are merged in each round, each time behind a piece of each partition. More helps learners whose
        output is a mean of weights where features are rare; every merge is a job of Spark.
    mean : {"moved", "all"}, default=None
        Each weight is the mean of the partitions that moved it, or of all, as of :func:`onlinear.merge`; unless given
        "moved" for learners whose output is a mean of weights, "all" for others.
    checkpointDir : str, default=None
        Where the parts are kept, so that a lost executor does not mean that its parts are made again from the source.
    """

    _native: ClassVar[type[Learner]]

    def __init__(self, **params: Any) -> None:
        super().__init__()
        self._use_native(self._native)
        self.setParams(**params)

    def setParams(self, **params: Any) -> SparkLearner:
        """Change parameters."""
        for name in params:
            if not self.hasParam(name):
                raise TypeError(f"{type(self).__name__} has no parameter '{name}'")
        return self._set(**params)

    def _fit(self, dataset: DataFrame) -> SparkLearnerModel:
        learner = self._learner(self._native)
        count = self.getMaxIter()
        merges = self._asked("mergesPerRound")
        asked = 1 if merges is None else merges, self._asked("mean")
        distributed.merging_of(learner, count, 2, *asked)
        workers = self._asked("numWorkers")
        if workers is not None and workers < 1:
            raise ValueError(f"numWorkers must be at least 1, not {workers}")
        frame = self._rows(dataset)
        classes = self._classes(frame)
        merging = distributed.merging_of(learner, count, len(classes), *asked)
        with self._parts(frame, merging.per_round) as parts:
            pieces = [_models_of(part, classes) for part in parts]
            native = rounds_over(frame.sparkSession, pieces, learner, classes, count, merging.mean)
        model = SparkLearnerModel(native)
        return self._copyValues(model)

    def _asked(self, name: str) -> Any:
        """Give a parameter that may be left out, or be none."""
        return self.getOrDefault(name) if self.isSet(name) else None

    def _rows(self, dataset: DataFrame) -> DataFrame:
        """Give features, labels and weights."""
        label = label_of(dataset, self.getLabelCol())
        columns = [features_of(dataset, self.getOrDefault("featuresCol")).alias(FEATURES), label.alias(LABEL)]
        weight = self._asked("weightCol")
        if weight is not None:
            require_column(dataset, weight, "weightCol")
            require_number(dataset, weight, "weightCol")
            if not issubclass(self._native, (WeightedOnlineLearner, BatchLearner)):
                raise ValueError(f"weightCol='{weight}' does not go with {type(self).__name__}: it takes no weights")
            columns.append(named(weight).cast("double").alias(WEIGHT))
        return dataset.select(*columns)

    @contextlib.contextmanager
    def _parts(self, frame: DataFrame, pieces: int) -> Iterator[list[DataFrame]]:
        """Give the rows in the parts that are asked for, piece by piece; what was made of them is kept."""
        is_shuffled = self._asked("numWorkers") is not None
        parts = self._shuffled(frame) if is_shuffled else frame
        parts = parts if pieces == 1 else _in_pieces(parts, pieces)
        folder = self._asked("checkpointDir")
        if folder is not None:
            frame.sparkSession.sparkContext.setCheckpointDir(folder)
            yield _pieces_of(parts.checkpoint(), pieces)
        elif is_shuffled or pieces > 1:
            parts = parts.persist()
            try:
                yield _pieces_of(parts, pieces)
            finally:
                parts.unpersist()
        else:
            yield [parts]

    def _shuffled(self, frame: DataFrame) -> DataFrame:
        """Shuffle rows by their content: `repartition` alone makes other parts where a task is tried again."""
        key = F.xxhash64(F.lit(self.getSeed()), *[F.col(name) for name in frame.columns])
        parts = frame.withColumn("key", key).repartition(self.getOrDefault("numWorkers"), "key")
        return parts.sortWithinPartitions("key", LABEL).drop("key")

    def _classes(self, frame: DataFrame) -> np.ndarray:
        """Give the labels that there are; refuse what is missing in a row before anything is learned."""
        is_missing = F.col(FEATURES).isNull()
        if isinstance(frame.schema[FEATURES].dataType, ArrayType):
            is_missing = is_missing | F.exists(FEATURES, lambda value: value.isNull())
        has_weight = F.col(WEIGHT).isNotNull() if WEIGHT in frame.columns else F.lit(True)
        told = frame.select(LABEL, is_missing.alias("is_missing"), has_weight.alias("has_weight")).distinct().collect()
        if any(row["is_missing"] for row in told):
            raise ValueError(f"featuresCol='{self.getOrDefault('featuresCol')}': a row has no features: null")
        if not all(row["has_weight"] for row in told):
            raise ValueError(f"weightCol='{self.getWeightCol()}': a row has no weight: null")
        found = list({row[LABEL] for row in told})
        missing = [label for label in found if label is None or label != label]
        if missing:
            shown = "null" if missing[0] is None else "NaN"
            raise ValueError(f"labelCol='{self.getLabelCol()}': a row has no label: {shown}")
        labels = np.array(found)
        check_classification_targets(labels)
        return distinct(labels)

    def write(self) -> MLWriter:
        """Give what saves the estimator."""
        return DefaultParamsWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """Give what loads an estimator."""
        return DefaultParamsReader(cast(Any, cls))


def _in_pieces(parts: DataFrame, pieces: int) -> DataFrame:
    """Give with each row the number of its piece, as `distributed` cuts parts; a piece lies together in its partition.

    What is kept in memory has the least and the most of each of its blocks: those of other pieces are not read.
    """
    place = F.monotonically_increasing_id().bitwiseAND((1 << _PLACES) - 1)
    placed = parts.withColumn(_PLACE, place)
    return placed.withColumn(_PIECE, F.col(_PLACE) % pieces).sortWithinPartitions(_PIECE, _PLACE).drop(_PLACE)


def _pieces_of(parts: DataFrame, pieces: int) -> list[DataFrame]:
    return [parts] if pieces == 1 else [parts.where(F.col(_PIECE) == piece).drop(_PIECE) for piece in range(pieces)]


def _models_of(part: DataFrame, classes: np.ndarray) -> Callable[[Any], DataFrame]:
    return lambda start: part.mapInArrow(learned_from(start, classes), MODELS)


class SparkLearnerModel(Model, _Columns, MLReadable, MLWritable):
    """What a learner has learned: `native` is the estimator of onlinear."""

    def __init__(self, native: Learner | None = None) -> None:
        super().__init__()
        self.native: Any = native
        if native is not None:
            self._use_native(type(native))

    def _transform(self, dataset: DataFrame) -> DataFrame:
        file, labels = self.native.to_bytes(), self.native.classes_
        session = dataset.sparkSession
        session.conf.set(_COLUMNAR_INPUT, "false")
        predicts = session.sparkContext.broadcast((file, labels))
        has_probabilities = self.native.about_["calibrate"] is not None
        label = "string" if is_text(labels) else "double"
        kind = f"struct<prediction {label}, raw array<double>, probability array<double>>"
        told = _scores(predicts, has_probabilities, kind)(features_of(dataset, self.getOrDefault("featuresCol")))
        made = [
            (self.getPredictionCol(), F.col("_told.prediction")),
            (self.getRawPredictionCol(), array_to_vector(F.col("_told.raw"))),
        ]
        if has_probabilities:
            made.append((self.getProbabilityCol(), array_to_vector(F.col("_told.probability"))))
        known = list(dataset.columns)
        for name in ["_told", *[name for name, _ in made if name]]:
            if name in known:
                raise ValueError(f"there is a column '{name}' already")
        # By name, a column whose name has a dot, or that is there twice, could not be selected.
        return (
            dataset.withColumn("_told", told).withColumns({name: column for name, column in made if name}).drop("_told")
        )

    def write(self) -> MLWriter:
        """Give what saves the model: a folder with its parameters and the ordinary model file, `model.onlinear`."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """Give what loads a model."""
        return _ModelReader(cls)


def _scores(model: Any, has_probabilities: bool, kind: str) -> Any:
    """Give the function of a column of features whose values are predictions."""

    def scores(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        alone()
        file, labels = model.value
        native = distributed.with_classes(Learner.from_bytes(file), labels)
        for batch in batches:
            X = matrix_of(batch, native.n_features_in_)
            predicted, raw = native.predict(X), native.decision_function(X)
            both = np.column_stack([-raw, raw]) if raw.ndim == 1 else raw
            none = pa.nulls(len(both), pa.list_(pa.float64()))
            shares = _lists(native.predict_proba(X)) if has_probabilities else none
            told = pa.array(predicted.astype(str) if is_text(labels) else predicted.astype(float))
            yield pa.StructArray.from_arrays([told, _lists(both), shares], ["prediction", "raw", "probability"])

    return cast(Any, F.arrow_udf)(scores, kind)


def _lists(matrix: np.ndarray) -> pa.Array:
    starts = np.arange(0, matrix.size + 1, matrix.shape[1], dtype=np.int32)
    return pa.ListArray.from_arrays(starts, np.ascontiguousarray(matrix).ravel())


_FILE = "model.onlinear"


class _ModelWriter(MLWriter):
    def __init__(self, model: SparkLearnerModel) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        labels = self.model.native.classes_
        # The file has them as texts, of which nobody can tell whether they were numbers.
        about = {"labels": labels.tolist(), "kind": labels.dtype.kind}
        DefaultParamsWriter.saveMetadata(self.model, path, self.sparkSession, extraMetadata=about)
        session: Any = self.sparkSession
        place = session._jvm.org.apache.hadoop.fs.Path(path, _FILE)
        stream = place.getFileSystem(session.sparkContext._jsc.hadoopConfiguration()).create(place, True)
        stream.write(bytearray(self.model.native.to_bytes()))
        stream.close()


class _ModelReader(MLReader):
    def __init__(self, cls: type[SparkLearnerModel]) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> SparkLearnerModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row: Any = self.sparkSession.read.format("binaryFile").load(f"{path}/{_FILE}").head()
        native = Learner.from_bytes(bytes(row["content"]))
        if "labels" in metadata:  # models of earlier versions lack them
            labels = np.array(metadata["labels"], dtype=object if metadata["kind"] == "O" else None)
            native = distributed.with_classes(native, labels)
        model = self.cls(native)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
