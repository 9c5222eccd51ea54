"""Our estimators within what `skl2onnx` converts."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._learner import Learner

__all__ = ["register_onnx_converters"]


def register_onnx_converters() -> None:
    """Teach `skl2onnx` every estimator of this package, so that pipelines with one in them can be converted.

    A converted pipeline gives `label` and, in place of probabilities, `scores`.

    Examples
    --------
    >>> import onlinear
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = onlinear.datasets.make_artificial(200)
    >>> pipeline = make_pipeline(StandardScaler(), onlinear.AveragedPerceptron()).fit(X, y)
    >>> onlinear.register_onnx_converters()  # doctest: +SKIP
    >>> graph = skl2onnx.to_onnx(pipeline, X)  # doctest: +SKIP
    """
    from skl2onnx import update_registered_converter

    from . import _estimators

    for name in dict.fromkeys(_native.ESTIMATORS):
        update_registered_converter(
            getattr(_estimators, name), f"Onlinear{name}", _shapes, _convert, parser=_parse, overwrite=True
        )


def _label_type(model: Learner) -> Any:
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType

    return Int64TensorType if np.issubdtype(model.classes_.dtype, np.integer) else StringTensorType


def _parse(scope: Any, model: Learner, inputs: list[Any], custom_parsers: Any = None) -> Any:
    """Declare one operator with its two results."""
    from skl2onnx._parse import _get_sklearn_operator_name
    from skl2onnx.common.data_types import DoubleTensorType

    operator = scope.declare_local_operator(_get_sklearn_operator_name(type(model)), model)
    operator.inputs.extend(inputs)
    operator.outputs.append(scope.declare_local_variable("label", _label_type(model)()))
    operator.outputs.append(scope.declare_local_variable("scores", DoubleTensorType()))
    return operator.outputs


def _shapes(operator: Any) -> None:
    """Tell the shapes of the results: a label for each row, and a score, or one for each class."""
    from skl2onnx.common.data_types import DoubleTensorType

    model, rows = operator.raw_operator, operator.inputs[0].get_first_dimension()
    classes = len(model.classes_)
    operator.outputs[0].type = _label_type(model)([rows])
    operator.outputs[1].type = DoubleTensorType([rows] if classes == 2 else [rows, classes])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Put the model's own graph in the place of the operator."""
    import onnx

    graph = onnx.load_model_from_string(operator.raw_operator.to_onnx()).graph
    if [value.name for value in graph.input] != ["X"]:
        raise NotImplementedError("a model of a data frame has a column for each input; convert it by its own to_onnx")
    names = {"X": scope.get_unique_variable_name("X"), "": ""}
    container.add_node(
        "Cast",
        operator.inputs[0].full_name,
        names["X"],
        to=onnx.TensorProto.DOUBLE,
        name=scope.get_unique_operator_name("Cast"),
    )
    for value, output in zip(graph.output, operator.outputs, strict=True):
        names[value.name] = output.full_name
    for constant in graph.initializer:
        names[constant.name] = scope.get_unique_variable_name(constant.name)
        values = onnx.numpy_helper.to_array(constant)
        container.add_initializer(
            names[constant.name], constant.data_type, list(constant.dims), values.ravel().tolist()
        )
    for node in graph.node:
        for output in node.output:
            names.setdefault(output, scope.get_unique_variable_name(output))
        container.add_node(
            node.op_type,
            [names[name] for name in node.input],
            [names[name] for name in node.output],
            op_version=19,
            name=scope.get_unique_operator_name(node.op_type),
            **{attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute},
        )
