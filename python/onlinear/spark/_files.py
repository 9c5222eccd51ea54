"""Files that workers read themselves: ranges of bytes of text and row groups of Parquet, past the JVM."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from .. import distributed
from .._convert import distinct
from .._learner import BatchLearner, Learner, WeightedOnlineLearner
from .._read import read
from ._rounds import MODELS, alone, model_of, rounds_over
from ._rows import FEATURES, LABEL, matrix_of

#: How packed text begins; it can be read from its beginning only.
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
#: How a file of Parquet begins.
_PARQUET = b"PAR1"
#: How text begins whose lines do not end with one byte; it is read as a whole as well.
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: What may be said of text and of the columns of Parquet; weights are always asked for.
_TEXT_OPTIONS = set(inspect.signature(read).parameters) - {"path", "return_weight", "return_names"}
_COLUMN_OPTIONS = {"label", "weight", "features"}


def fit_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    learner: Learner,
    rounds: int = 10,
    *,
    classes: Any,
    bytes_per_part: int = 64 << 20,
    merges_per_round: int = 1,
    mean: str | None = None,
    session: SparkSession | None = None,
    **options: Any,
) -> Learner:
    """Learn from files of which each worker reads its own parts.

    Parameters
    ----------
    paths : str or path, or a sequence of them
        Files that every worker can open by these names: text with a row per line (LIBSVM, VW or JSON lines), of which
        a part is a range of bytes, or all of it where it is packed or in UTF-16; or Parquet, of which a part is some
        row groups.
    learner : estimator
        Any that can be merged; one that has learned goes on.
    rounds : int, default=10
        How often each part is learned from.
    classes : array-like
        All labels there are.
    bytes_per_part : int, default=64 MiB
        How large a part is; neither lines nor row groups are cut.
    merges_per_round : int, default=1
        So often models are merged in each round, each time behind a piece of each part: a range of its bytes, or some
        of its row groups; what is packed is one piece. More helps learners whose output is a mean of weights where
        features are rare; every merge is a job of Spark.
    mean : {"moved", "all"}, default=None
        Each weight is the mean of the parts that moved it, or of all, as of :func:`onlinear.merge`; unless given
        "moved" for learners whose output is a mean of weights, "all" for others.
    session : SparkSession, default=None
        The one that is active unless given.
    **options
        Text: as of `onlinear.read`. Features must have the same places in all parts: with `n_features`, or `hash` where
        they have names. Parquet: `label` and `weight` name columns, `features` a column of vectors or arrays or a list
        of columns of numbers; "label", none and "features" unless given.
    """
    session = session or SparkSession.getActiveSession()
    if session is None:
        raise ValueError("there is no active session of Spark")
    if bytes_per_part < 1:
        raise ValueError(f"bytes_per_part must be at least 1, not {bytes_per_part}")
    if options.get("weight") is not None and not isinstance(learner, (WeightedOnlineLearner, BatchLearner)):
        raise ValueError(f"weight={options['weight']!r} does not go with {type(learner).__name__}: it takes no weights")
    files = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    parts = [part for file in files for part in _parts(file, bytes_per_part, options)]
    if not parts:
        raise ValueError("there is no file to read, or all are empty")
    labels = distinct(classes)
    merging = distributed.merging_of(learner, rounds, len(labels), merges_per_round, mean)
    cuts = [part.cut(merging.per_round) for part in parts]
    numbers = session.range(0, len(parts), 1, len(parts))
    pieces = [
        _models_of(numbers, [cut[piece] if piece < len(cut) else None for cut in cuts], options, labels)
        for piece in range(max(map(len, cuts)))
    ]
    return rounds_over(session, pieces, learner, labels, rounds, merging.mean)


def _parts(file: str, size: int, options: dict[str, Any]) -> list[TextRange | RowGroups]:
    """Give the parts of a file; refuse what cannot be read in parts."""
    if os.path.isdir(file):
        raise ValueError(f"{file} is a folder; name its files")
    with open(file, "rb") as opened:
        begins = opened.read(4)
    known = _COLUMN_OPTIONS if begins == _PARQUET else _TEXT_OPTIONS
    for name in options:
        if name not in known:
            raise TypeError(f"{file}: there is no option '{name}' for it; there are {', '.join(sorted(known))}")
    if begins == _PARQUET:
        return _row_groups(file, size, options)
    if options.get("format") == "csv" or file.removesuffix(".gz").removesuffix(".zst").endswith((".csv", ".tsv")):
        raise ValueError(
            f"{file}: only its first part would know its columns; write it as Parquet, or read it by Spark"
        )
    if options.get("n_features") is None and options.get("hash") is None:
        raise ValueError("n_features (or hash) must be given: no part knows the features of the others")
    length = os.path.getsize(file)
    if begins.startswith((*_PACKED, *_UTF16)) or options.get("encoding") == "utf16":
        return [TextRange(file, 0, length, is_whole=True)] if length else []
    return [TextRange(file, start, min(start + size, length)) for start in range(0, length, size)]


def _row_groups(file: str, size: int, options: dict[str, Any]) -> list[TextRange | RowGroups]:
    about = pq.ParquetFile(file)
    names = about.schema_arrow.names
    if not options.get("features", FEATURES):
        raise ValueError("features names no column")
    for name in _columns(options):
        if name not in names:
            raise ValueError(f"{file}: there is no column '{name}'; there are {', '.join(names)}")
    _require_kinds(file, about.schema_arrow, options)
    parts: list[TextRange | RowGroups] = []
    groups: list[int] = []
    held = 0
    for group in range(about.num_row_groups):
        groups.append(group)
        held += about.metadata.row_group(group).total_byte_size
        if held >= size:
            parts.append(RowGroups(file, tuple(groups)))
            groups, held = [], 0
    return [*parts, RowGroups(file, tuple(groups))] if groups else parts


def _require_kinds(file: str, schema: Any, options: dict[str, Any]) -> None:
    """Refuse columns that are neither numbers, vectors nor, as labels, texts."""
    label, features, weight = options.get("label", LABEL), options.get("features", FEATURES), options.get("weight")
    kind = schema.field(label).type
    texts = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (_is_number(kind) or pa.types.is_string(texts) or pa.types.is_large_string(texts)):
        raise TypeError(f"{file}: the label, '{label}', is of type {kind}; expected a number or a text")
    if isinstance(features, str):
        kind = schema.field(features).type
        if not (_is_vector(kind) or (_is_list(kind) and _is_number(kind.value_type))):
            raise TypeError(
                f"{file}: the features, '{features}', are of type {kind}; expected vectors or arrays of numbers"
            )
    for name in [*([] if isinstance(features, str) else features), *([] if weight is None else [weight])]:
        kind = schema.field(name).type
        if not _is_number(kind):
            raise TypeError(f"{file}: '{name}' is of type {kind}; expected a number")


def _is_number(kind: Any) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _is_vector(kind: Any) -> bool:
    """Tell whether a column is of vectors, as Spark writes them."""
    return pa.types.is_struct(kind) and {field.name for field in kind} == {"type", "size", "indices", "values"}


def _is_list(kind: Any) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def _columns(options: dict[str, Any]) -> list[str]:
    """Give the columns of Parquet that are read: the label, the features, the weight if there is one."""
    features, weight = options.get("features", FEATURES), options.get("weight")
    names = [options.get("label", LABEL), *([features] if isinstance(features, str) else features)]
    return names if weight is None else [*names, weight]


@dataclasses.dataclass(frozen=True)
class TextRange:
    """The lines that begin in a range of bytes."""

    file: str
    start: int
    end: int
    is_whole: bool = False

    def cut(self, pieces: int) -> list[TextRange]:
        """Give so many ranges that make up this one; itself where its bytes are no lines."""
        if self.is_whole or pieces == 1:
            return [self]
        ends = [self.start + (self.end - self.start) * piece // pieces for piece in range(pieces + 1)]
        return [TextRange(self.file, start, end) for start, end in itertools.pairwise(ends)]

    def rows(self, options: dict[str, Any]) -> tuple[Any, ...]:
        """Give the rows, labels and weights."""
        if self.is_whole or (self.start == 0 and self.end == os.path.getsize(self.file)):
            return self._read(self.file, options)
        ending = os.path.splitext(self.file)[1]
        with open(self.file, "rb") as whole, tempfile.NamedTemporaryFile(dir=_memory(), suffix=ending) as part:
            if self.start > 0:
                whole.seek(self.start - 1)
                whole.readline()  # it begins before the range
            rest, last = self.end - whole.tell(), b"\n"
            while rest > 0 and (block := whole.read(min(rest, 1 << 20))):
                part.write(block)
                rest, last = rest - len(block), block[-1:]
            if last != b"\n":
                part.write(whole.readline())
            part.flush()
            return self._read(part.name, options) if part.tell() else (np.empty((0, 0)), np.empty(0))

    def _read(self, file: str, options: dict[str, Any]) -> tuple[Any, ...]:
        try:
            X, y, weights = read(file, return_weight=True, **options)
        except ValueError as error:
            place = f"{self.file}, in the lines that begin in bytes {self.start} to {self.end}"
            raise ValueError(f"{place}: {str(error).replace(file, 'there')}") from None
        if X.shape[0] == 0:  # blank lines
            return X, np.empty(0)
        if y is None:
            raise ValueError(f"{self.file}: the rows have no labels")
        return (X, y) if weights is None else (X, y, weights)


@dataclasses.dataclass(frozen=True)
class RowGroups:
    """Some row groups of a file of Parquet."""

    file: str
    groups: tuple[int, ...]

    def cut(self, pieces: int) -> list[RowGroups]:
        """Give so many parts that make up this one, or as many as it has row groups."""
        pieces = min(pieces, len(self.groups))
        ends = [len(self.groups) * piece // pieces for piece in range(pieces + 1)]
        return [RowGroups(self.file, self.groups[start:end]) for start, end in itertools.pairwise(ends)]

    def rows(self, options: dict[str, Any]) -> tuple[Any, ...]:
        """Give the rows, labels and weights."""
        table = pq.ParquetFile(self.file).read_row_groups(list(self.groups), columns=_columns(options))
        label, *columns = (_whole(table.column(name)) for name in _columns(options))
        if label.null_count:
            raise ValueError(f"{self.file}: a row has no label: null")
        if pa.types.is_decimal(label.type):
            label = label.cast(pa.float64())
        weights = [columns.pop().to_numpy(zero_copy_only=False)] if options.get("weight") is not None else []
        if isinstance(options.get("features", FEATURES), str):
            X = matrix_of(columns[0])
        else:
            X = np.column_stack([column.cast(pa.float64()).to_numpy(zero_copy_only=False) for column in columns])
        return (X, label.to_numpy(zero_copy_only=False), *weights)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    found = column.combine_chunks()
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _models_of(
    numbers: DataFrame, parts: Sequence[TextRange | RowGroups | None], options: dict[str, Any], classes: np.ndarray
) -> Callable[[Any], DataFrame]:
    """Give what makes, of a model and the numbers of parts, a model for each part that there is."""

    def models(start: Any) -> DataFrame:
        def learned(batches: Iterator[Any]) -> Iterator[Any]:
            alone()
            places = (place for batch in batches for place in batch.column("id").to_pylist())
            found = (part.rows(options) for place in places if (part := parts[place]) is not None)
            yield from model_of(distributed.learned_in_turn(start.value, classes, found))

        return numbers.mapInArrow(learned, MODELS)

    return models


def _memory() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") else None
