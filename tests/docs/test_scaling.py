"""The numbers in docs/scaling.md are those of the program and of the benchmark."""

from __future__ import annotations

from docs.pages import ROOT
from readagent.library.leases import LIFETIME
from readagent.library.postgres_errors import OLDEST
from readagent.library.postgres_url import place_of
from readagent.settings import load_settings

PAGE = (ROOT / "docs" / "scaling.md").read_text("utf-8")
WORDS = " ".join(PAGE.split())
RESULTS = (ROOT / "benchmarks" / "results" / "postgres.md").read_text("utf-8")


def table(text: str, title: str) -> list[dict[str, str]]:
    """Return the rows of the first table after a line with this title."""
    rows = list[list[str]]()
    for line in text[text.index(title) :].splitlines()[1:]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def test_the_limits_are_those_of_the_program() -> None:
    assert f"Version {OLDEST} is the oldest that is accepted" in WORDS
    assert f"waits up to `patience` seconds ({load_settings({}).patience:,.0f} by default)" in WORDS
    assert f"has not renewed its claim for {LIFETIME:.0f} seconds" in WORDS
    place = place_of("postgresql://ada@db.example.org/readagent", "")
    assert f"open at most this many connections in a process ({place.connections})" in WORDS
