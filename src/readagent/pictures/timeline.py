"""A timeline as a picture: one event below the other, each with its time and place."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.markup import marked_up
from readagent.core.overviews.records import TimelineEvent
from readagent.pictures.svg import heading, lines_of, picture

_WIDTH, _AXIS, _LINE, _GAP, _TOP = 820, 190, 18, 14, 60
_COLUMNS, _TIME_COLUMNS = 72, 22
MOST = 400  # events of a picture


def timeline_picture(title: str, events: Sequence[TimelineEvent], places: Sequence[str]) -> str:
    """Return a timeline as SVG. ``places`` are those of the events, with a mark for what is not verified.

    At most ``MOST`` events are shown.
    """
    parts, y = [heading(title, _WIDTH)], float(_TOP)
    for event, place in zip(events[:MOST], places, strict=False):
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
        y += _LINE * max(len(told) + 1, len(time)) + _GAP
    axis = f'<line class="line" x1="{_AXIS}" y1="{_TOP - 12}" x2="{_AXIS}" y2="{y - _GAP:.0f}" stroke-width="2"/>'
    if len(events) > MOST:
        parts.append(f'<text class="dim" x="{_AXIS + 18}" y="{y:.0f}">and {len(events) - MOST:,} more</text>')
        y += _LINE
    return picture(_WIDTH, y + _GAP, title, "\n".join([axis, *parts]))
