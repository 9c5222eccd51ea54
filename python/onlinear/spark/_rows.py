"""Rows of Spark, which come as batches of Arrow, as the matrices that estimators take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DecimalType, NumericType, StringType

#: What the columns are called on the way to a worker.
FEATURES, LABEL, WEIGHT = "features", "label", "weight"


def features_of(frame: DataFrame, columns: str | list[str]) -> Any:
    """Give the features as one column that Arrow knows; refuse what is none."""
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise ValueError("featuresCol names no column")
    for name in names:
        require_column(frame, name, "featuresCol")
    if not isinstance(columns, str):
        for name in names:
            require_number(frame, name, "a column of featuresCol")
        return F.array(*[named(name).cast("double") for name in names])
    kind = frame.schema[columns].dataType
    if isinstance(kind, VectorUDT):
        return F.unwrap_udt(named(columns))
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, NumericType):
        return named(columns).cast("array<double>")
    seen = kind.simpleString()
    expected = "a vector, an array of numbers or a list of columns"
    raise TypeError(f"featuresCol='{columns}' is of type {seen}; expected {expected}")


def named(name: str) -> Any:
    """Give the column of this name, which may have dots in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def require_column(frame: DataFrame, name: str, role: str) -> None:
    if name not in frame.columns:
        raise ValueError(f"there is no column '{name}' for {role}; there are {', '.join(frame.columns)}")


def require_number(frame: DataFrame, name: str, role: str) -> None:
    kind = frame.schema[name].dataType
    if not isinstance(kind, NumericType):
        raise TypeError(f"{role}, '{name}', is of type {kind.simpleString()}; expected a number")


def label_of(frame: DataFrame, name: str) -> Any:
    """Give the labels as a column that NumPy knows; refuse what is none."""
    require_column(frame, name, "labelCol")
    kind = frame.schema[name].dataType
    if not isinstance(kind, (NumericType, StringType)):
        raise TypeError(f"labelCol='{name}' is of type {kind.simpleString()}; expected a number or a text")
    return named(name).cast("double") if isinstance(kind, DecimalType) else named(name)


def is_text(labels: np.ndarray) -> bool:
    """Tell whether labels are texts."""
    return labels.dtype.kind in "OUT"


def matrix_of(column: pa.Array, width: int | None = None) -> Any:
    """Give the rows of a column of vectors or arrays: dense where all are, else a sparse matrix."""
    if column.null_count:
        raise ValueError("a row has no features: null")
    if not pa.types.is_struct(column.type):
        return _dense(column, width)
    types, values = column.field("type").to_numpy(zero_copy_only=False), column.field("values")
    if (types == 1).all():
        return _dense(values, width)
    from scipy.sparse import csr_matrix

    starts = _starts(values)
    sizes = np.where(types == 0, column.field("size").to_numpy(zero_copy_only=False), np.diff(starts))
    size = _agreed(sizes, width)
    numbers, indices = values.flatten().to_numpy(zero_copy_only=False), column.field("indices")
    if (types == 0).all():
        places = indices.flatten().to_numpy(zero_copy_only=False)
    else:
        of_row = np.arange(len(numbers)) - np.repeat(starts[:-1], np.diff(starts))
        is_sparse = np.repeat(types == 0, np.diff(starts))
        places = of_row.astype(np.int32)
        places[is_sparse] = indices.flatten().to_numpy(zero_copy_only=False)
    return csr_matrix((numbers, places, starts), shape=(len(column), size))


def _dense(lists: Any, width: int | None) -> np.ndarray:
    starts = _starts(lists)
    lengths = np.diff(starts)
    width = _agreed(lengths, width)
    numbers = lists.flatten().to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(numbers, dtype=float).reshape(len(lists), width)


def _agreed(sizes: np.ndarray, width: int | None) -> int:
    """Give how many features all rows have; refuse a row that has others."""
    width = (int(sizes[0]) if len(sizes) else 0) if width is None else width
    if (sizes != width).any():
        raise ValueError(f"a row has {int(sizes[np.argmax(sizes != width)])} features; expected {width}")
    return width


def _starts(lists: Any) -> np.ndarray:
    """Give where each list begins among the numbers of all, and where the last one ends."""
    lengths = pc.call_function("list_value_length", [lists]).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(np.nan_to_num(lengths))]).astype(np.int64)
