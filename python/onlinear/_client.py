"""A client of `onlinear serve`: the standard library is all that it needs."""

import json
import os
import urllib.error
import urllib.request

_JSON_LINES = "application/x-ndjson"


class ServerError(Exception):
    """The server refused a request. `status` is that of HTTP; `line` and `column` are given where a row is wrong."""

    def __init__(self, status, message, line=None, column=None):
        super().__init__(message)
        self.status, self.line, self.column = status, line, column


class Client:
    """A client of a server at `url`, such as ``http://127.0.0.1:8571``.

    Rows are dicts of features, ``{"age": 31, "city": "Oslo"}``, or text in one of the formats that the server
    takes, with its `content_type`. Answers are dicts, one for each row, in their order.

    Parameters
    ----------
    url : str
        Where the server listens.
    token : str, optional
        What the server wants to be shown; else the environment's ``ONLINEAR_TOKEN``, where there is one.
    timeout : float
        How long to wait for an answer, in seconds.
    """

    def __init__(self, url="http://127.0.0.1:8571", token=None, timeout=30.0):
        self.url = url.rstrip("/")
        self.token = token if token is not None else os.environ.get("ONLINEAR_TOKEN")
        self.timeout = timeout

    def predict(self, rows, remember=False, content_type=_JSON_LINES):
        """Predict rows. With `remember`, answers carry an ``id`` by which :meth:`label` learns them later."""
        body = rows if isinstance(rows, (str, bytes)) else _lines({"features": _plain(row)} for row in rows)
        return self._rows("/predict?remember" if remember else "/predict", body, content_type)

    def learn(self, rows, labels=None, ids=None, weights=None, content_type=_JSON_LINES):
        """Learn from rows, in their order. When it returns they are on the server's disk.

        A row with an id that the server knows is answered again and not learned again: with `ids`, a request that
        failed may be sent once more.
        """
        if isinstance(rows, (str, bytes)):
            return self._rows("/learn", rows, content_type)
        rows = list(rows)
        objects = [{"features": _plain(row)} for row in rows]
        for key, values in (("weight", weights), ("id", ids), ("label", labels)):
            if values is None:
                continue
            values = list(values)
            if len(values) != len(rows):
                raise ValueError(f"there must be a {key} for each of the {len(rows)} rows, not {len(values)}")
            objects = [{key: _scalar(value), **row} for value, row in zip(values, objects, strict=True)]
        return self._rows("/learn", _lines(objects), content_type)

    def label(self, ids, labels):
        """Learn rows that were predicted with `remember`, by their labels.

        An answer with ``error`` is of a row that is forgotten.
        """
        ids, labels = list(ids), list(labels)
        if len(ids) != len(labels):
            raise ValueError(f"there must be a label for each of the {len(ids)} ids, not {len(labels)}")
        pairs = zip(ids, labels, strict=True)
        return self._rows("/label", _lines({"id": one, "label": _scalar(label)} for one, label in pairs), _JSON_LINES)

    def model(self):
        """Fetch the model file as it stands, as bytes: :func:`onlinear.load` and `onlinear predict` take it."""
        return self._ask("/model")

    def snapshot(self):
        """Make the server save a snapshot; how many rows of its log are in it."""
        return json.loads(self._ask("/snapshot", b""))["rows"]

    def metrics(self):
        """Fetch what the server counts, in Prometheus' text format."""
        return self._ask("/metrics").decode()

    def _rows(self, path, body, content_type):
        body = body.encode() if isinstance(body, str) else body
        return [json.loads(line) for line in self._ask(path, body, content_type).splitlines()]

    def _ask(self, path, body=None, content_type="text/plain"):
        request = urllib.request.Request(self.url + path, data=body)
        if body is not None:
            request.add_header("Content-Type", content_type)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None

    def __repr__(self):
        return f"Client({self.url!r})"


def _refusal(error):
    text = error.read().decode(errors="replace")
    try:
        told = json.loads(text)
        return ServerError(error.code, told["error"], told.get("line"), told.get("column"))
    except (ValueError, KeyError, TypeError):
        return ServerError(error.code, text.strip() or error.reason)


def _lines(objects):
    return "".join(json.dumps(one, allow_nan=False, ensure_ascii=False) + "\n" for one in objects)


def _plain(row):
    return {str(name): _scalar(value) for name, value in row.items()}


def _scalar(value):
    """Turn a number of NumPy's into one of Python's."""
    return value.item() if hasattr(value, "item") else value
