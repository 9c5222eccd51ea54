"""The native half of the package."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

#: A dense array, or `indptr`, `indices`, `data` of a CSR matrix.
Rows = NDArray[np.float64] | NDArray[np.float32] | tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

class Model:
    """A learner with its classes and stages, fresh or learned."""

    classes: list[str]
    def __init__(
        self,
        spec: str,
        classes: list[str],
        features: int,
        *,
        bias: float | None = None,
        scale: str | None = None,
        normalize: str | None = None,
        map: str | None = None,
        shuffle: int | None = None,
        class_weights: str | list[tuple[str, float]] | None = None,
        max_memory: int,
    ) -> None: ...
    def fit(
        self,
        x: Rows,
        y: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        *,
        passes: int = 1,
        trace: bool = False,
        certificate: bool = False,
    ) -> dict[str, Any]: ...
    def go_on(
        self,
        x: Rows,
        y: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        *,
        passes: int | None = None,
        trace: bool = False,
    ) -> dict[str, Any]: ...
    def scores(self, x: Rows) -> NDArray[np.float64]: ...
    def predict(self, x: Rows) -> NDArray[np.int64]: ...
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
    @staticmethod
    def from_bytes(bytes: bytes, *, max_memory: int) -> Model: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str, *, max_memory: int) -> Model: ...

def merge(models: list[Model], mix: list[float]) -> Model: ...
def canonical_spec(text: str) -> str: ...
def most_memory() -> int: ...
def read(path: str, options: dict[str, Any]) -> dict[str, Any]: ...
def generate(name: str, rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
