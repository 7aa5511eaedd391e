"""Overviews as pictures in SVG: who appears with whom, and a timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import cos, hypot, pi, sin, sqrt
from textwrap import wrap
from unicodedata import east_asian_width

from readagent.core.escaping import marked_up
from readagent.core.overviews.people import together_on_pages
from readagent.core.overviews.points import Person, TimelineEvent

_TITLE_COLUMN = 10.5  # pixels of a column of a title, about
_NARROW, _SMALL, _CAPITAL, _WIDE = 5.0, 8.2, 9.6, 13.0  # pixels of a letter in a font that runs wide
_STYLE = """
  :root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --dim: #656d76; --line: #d0d7de; --mark: #0969da; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6edf3; --paper: #0d1117; --dim: #8d96a0; --line: #30363d; --mark: #4493f8; }
  }
  svg { background: var(--paper); }
  text { fill: var(--ink); font: 13px system-ui, sans-serif; }
  .title { font-size: 17px; font-weight: 600; }
  .dim { fill: var(--dim); font-size: 12px; }
  .line { stroke: var(--line); }
  .label { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
  .mark { fill: var(--mark); }
"""


def picture(width: float, height: float, title: str, body: str) -> str:
    """Return an SVG file with a title, which screen readers read, too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{marked_up(title)}">\n<title>{marked_up(title)}</title>\n'
        f"<style>{_STYLE}</style>\n{body}\n</svg>\n"
    )


def page(title: str, svg: str) -> str:
    """Return an HTML file with a picture."""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{marked_up(title)}</title>\n"
        "<style>body { margin: 0; text-align: center; background: var(--paper); } "
        f"svg {{ max-width: 100%; height: auto; }}</style>\n{svg}</html>\n"
    )


def heading(title: str, width: float) -> str:
    """Return the title of a picture, cut so that it fits."""
    return f'<text class="title" x="24" y="32">{marked_up(cut(title, int((width - 48) / _TITLE_COLUMN)))}</text>'


