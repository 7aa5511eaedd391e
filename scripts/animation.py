"""Draws what happened on a screen as an SVG that plays once and then stays. It refers to nothing outside itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from screen import Run, Style

_CELL, _LINE, _SIZE = 8.4, 20, 14  # pixels: width of a character, height of a line, size of the font
_PADDING, _BAR = 18, 38
_COLOURS = {"": "#d6deeb", "black": "#7f8ea3", "red": "#ff7b72", "green": "#7ee787", "yellow": "#f2cc60",
            "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#ffffff"}  # fmt: skip
_DIM = "#8592a6"
_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>{title}</title>
<desc>{about}</desc>
<style>
text {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  font-size: {size}px; white-space: pre }}
.bar {{ font-family: system-ui, sans-serif; font-size: 13px; fill: {dim} }}
.passing {{ visibility: hidden }}
@keyframes on {{ from {{ visibility: hidden }} to {{ visibility: visible }} }}
@keyframes off {{ to {{ visibility: hidden }} }}
@media (prefers-reduced-motion: reduce) {{ g {{ animation: none !important }} }}
</style>
<rect width="{width}" height="{height}" rx="10" fill="#0f1724"/>
<circle cx="22" cy="19" r="6" fill="#ff5f57"/>
<circle cx="42" cy="19" r="6" fill="#febc2e"/>
<circle cx="62" cy="19" r="6" fill="#28c840"/>
<text class="bar" x="{middle}" y="24" text-anchor="middle">{title}</text>
{rows}
</svg>
"""


@dataclass(frozen=True, slots=True)
class Span:
    """What one row showed from one second on, and until when; None if it stays."""

    row: int
    runs: tuple[Run, ...]
    start: float
    end: float | None = None


def draw(spans: Iterable[Span], columns: int, *, title: str, about: str) -> str:
    """Return the SVG of all that rows of a screen showed."""
    spans = [span for span in spans if span.runs]
    width = round(columns * _CELL + 2 * _PADDING)
    height = _BAR + _LINE * (max(span.row for span in spans) + 1) + _PADDING
    return _FRAME.format(
        width=width, height=height, middle=width // 2, size=_SIZE, dim=_DIM,
        title=escape(title), about=escape(about), rows="\n".join(map(_row, spans)),
    )  # fmt: skip


def _row(span: Span) -> str:
    """Return a row that appears and, if it does not stay, disappears."""
    baseline = _BAR + _LINE * span.row + _SIZE
    texts = "".join(_text(run, baseline) for run in span.runs)
    if span.end is None:
        return f'<g style="animation: on 0s {span.start:.2f}s both">{texts}</g>'
    shown = f"on 0s {span.start:.2f}s both, off 0s {span.end:.2f}s forwards"
    return f'<g class="passing" style="animation: {shown}">{texts}</g>'


def _text(run: Run, baseline: int) -> str:
    # textLength keeps the columns aligned, whatever font there is
    place = f'x="{_PADDING + run.column * _CELL:.1f}" y="{baseline}" textLength="{len(run.text) * _CELL:.1f}"'
    return f"<text {place}{_look(run.style)}>{escape(run.text, quote=False)}</text>"


def _look(style: Style) -> str:
    fill = _DIM if style.dim else _COLOURS[style.colour]
    return f' fill="{fill}"' + (' font-weight="bold"' if style.bold else "")
