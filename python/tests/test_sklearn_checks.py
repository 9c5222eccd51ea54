"""scikit-learn's own checks, for every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import onlinear
from onlinear import _estimators


def instances():
    """One estimator of each class, quick enough to be learned hundreds of times."""
    quick = {
        "AdaBoost": {"rounds": 5, "base": onlinear.RCD(epochs=20)},
        "RCD": {"epochs": 50},
        "Pocket": {"epochs": 50},
        "SGD": {"epochs": 50},
        "SampledAveragedPerceptron": {"epochs": 50},
    }
    return [getattr(onlinear, name)(**quick.get(name, {})) for name in _estimators.__all__]


#: Why a row of weight 2 is not the same as two rows, for the learners that take weights.
ONE_TRIAL = "a row of weight 2 is one trial with a step twice as long, two rows are two trials, met in another order"
OTHER_DRAWS = "random numbers draw rows, and draw others from a longer list"
NOT_EQUIVALENT = {
    "Perceptron": ONE_TRIAL,
    "AveragedPerceptron": ONE_TRIAL,
    "AROW": ONE_TRIAL,
    "SelectiveSampler": ONE_TRIAL,
    "PassiveAggressive": ONE_TRIAL,
    "Pocket": OTHER_DRAWS,
    "SampledAveragedPerceptron": OTHER_DRAWS,
    "SGD": OTHER_DRAWS,
    "RCD": "it starts from Fisher's discriminant, for which see there",
    "FisherDiscriminant": "fewer rows than features: the scatter has no inverse and a sum in another order shows",
    "LinearSVM": "its descent ends within a tolerance, and meets the rows in another order",
}


#: Why a class that weighs ten million times the others does not get nearly all rows.
NOT_ALL = {
    "FisherDiscriminant": "its threshold lies between the means of the classes, however much their rows weigh",
    "SelectiveSampler": "a weight makes a step longer, and rows whose labels are not asked for make none",
    "RCD": "it starts from Fisher's discriminant and gets within a row of it in so few epochs",
    "AdaBoost": "its few rounds weigh the rows anew",
}


def expected_failures(estimator):
    name = type(estimator).__name__
    failures = {}
    if name in NOT_EQUIVALENT:
        checks = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
        failures |= dict.fromkeys(checks, NOT_EQUIVALENT[name])
    if name in NOT_ALL:
        failures["check_class_weight_classifiers"] = NOT_ALL[name]
    return failures


@parametrize_with_checks(instances(), expected_failed_checks=expected_failures)
def test_check(estimator, check):
    check(estimator)
