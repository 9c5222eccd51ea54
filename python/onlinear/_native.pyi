"""The native half of the package."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str
#: The names of the estimators' classes.
ESTIMATORS: list[str]

#: Numbers (NaN where there is none), texts (or None), or places in a list of texts (below 0 where there is none).
Cells = NDArray[np.float64] | list[Any] | tuple[NDArray[np.int64], list[str]]

class Frame:
    """Columns of one length with their names."""

    names: list[str]
    def __init__(self, columns: list[tuple[str, Cells]]) -> None: ...
    def with_column(self, name: str, cells: Cells) -> Frame: ...
    def __len__(self) -> int: ...

class FrameStream:
    """The tables of an Arrow stream, one after another."""

    names: list[str]
    def __init__(self, object: Any) -> None: ...
    def __iter__(self) -> FrameStream: ...
    def __next__(self) -> Frame: ...
    def whole(self) -> Frame: ...

#: A dense array, or `indptr`, `indices`, `data` of a CSR matrix.
Rows = NDArray[np.float64] | NDArray[np.float32] | tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | Frame

class Model:
    """A learner with its classes and stages, fresh or learned."""

    classes: list[str]
    def __init__(
        self,
        spec: str,
        classes: list[str],
        features: int,
        *,
        stages: list[str] | None = None,
        bias: str | None = None,
        scale: str | None = None,
        normalize: str | None = None,
        map: str | None = None,
        shuffle: int | None = None,
        class_weights: str | list[tuple[str, float]] | None = None,
        calibrate: int | None = None,
        is_table: bool = False,
        max_memory: int,
    ) -> None: ...
    def fit(
        self,
        x: Rows,
        y: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        *,
        passes: int | None = 1,
        early_stop: bool = False,
        trace: bool = False,
        certificate: bool = False,
        verbose: bool = False,
    ) -> dict[str, Any]: ...
    def fit_table(
        self,
        table: Frame,
        label: str,
        weight: str | None = None,
        *,
        passes: int | None = None,
        early_stop: bool = False,
        trace: bool = False,
        certificate: bool = False,
        verbose: bool = False,
        columns: dict[str, Any] | None = None,
    ) -> dict[str, Any]: ...
    def go_on_table(
        self,
        table: Frame,
        label: str,
        weight: str | None = None,
        *,
        passes: int | None = None,
        trace: bool = False,
        verbose: bool = False,
        columns: dict[str, Any] | None = None,
    ) -> dict[str, Any]: ...
    def staged(self, x: Rows, sparse: bool | None = None) -> Any: ...
    def go_on(
        self,
        x: Rows,
        y: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        *,
        passes: int | None = None,
        trace: bool = False,
        verbose: bool = False,
    ) -> dict[str, Any]: ...
    def require_mergeable(self, mean: str = ...) -> None: ...
    def scores(self, x: Rows) -> NDArray[np.float64]: ...
    def predict(self, x: Rows) -> NDArray[np.int64]: ...
    def probabilities(self, x: Rows) -> NDArray[np.float64] | None: ...
    def asks(self, x: Rows) -> NDArray[np.bool_] | None: ...
    def metrics(
        self,
        x: Rows,
        y: NDArray[np.int64],
        probabilities: NDArray[np.float64] | None = None,
    ) -> dict[str, Any]: ...
    def linear(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...
    def support(self) -> list[dict[str, NDArray[Any]]] | None: ...
    def about(self) -> dict[str, Any]: ...
    def to_bytes(self) -> bytes: ...
    def to_onnx(self, numbers: list[int] | None = None) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes, *, max_memory: int) -> Model: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str, *, max_memory: int) -> Model: ...

def merge(
    models: list[bytes],
    weights: list[float] | None = None,
    base: bytes | None = None,
    mean: str = ...,
    *,
    max_memory: int,
) -> Model: ...
def untaught(file: bytes) -> bytes: ...
def canonical_spec(text: str) -> str: ...
def codes(y: Any, known: dict[Any, int]) -> NDArray[np.int64] | None: ...
def is_plain(x: Any, features: int) -> bool: ...
def most_memory() -> int: ...
def read(paths: list[str], options: dict[str, Any], like: Model | None = None) -> dict[str, Any]: ...
def generate(name: str, rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
