"""What strangers, other threads and odd memory may do: an ordinary exception, never the end of the interpreter."""

import gzip
import json
import struct
import threading
import zlib

import numpy as np
import pytest
from scipy import sparse

import onlinear
from onlinear import Perceptron, _native


def forged(data, **changes):
    """Give a model file in which keys of `preprocessing` are others, with the checksum that belongs to them."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    metadata["preprocessing"] = json.dumps({**json.loads(metadata["preprocessing"]), **changes})
    del metadata["checksum"]
    parts = [text.encode() for key in sorted(metadata) for text in (key, metadata[key])]
    for name in sorted(header):
        start, end = header[name]["data_offsets"]
        parts += [name.encode(), header[name]["dtype"].encode(), data[8 + length + start : 8 + length + end]]
    crc = 0
    for part in parts:
        crc = zlib.crc32(struct.pack("<Q", len(part)) + part, crc)
    metadata["checksum"] = f"crc32:{crc:08x}"
    text = json.dumps({"__metadata__": metadata, **header}).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


@pytest.mark.parametrize(("kernel", "attribute"), [("linear", "coef_"), ("gaussian", "support_vectors_")])
def test_sizes_are_checked_before_memory_is_asked_for(kernel, attribute, two_classes, monkeypatch):
    model = Perceptron(kernel=kernel, fit_intercept=False).fit(*two_classes)
    memory = _native.most_memory()
    monkeypatch.setattr(_native, "most_memory", lambda: min(memory, 10**10))
    wide = Perceptron.from_bytes(forged(model.to_bytes(), features=2**32 - 1))
    with pytest.raises(MemoryError):
        getattr(wide, attribute)


def test_arrays_may_change_while_they_are_learned_from():
    X = sparse.random(4000, 300, density=0.05, format="csr", random_state=1)
    y = np.arange(4000) % 2
    rows = X.indptr, X.indices, X.data  # past SciPy, which looks at them unguarded
    over = threading.Event()

    def change():
        good = X.indices.copy(), X.indptr.copy()
        while not over.is_set():
            X.indices[:], X.indptr[1:] = 2**31 - 1, 2**30
            X.indices[:], X.indptr[:] = good

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(200):
            model = _native.Model("perceptron", ["0", "1"], 300, max_memory=10**9)
            try:
                model.fit(rows, y, passes=3)
                model.scores(rows)
            except ValueError:
                pass
    finally:
        over.set()
        thread.join()


def test_arrays_of_odd_places_are_read_as_what_they_are(two_classes):
    X, y = two_classes
    records = np.zeros(X.shape, dtype=[("odd", "u1"), ("value", "f8")])
    records["value"] = X
    odd = records["value"]
    assert not odd.flags.aligned
    expected = Perceptron(random_state=1).fit(X, y).coef_
    assert np.array_equal(Perceptron(random_state=1).fit(odd, y).coef_, expected)
    csr = sparse.csr_matrix(X)
    buffer = bytearray(csr.data.nbytes + 1)
    data = np.frombuffer(buffer, dtype="f8", count=len(csr.data), offset=1)
    data[:] = csr.data
    csr.data = data
    assert not csr.data.flags.aligned
    assert np.array_equal(Perceptron(random_state=1).fit(csr, y).coef_, expected)


def test_different_labels_stay_different(tmp_path):
    for labels, kind in [
        (["9007199254740992", "9007199254740993"], "i"),
        (["10", "1_0"], "U"),
        (["0.1", "0.10000000000000000001"], "U"),
        (["18446744073709551616", "18446744073709551617"], "U"),
        (["-1", "+1"], "i"),
    ]:
        path = tmp_path / "data.svm"
        path.write_text("".join(f"{label} {i + 1}:1\n" for i, label in enumerate(labels)))
        _, y = onlinear.read(path)
        assert (len(set(y.tolist())), y.dtype.kind) == (2, kind), labels
        model = Perceptron().fit(np.eye(2), y)
        assert onlinear.Perceptron.from_bytes(model.to_bytes()).classes_.tolist() == model.classes_.tolist()


def test_text_of_any_encoding(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"a,class\n1,caf\xe9\n2,caf\xe8\n")
    refusal = r"data.csv:2:3: label .* is not UTF-8; name its encoding, such as encoding='latin1'"
    with pytest.raises(ValueError, match=refusal):
        onlinear.read(path)
    assert onlinear.read(path, encoding="latin1")[1].tolist() == ["café", "cafè"]
    path.write_text("a,class\n1,café\n", encoding="utf16")
    assert onlinear.read(path)[1].tolist() == ["café"]
    with pytest.raises(ValueError, match="unknown encoding 'latin'; there are utf8, latin1, utf16; did you mean"):
        onlinear.read(path, encoding="latin")
    path = tmp_path / "data.svm"
    path.write_text("1 1:1\n")
    with pytest.raises(ValueError, match="header= is for tables"):
        onlinear.read(path, header=True)


def test_memory_is_limited_for_all_that_is_read(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"," * 23_000_000 + b"\n"))
    with pytest.raises((MemoryError, ValueError), match="memory"):
        onlinear.read(path, label=1, max_memory=10**8)
    rows = tmp_path / "data.svm"
    rows.write_text("".join(f"1 {i % 50 + 1}:{i}.5\n" for i in range(1, 20_000)))
    with pytest.raises(MemoryError, match="its rows take"):
        onlinear.read(rows, max_memory=10**5)
    assert onlinear.read(rows)[0].shape == (19_999, 50)
    wide = tmp_path / "wide.svm"
    wide.write_text("1 4294967295:1\n" * 100)
    with pytest.raises(MemoryError, match="X as a dense array of shape"):
        onlinear.read(wide, sparse=False)


def test_the_limit_is_that_of_the_process():
    assert 0 < _native.most_memory() < 1 << 50
