"""What docs/proxy.md says in numbers and names is what the proxy does, and what the benchmark has found."""

from __future__ import annotations

from pathlib import Path

from readagent.models import server_info
from readagent.proxy import window

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "proxy.md").read_text("utf-8").split())


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
