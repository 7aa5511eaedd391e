"""The numbers in docs/scaling.md are those of the program and of the benchmark."""

from __future__ import annotations

import re

import pytest

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


def ratios() -> dict[str, dict[str, str]]:
    return {row["work"]: row for row in table(RESULTS, "## PostgreSQL against SQLite: the ratio")}


def of_clients(work: str, clients: int) -> dict[str, float]:
    """Return how much was done in a second with each library."""
    rows = table(RESULTS, "## Clients at once")
    return {
        row["library"]: float(row["a second"]) for row in rows if (row["work"], row["clients"]) == (work, str(clients))
    }


def test_the_limits_are_those_of_the_program() -> None:
    assert f"Version {OLDEST} is the oldest that is accepted" in WORDS
    assert f"waits up to `patience` seconds ({load_settings({}).patience:,.0f} by default)" in WORDS
    assert f"has not renewed its claim for {LIFETIME:.0f} seconds" in WORDS
    place = place_of("postgresql://ada@db.example.org/readagent", "")
    assert f"open at most this many connections in a process ({place.connections})" in WORDS


def test_the_growth_is_that_of_the_benchmark() -> None:
    growth = {
        work: [float(row[f"growth, {library}"]) for library in ("SQLite", "PostgreSQL")]
        for work, row in ratios().items()
        if row["growth, SQLite"]
    }
    assert growth["ask"] == pytest.approx([1, 1], abs=0.15)
    assert growth["list"][0] == pytest.approx(1, abs=0.15)
    assert growth["list"][1] < 1
    assert "costs 2 to 3 times as much" in WORDS
    assert sorted(round(one) for one in growth["find frequent"]) == [2, 3]


def test_what_many_clients_do_is_that_of_the_benchmark() -> None:
    asked, stored = of_clients("asks", 32), of_clients("stores", 32)
    more, less, second, left = (
        float(found)
        for pattern in (
            r"answered ([\d.]+) times as many",
            r"stored ([\d.]+) times as much",
            r"some (\d+) questions a second",
            r"more than (\d+) questions a second",
        )
        for found in re.findall(pattern, WORDS)
    )
    assert more == pytest.approx(float(ratios()["asks of many"]["median"]), abs=0.051)
    assert less == pytest.approx(float(ratios()["stores of many"]["median"]), abs=0.051)
    assert list(asked.values()) == pytest.approx([second, second], rel=0.1)
    assert left <= stored["SQLite"] < left + 100
    assert "libraries with 100 documents" in RESULTS
    assert "on libraries of 100 documents" in WORDS
