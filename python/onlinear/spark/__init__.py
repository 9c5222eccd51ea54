"""Learning from data that are in Spark: estimators of `pyspark.ml` for every learner that can be merged.

>>> from onlinear.spark import SparkAROW  # doctest: +SKIP
>>> model = SparkAROW(labelCol="clicked", maxIter=5).fit(frame)  # doctest: +SKIP
>>> model.transform(frame).select("prediction")  # doctest: +SKIP

Every round, each partition goes on from one model, and the models are merged: see docs/distributed.md. The same data in
the same partitions give the same bits, whatever tasks are scheduled where, tried again or lost.
"""

try:
    import pyspark
except ImportError as missing:  # pragma: no cover
    raise ImportError("onlinear.spark needs PySpark: pip install 'onlinear[spark]'") from missing

from . import _estimators
from ._estimators import *  # noqa: F403
from ._files import fit_files
from ._learner import SparkLearner, SparkLearnerModel

__all__ = [*_estimators.__all__, "SparkLearner", "SparkLearnerModel", "fit_files"]

del pyspark
