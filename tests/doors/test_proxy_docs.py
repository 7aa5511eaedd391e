"""What docs/proxy.md says in numbers and names is what the proxy does, and what the benchmark has found."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from readagent.models import server_info
from readagent.proxy import window

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "proxy.md").read_text("utf-8").split())
RESULTS = (ROOT / "benchmarks" / "results" / "proxy.md").read_text("utf-8")
FACTS, TOKENS = "facts that reach the model, %", "tokens in all, thousands"


def rows() -> list[dict[str, Any]]:
    """Return the rows of the benchmark's tables for methods, each with the facts of its table."""
    found = list[dict[str, Any]]()
    for part in RESULTS.split("\n## "):
        lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
        if lines and lines[0][0] == "method":
            facts = int(re.findall(r"(\d+) facts", part)[0])
            found += [{**dict(zip(lines[0], line, strict=True)), "facts": facts} for line in lines[2:]]
    return found


def shares(name: str, facts: int = 50) -> list[int]:
    return sorted(int(row[FACTS]) for row in rows() if row["method"] == name and row["facts"] == facts)


def test_the_servers_that_refuse_are_those_of_the_page() -> None:
    assert f"llama.cpp since build {server_info._LLAMA_CPP_REFUSES}" in PAGE
    known = {
        "OpenAI": "api.openai.com",
        "Anthropic": "api.anthropic.com",
        "Gemini": "generativelanguage.googleapis.com",
    }
    assert set(known.values()) == set(server_info._REFUSING_HOSTS)
    assert [one.lower() for one in ("vLLM", "SGLang")] == list(server_info._REFUSING_OWNERS)
    assert "those of OpenAI, Anthropic and Gemini, vLLM, SGLang," in PAGE
    assert ", ".join(f"`{name}`" for name in window._CUTTING[:-1]) + f" or `{window._CUTTING[-1]}`" in PAGE


def test_the_shares_of_the_page_are_those_of_the_benchmark() -> None:
    ours = sorted(int(row[FACTS]) for row in rows() if row["method"] == "readagent proxy")
    assert f"Through the proxy, {ours[0]} to {ours[-1]} % of them reach the model" in PAGE
    assert {row[FACTS] for row in rows() if row["method"] == "last messages and search"} == {"100"}
    attentive, last = shares("rolling summary, attentive"), shares("last messages")
    assert f"has {attentive[0]} to {attentive[-1]} % of 50 facts" in PAGE
    assert f"the last messages alone {last[0]} to {last[-1]} %" in PAGE
