"""Who appears with whom, as a picture: people as circles, and a line between two whom the same pages mention."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from readagent.core.markup import marked_up
from readagent.core.overviews.people import together_on_pages
from readagent.core.overviews.records import Person
from readagent.pictures.layout import Box, placed
from readagent.pictures.svg import cut, heading, picture, width_of

_WIDTH, _TOP, _MARGIN = 900.0, 56.0, 20.0
_TALLEST, _FOR_EACH = 1200.0, 32.0  # pixels of height: at most, and for each person
_GAP, _BELOW = 14.0, 28.0  # space between rows of people who appear with nobody, and height of the line below all
MOST = 30  # people of a picture: those who are mentioned most
_LINES = 90  # lines of a picture: the strongest
_NAME = 24  # columns
_LABEL = 18.0  # height of a name


def people_picture(title: str, people: Sequence[Person]) -> str:
    """Return a graph of the people as SVG. The same people always give the same picture."""
    shown = sorted(people, key=lambda one: (-one.mentions, one.name))[:MOST]
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
    if len(people) > MOST:
        parts.append(f'<text class="dim" x="24" y="{bottom + 18:.0f}">{MOST} of {len(people):,} people</text>')
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
