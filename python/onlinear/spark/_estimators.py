# Made by `cargo xtask generate` from the declarations beside the code; do not edit.
"""Every learner that can be merged as an estimator of `pyspark.ml`."""

from __future__ import annotations

from .. import _estimators as native
from ._learner import SparkLearner

__all__ = [
    "SparkPerceptron",
    "SparkAveragedPerceptron",
    "SparkPassiveAggressive",
    "SparkAROW",
    "SparkSoftConfidenceWeighted",
    "SparkALMA",
    "SparkWinnow",
    "SparkPNormPerceptron",
    "SparkSecondOrderPerceptron",
    "SparkProjectron",
    "SparkProjectronPlusPlus",
    "SparkRandomizedBudgetPerceptron",
    "SparkBudgetPassiveAggressive",
    "SparkRCD",
    "SparkPocket",
    "SparkSampledAveragedPerceptron",
    "SparkSGD",
    "SparkFisherDiscriminant",
    "SparkLinearSVM",
]


class SparkPerceptron(SparkLearner):
    """:class:`onlinear.Perceptron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.Perceptron


class SparkAveragedPerceptron(SparkLearner):
    """:class:`onlinear.AveragedPerceptron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.AveragedPerceptron


class SparkPassiveAggressive(SparkLearner):
    """:class:`onlinear.PassiveAggressive` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.PassiveAggressive


class SparkAROW(SparkLearner):
    """:class:`onlinear.AROW` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.AROW


class SparkSoftConfidenceWeighted(SparkLearner):
    """:class:`onlinear.SoftConfidenceWeighted` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.SoftConfidenceWeighted


class SparkALMA(SparkLearner):
    """:class:`onlinear.ALMA` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.ALMA


class SparkWinnow(SparkLearner):
    """:class:`onlinear.Winnow` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.Winnow


class SparkPNormPerceptron(SparkLearner):
    """:class:`onlinear.PNormPerceptron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.PNormPerceptron


class SparkSecondOrderPerceptron(SparkLearner):
    """:class:`onlinear.SecondOrderPerceptron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.SecondOrderPerceptron


class SparkProjectron(SparkLearner):
    """:class:`onlinear.Projectron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.Projectron


class SparkProjectronPlusPlus(SparkLearner):
    """:class:`onlinear.ProjectronPlusPlus` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.ProjectronPlusPlus


class SparkRandomizedBudgetPerceptron(SparkLearner):
    """:class:`onlinear.RandomizedBudgetPerceptron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.RandomizedBudgetPerceptron


class SparkBudgetPassiveAggressive(SparkLearner):
    """:class:`onlinear.BudgetPassiveAggressive` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.BudgetPassiveAggressive


class SparkRCD(SparkLearner):
    """:class:`onlinear.RCD` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.RCD


class SparkPocket(SparkLearner):
    """:class:`onlinear.Pocket` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.Pocket


class SparkSampledAveragedPerceptron(SparkLearner):
    """:class:`onlinear.SampledAveragedPerceptron` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.SampledAveragedPerceptron


class SparkSGD(SparkLearner):
    """:class:`onlinear.SGD` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.SGD


class SparkFisherDiscriminant(SparkLearner):
    """:class:`onlinear.FisherDiscriminant` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.FisherDiscriminant


class SparkLinearSVM(SparkLearner):
    """:class:`onlinear.LinearSVM` on Spark; :class:`SparkLearner` tells the further parameters."""

    _native = native.LinearSVM
