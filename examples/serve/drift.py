"""A stream that changes: a direction turns, and the label says on which side of it a row is. Labels come late.

python drift.py [URL] [ROWS]
"""

import itertools
import math
import random
import sys
import time
from collections import deque

from onlinear import Client

FEATURES, BATCH, LATE = 10, 20, 5


def rows(seed=1):
    """Rows with their labels, for ever."""
    draw = random.Random(seed)
    for t in itertools.count():
        angle = 2 * math.pi * t / 20_000
        x = [draw.gauss(0, 1) for _ in range(FEATURES)]
        score = math.cos(angle) * x[0] + math.sin(angle) * x[1] + 0.1 * draw.gauss(0, 1)
        yield {f"x{i}": value for i, value in enumerate(x)}, int(score > 0)


def main(url="http://127.0.0.1:8571", count=None):
    """Send the rows, and each one's label some batches later."""
    client, waiting = Client(url), deque()
    stream = itertools.islice(rows(), int(count) if count else None)
    sent = wrong = 0
    while batch := list(itertools.islice(stream, BATCH)):
        told = client.predict([features for features, _ in batch], remember=True)
        wrong += sum(answer["label"] != str(label) for answer, (_, label) in zip(told, batch, strict=True))
        sent += len(batch)
        waiting.append(([answer["id"] for answer in told], [label for _, label in batch]))
        if len(waiting) > LATE:
            client.label(*waiting.popleft())
        if sent % 1000 == 0:
            print(f"{sent} rows, {100 * wrong / sent:.2f} % wrong", flush=True)
        time.sleep(0.005)
    while waiting:
        client.label(*waiting.popleft())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        pass
