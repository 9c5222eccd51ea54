"""The names of the package; `__init__.py` loads each when it is first asked for."""

from . import datasets as datasets
from . import distributed as distributed
from ._client import Client as Client
from ._client import ServerError as ServerError
from ._encoder import TableEncoder as TableEncoder
from ._estimators import *  # noqa: F403
from ._learner import Learner as Learner
from ._metrics import metrics as metrics
from ._models import load as load
from ._models import merge as merge
from ._native import __version__ as __version__
from ._onnx import register_onnx_converters as register_onnx_converters
from ._plots import plot_decision_boundary as plot_decision_boundary
from ._plots import plot_learning_curve as plot_learning_curve
from ._read import read as read
from ._specs import from_spec as from_spec
