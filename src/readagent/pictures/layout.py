"""Where the nodes of a graph stand: near those that they are connected with, and never on top of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import cos, hypot, pi, sin, sqrt

_ROUNDS = 300
_APART = 400  # rounds in which nodes that overlap are moved apart
_SPACE = 6.0  # pixels between two nodes

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """The size of a node: a circle with a label below it."""

    radius: float
    width: float
    label: float

    def edges(self, x: float, y: float) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom if the centre of the circle is there."""
        half = max(self.radius, self.width / 2)
        return x - half, y - self.radius, x + half, y + self.radius + self.label


def placed(
    boxes: Mapping[str, Box], lines: Mapping[tuple[str, str], int], width: float, height: float
) -> dict[str, Spot]:
    """Return the centres of the circles in a picture of this size; the same graph always gives the same places."""
    if not boxes:
        return {}
    return _without_overlaps(_scaled(_spread(list(boxes), lines), boxes, width, height), boxes, width, height)


def _spread(names: Sequence[str], lines: Mapping[tuple[str, str], int]) -> dict[str, Spot]:
    """Return places at which all push each other away and lines pull together, until they come to rest.

    A line pulls by its share of all lines of its ends, so that those with many lines are not crowded.
    """
    places = {name: (cos(2 * pi * at / len(names)), sin(2 * pi * at / len(names))) for at, name in enumerate(names)}
    total = {name: sum(pages for pair, pages in lines.items() if name in pair) for name in names}
    near = 1.6 / sqrt(len(names))
    for round_ in range(_ROUNDS):
        pull = {name: [-0.05 * places[name][0], -0.05 * places[name][1]] for name in names}
        for one, other in combinations(names, 2):
            dx, dy = places[one][0] - places[other][0], places[one][1] - places[other][1]
            apart = max(hypot(dx, dy), 1e-3)
            pages = lines.get((one, other), 0) or lines.get((other, one), 0)
            force = near * near / apart / apart
            force -= 2 * apart / near * pages / max(total[one], total[other], 1)
            for name, sign in ((one, 1), (other, -1)):
                pull[name][0] += sign * dx / apart * force
                pull[name][1] += sign * dy / apart * force
        most = 0.1 * (1 - round_ / _ROUNDS)
        for name in names:
            x, y = pull[name]
            length = max(hypot(x, y), 1e-9)
            step = min(length, most) / length
            places[name] = places[name][0] + x * step, places[name][1] + y * step
    return places


def _scaled(places: Mapping[str, Spot], boxes: Mapping[str, Box], width: float, height: float) -> dict[str, Spot]:
    """Return the places so that they fill the picture."""
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]

    def scale(value: float, values: Sequence[float], first: float, last: float) -> float:
        low, high = min(values), max(values)
        return first + ((value - low) / (high - low) if high > low else 0.5) * (last - first)

    spots = {}
    for name, (x, y) in places.items():
        left, top, right, bottom = boxes[name].edges(0, 0)
        spots[name] = scale(x, xs, -left, width - right), scale(y, ys, -top, height - bottom)
    return spots


def _without_overlaps(
    places: Mapping[str, Spot], boxes: Mapping[str, Box], width: float, height: float
) -> dict[str, Spot]:
    """Return the places with nodes that overlap moved apart, sideways or up and down, whichever is less."""
    spots = {name: [x, y] for name, (x, y) in places.items()}
    for _ in range(_APART):
        moved = False
        for one, other in combinations(spots, 2):
            a, b = boxes[one].edges(*spots[one]), boxes[other].edges(*spots[other])
            overlap = [min(a[2], b[2]) - max(a[0], b[0]) + _SPACE, min(a[3], b[3]) - max(a[1], b[1]) + _SPACE]
            if min(overlap) <= 0.1:
                continue
            moved, axis = True, 0 if overlap[0] < overlap[1] else 1
            sign = 1 if (spots[one][axis], one) > (spots[other][axis], other) else -1
            spots[one][axis] += sign * overlap[axis] / 2
            spots[other][axis] -= sign * overlap[axis] / 2
        for name, spot in spots.items():
            left, top, right, bottom = boxes[name].edges(0, 0)
            spot[0] = min(max(spot[0], -left), width - right)
            spot[1] = min(max(spot[1], -top), height - bottom)
        if not moved:
            break
    return {name: (x, y) for name, (x, y) in spots.items()}
