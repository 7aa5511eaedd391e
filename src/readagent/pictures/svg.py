"""Pieces of SVG: text that is escaped and wrapped, and the frame around a picture."""

from __future__ import annotations

from textwrap import wrap
from unicodedata import east_asian_width

from readagent.core.markup import marked_up

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
