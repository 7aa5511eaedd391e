"""Transcripts: what methods saw and answered, side by side; text of others is escaped, and evidence is marked."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bench.studies import case, conduct
from readagent.core.model import Ask
from readagent.testing.scripted import ScriptedModel
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Rating
from readagent_bench.records import Prediction
from readagent_bench.report.loaded import load_run
from readagent_bench.report.transcripts import evidence_of, transcripts
from sessions import run, sensible

HOSTILE = "<script>alert('gist')</script>"
CASE = case("one")
START = CASE.document.text.index("W30 w31")
SPAN = (START, START + len("W30 w31 w32 w33"))


def answers(ask: Ask) -> str:
    if ask.step == "gist":
        return f"{HOSTILE} {sensible(ask)}"
    return '<img src=x onerror="alert(1)">' if ask.step == "respond" and ask.choice is None else sensible(ask)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with two raters, whose gists, answers and names of raters have markup in them."""
    examples = tuple(replace(one, spans=(SPAN,)) for one in CASE.examples)
    cases = [replace(CASE, examples=examples)]
    made = run(
        conduct(
            tmp_path_factory.mktemp("t") / "run", ScriptedModel(answers), ["readagent-p:2", "full", "bm25:1"], cases
        )
    )
    for one in made.records(Prediction):
        for rater, grade in (("anna <b>", "exact"), ("bela", "none")):
            if one.kind == "free":
                made.add(Rating(rater, *one.key, one.text, grade, ("yes",), ("partially",)))  # type: ignore[arg-type]
    return made


class Elements(HTMLParser):
    """The elements of a page, and the text of those with a class."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def count(self, tag: str, **wanted: str) -> int:
        return sum(
            name == tag and all(found.get(key) == value for key, value in wanted.items()) for name, found in self.tags
        )


def page(folder: RunFolder, *methods: str) -> str:
    examples = tuple(replace(one, spans=(SPAN,)) for one in CASE.examples)
    evidence = evidence_of([replace(CASE, examples=examples)])
    return transcripts([(load_run(folder), folder)], "A run", methods, evidence)


def test_every_question_has_a_column_for_each_method(folder: RunFolder) -> None:
    found = Elements(page(folder))
    assert found.count("article") == 6
    assert found.count("input", type="checkbox") == 3 + 2, "a box for each method, and the filters"
    text = page(folder, "full", "readagent-p:2")
    assert Elements(text).count("article") == 4
    assert text.index("<h3>Full text") < text.index("<h3>ReadAgent-P 1-2"), "in the order asked for"


def test_text_of_others_is_escaped_and_nothing_is_loaded(folder: RunFolder) -> None:
    text = page(folder)
    found = Elements(text)
    assert "&lt;script&gt;alert(" in text
    assert HOSTILE not in text
    assert found.count("script") == 1
    assert found.count("img") == found.count("link") == found.count("b") == 0
    assert not any("src" in about or "href" in about or "onerror" in about for _, about in found.tags)


def test_look_up_pages_evidence_and_all_verdicts_are_shown(folder: RunFolder) -> None:
    text = page(folder, "readagent-p:2")
    assert "Pages: 1, 0" in text
    assert "<mark>W30 w31 w32 w33</mark>" in text
    assert '<span class="evidence">evidence</span>' in text
    assert "<summary>not opened</summary>" in text
    assert "anna &lt;b&gt;: exact (strict: yes; permissive: partially)" in text
    assert "bela: none (strict: yes; permissive: partially)" in text
    whole = page(folder, "full")
    assert "<summary>shown to the model</summary>" in whole
    assert "opened</summary>" not in whole


def test_the_page_is_written_next_to_the_report(
    folder: RunFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from cli.console import Console

    console = Console(capsys, monkeypatch)
    done = console.done("bench", "report", folder.path, "--transcripts", "all", "--out", tmp_path / "out")
    assert done.out.splitlines()[-1].endswith("report.html, transcripts.html")
    assert "<article" in (tmp_path / "out" / "transcripts.html").read_text("utf-8")
    assert console("bench", "report", folder.path, "--data", tmp_path).code == 2
