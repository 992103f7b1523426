"""Largest values of moving windows."""

from collections import deque


def rolling_max(values, width):
    """The largest of each `width` neighbours: every value enters and leaves the queue once."""
    queue, out = deque(), []
    for at, value in enumerate(values):
        while queue and queue[-1][1] <= value:
            queue.pop()
        queue.append((at, value))
        if queue[0][0] <= at - width:
            queue.popleft()
        if at >= width - 1:
            out.append(queue[0][1])
    return out


def rolling_max_plain(values, width):
    """The same, each window looked at anew."""
    return [max(values[at : at + width]) for at in range(len(values) - width + 1)]