def columns_of(text: str) -> int:
    """Return how many columns a text takes; wide letters take two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def width_of(text: str) -> float:
    """Return how many pixels a text takes at most, in the usual fonts."""
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in " .,:;'’`|!iljtfrI()[]-":
        return _NARROW
    if letter in "mwMW@%&—…" or east_asian_width(letter) in "WF":
        return _WIDE
    return _CAPITAL if letter.isupper() else _SMALL


def cut(text: str, columns: int) -> str:
    """Return a text on one line in at most so many columns, with … for what is left out."""
    text = " ".join(text.split())
    if columns_of(text) <= columns:
        return text
    kept = text
    while columns_of(kept) >= columns:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def lines_of(text: str, columns: int) -> list[str]:
    """Return a text in lines of about so many columns; wide letters count as two."""
    text = " ".join(text.split())
    share = columns_of(text) / max(1, len(text))
    return wrap(text, max(8, int(columns / share))) or [""]


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


_WIDTH, _TOP, _MARGIN = 900.0, 56.0, 20.0
_TALLEST, _FOR_EACH = 1200.0, 32.0  # pixels of height: at most, and for each person
_GAP, _BELOW = 14.0, 28.0  # space between rows of people who appear with nobody, and height of the line below all
MOST_PEOPLE = 30  # people of a picture: those who are mentioned most
_LINES = 90  # lines of a picture: the strongest
_NAME = 24  # columns
_LABEL = 18.0  # height of a name


def people_picture(title: str, people: Sequence[Person]) -> str:
    """Return a graph of the people as SVG. The same people always give the same picture."""
    shown = sorted(people, key=lambda one: (-one.mentions, one.name))[:MOST_PEOPLE]
    together = together_on_pages(shown)
    strongest = dict(sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))[:_LINES])
    connected = {name for pair in strongest for name in pair}
    loudest = max((one.mentions for one in shown), default=1) or 1
    boxes = {one.name: _box(one, loudest) for one in shown}
    graph = {name: box for name, box in boxes.items() if name in connected}
    height = min(_TALLEST, 160 + _FOR_EACH * len(graph)) if graph else 0.0
    spots = placed(graph, strongest, _WIDTH - 2 * _MARGIN, height)
    spots = {name: (x + _MARGIN, y + _TOP) for name, (x, y) in spots.items()}
    alone, bottom = _in_rows([name for name in boxes if name not in connected], boxes, _TOP + height)
    spots |= alone
    parts = [heading(title, _WIDTH), *_drawn_lines(strongest, spots)]
    parts += [_drawn(person, *spots[person.name], boxes[person.name].radius) for person in shown]
    if len(people) > MOST_PEOPLE:
        parts.append(f'<text class="dim" x="24" y="{bottom + 18:.0f}">{MOST_PEOPLE} of {len(people):,} people</text>')
    return picture(_WIDTH, bottom + _BELOW, title, "\n".join(parts))


def _box(person: Person, loudest: int) -> Box:
    return Box(6 + 16 * sqrt(person.mentions / loudest), width_of(cut(person.name, _NAME)), _LABEL)


def _in_rows(names: Sequence[str], boxes: dict[str, Box], top: float) -> tuple[dict[str, tuple[float, float]], float]:
    """Return where people stand who appear with nobody, in rows below the others, and where these end."""
    spots: dict[str, tuple[float, float]] = {}
    radius = max((boxes[name].radius for name in names), default=0.0)
    row = 2 * radius + _LABEL + _GAP
    x, y = _MARGIN, top + _GAP + radius
    for name in names:
        width = max(boxes[name].width, 2 * boxes[name].radius) + _MARGIN
        if x + width > _WIDTH - _MARGIN and x > _MARGIN:
            x, y = _MARGIN, y + row
        spots[name] = x + width / 2, y
        x += width
    return spots, (y + row - radius if names else top)


def _drawn_lines(lines: dict[tuple[str, str], int], spots: dict[str, tuple[float, float]]) -> list[str]:
    most = max(lines.values(), default=1)
    drawn = []
    for (one, other), pages in lines.items():
        (x1, y1), (x2, y2) = spots[one], spots[other]
        said = f"{one} and {other}: {pages} page{'' if pages == 1 else 's'}"
        drawn.append(
            f'<line class="line" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke-width="{1 + 5 * pages / most:.1f}"><title>{marked_up(said)}</title></line>'
        )
    return drawn


def _drawn(person: Person, x: float, y: float, radius: float) -> str:
    return (
        f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
        f"<title>{marked_up(person.about.text or person.name)}</title></circle>"
        f'<text class="label" x="{x:.1f}" y="{y + radius + 14:.1f}" text-anchor="middle">'
        f"<title>{marked_up(person.name)}</title>{marked_up(cut(person.name, _NAME))}</text>"
    )


_ACROSS, _AXIS, _LINE, _STEP, _HEAD = 820, 190, 18, 14, 60
_COLUMNS, _TIME_COLUMNS = 72, 22
MOST_EVENTS = 400  # events of a picture


def timeline_picture(title: str, events: Sequence[TimelineEvent], places: Sequence[str]) -> str:
    """Return a timeline as SVG. ``places`` are those of the events, with a mark for what is not verified.

    At most ``MOST_EVENTS`` events are shown.
    """
    parts, y = [heading(title, _ACROSS)], float(_HEAD)
    for event, place in zip(events[:MOST_EVENTS], places, strict=False):
        told = lines_of(event.point.text, _COLUMNS)
        time = lines_of(event.when or event.date, _TIME_COLUMNS) if event.when or event.date else []
        parts.append(f'<circle class="mark" cx="{_AXIS}" cy="{y - 4:.0f}" r="5"/>')
        parts += [
            f'<text x="{_AXIS - 16}" y="{y + at * _LINE:.0f}" text-anchor="end">{marked_up(line)}</text>'
            for at, line in enumerate(time)
        ]
        parts += [
            f'<text x="{_AXIS + 18}" y="{y + at * _LINE:.0f}">{marked_up(line)}</text>' for at, line in enumerate(told)
        ]
        parts.append(f'<text class="dim" x="{_AXIS + 18}" y="{y + len(told) * _LINE:.0f}">{marked_up(place)}</text>')
        y += _LINE * max(len(told) + 1, len(time)) + _STEP
    axis = f'<line class="line" x1="{_AXIS}" y1="{_HEAD - 12}" x2="{_AXIS}" y2="{y - _STEP:.0f}" stroke-width="2"/>'
    if len(events) > MOST_EVENTS:
        parts.append(f'<text class="dim" x="{_AXIS + 18}" y="{y:.0f}">and {len(events) - MOST_EVENTS:,} more</text>')
        y += _LINE
    return picture(_ACROSS, y + _STEP, title, "\n".join([axis, *parts]))
