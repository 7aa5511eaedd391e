"""Who appears with whom, as a picture: people as circles, and a line between two whom the same pages mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, hypot, pi, sin, sqrt

from readagent.core.markup import marked_up
from readagent.core.overviews.people import together_on_pages
from readagent.core.overviews.records import Person
from readagent.core.places import shortened
from readagent.pictures.svg import picture

_WIDTH, _HEIGHT, _MARGIN = 900.0, 720.0, 90.0
MOST = 30  # people of a picture: those who are mentioned most
_LINES = 90  # lines of a picture: the strongest
_ROUNDS = 300
_NAME = 24  # characters

Point = tuple[float, float]


def people_picture(title: str, people: Sequence[Person]) -> str:
    """Return a graph of the people as SVG. The same people always give the same picture."""
    shown = sorted(people, key=lambda one: (-one.mentions, one.name))[:MOST]
    together = together_on_pages(shown)
    strongest = dict(sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))[:_LINES])
    spots = _spread([one.name for one in shown], strongest)
    most = max(strongest.values(), default=1)
    parts = [f'<text class="title" x="24" y="32">{marked_up(title)}</text>']
    for (one, other), pages in strongest.items():
        (x1, y1), (x2, y2) = spots[one], spots[other]
        width = 1 + 5 * pages / most
        said = f"{one} and {other}: {pages} page{'' if pages == 1 else 's'}"
        parts.append(
            f'<line class="line" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="{width:.1f}">'
            f"<title>{marked_up(said)}</title></line>"
        )
    loudest = max((one.mentions for one in shown), default=1) or 1
    for person in shown:
        x, y = spots[person.name]
        radius = 6 + 16 * sqrt(person.mentions / loudest)
        parts.append(
            f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
            f"<title>{marked_up(person.about.text)}</title></circle>"
            f'<text x="{x:.1f}" y="{y + radius + 14:.1f}" text-anchor="middle">'
            f"{marked_up(shortened(person.name, _NAME))}</text>"
        )
    if len(people) > MOST:
        parts.append(f'<text class="dim" x="24" y="{_HEIGHT - 16:.0f}">{MOST} of {len(people):,} people</text>')
    return picture(_WIDTH, _HEIGHT, title, "\n".join(parts))


def _spread(names: Sequence[str], lines: Mapping[tuple[str, str], int]) -> dict[str, Point]:
    """Return where each person stands: all push each other away, and lines pull together, until they come to rest."""
    if not names:
        return {}
    places = {name: (cos(2 * pi * at / len(names)), sin(2 * pi * at / len(names))) for at, name in enumerate(names)}
    near = 1.6 / sqrt(len(names))
    for round_ in range(_ROUNDS):
        pull = {name: [-0.05 * places[name][0], -0.05 * places[name][1]] for name in names}
        for at, one in enumerate(names):
            for other in names[at + 1 :]:
                dx, dy = places[one][0] - places[other][0], places[one][1] - places[other][1]
                apart = max(hypot(dx, dy), 1e-3)
                force = near * near / apart / apart
                if lines.get((one, other)):
                    force -= apart / near * 0.5
                pull[one][0] += dx / apart * force
                pull[one][1] += dy / apart * force
                pull[other][0] -= dx / apart * force
                pull[other][1] -= dy / apart * force
        most = 0.1 * (1 - round_ / _ROUNDS)
        for name in names:
            x, y = pull[name]
            length = max(hypot(x, y), 1e-9)
            step = min(length, most) / length
            places[name] = places[name][0] + x * step, places[name][1] + y * step
    return _scaled(places)


def _scaled(places: Mapping[str, Point]) -> dict[str, Point]:
    """Return the places so that they fill the picture."""
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]

    def scale(value: float, low: float, high: float, size: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return _MARGIN + share * (size - 2 * _MARGIN)

    return {
        name: (scale(x, min(xs), max(xs), _WIDTH), scale(y, min(ys), max(ys), _HEIGHT))
        for name, (x, y) in places.items()
    }
