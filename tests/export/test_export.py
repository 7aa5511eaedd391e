"""What other programs get: records and exports."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from library.shelf import answer_to, memory_of
from readagent import ReadAgent
from readagent.core.escaping import visible
from readagent.core.question import Quote
from readagent.core.statement import Statement, Support
from readagent.export.html import as_html
from readagent.export.markdown import as_markdown
from readagent.library import Library
from readagent.records import Record, answers, documents, export, filling, jobs, overviews, plain, servers
from readagent.records.export import as_json
from readagent.testing import Skimmer
from sessions import EXAMPLES

TEXT = "One\n\nAnna & Ben weigh <b>salt</b> for 100% of the {town}.\n\nTwo\n\nThey leave it at the river_side, both of them."


@pytest.fixture
def kept() -> Library:
    """A library with a text that was read twice, in different pages, and asked each time."""
    library = Library.in_memory()
    for size in (40, 60):
        memory = replace(memory_of(TEXT, title="Salt & Sea: a_story", size=size), model=f"model-{size}")
        document = library.add(memory.document)
        number = library.start_reading(
            document, memory.key, model=memory.model, prompts=memory.prompts, plan=memory.plan, window=None
        )
        library.finish_reading(number, memory)
        start = TEXT.index("They leave")
        quote = Quote("They leave it at the river_side", 7, 0, start, start + 31, "an old form of the place")
        answer = replace(answer_to(f"Asked of pages of {size}?"), quotes=(quote,))
        library.keep_answer(document, memory.key, answer, model="m")
    return library


def test_an_answer_from_other_pages_is_marked_and_its_quotes_are_on_the_pages_of_the_export(kept: Library) -> None:
    memory = kept.memory(kept.documents()[0].id)
    assert memory is not None
    assert memory.model == "model-60"
    same, other = kept.answers_to(memory)
    assert (same.other_pages, same.pages) == (False, (1, 0))
    assert (other.other_pages, other.pages, other.did_not_fit) == (True, (), ())
    for answer in (same, other):
        (quote,) = answer.quotes
        page = memory.pages[quote.page]
        assert page.start <= quote.start < page.end
        assert quote.place == memory.document.place_at(quote.start)
    markdown = as_markdown(memory, [same, other])
    assert markdown.count("*Asked when the text was divided into other pages.*") == 1
    assert markdown.count("*Opened: page 2; page 1.*") == 1
    assert b'"other_pages": true' in as_json(memory, [same, other])


def test_every_link_of_the_html_has_a_target_and_texts_are_escaped(kept: Library) -> None:
    memory = kept.memory(kept.documents()[0].id)
    assert memory is not None
    page = as_html(memory, kept.answers_to(memory))
    links, targets = re.findall(r'href="#([^"]+)"', page), re.findall(r'id="([^"]+)"', page)
    assert len(links) >= 2 * len(memory.pages) + 2
    assert set(links) <= set(targets)
    assert len(set(targets)) == len(targets)
    assert "<b>" not in page
    assert "Anna &amp; Ben weigh &lt;b&gt;salt&lt;/b&gt;" in page
    assert "<script" not in page


def test_exports_mark_passages_that_support_nothing(kept: Library) -> None:
    memory = kept.memory(kept.documents()[0].id)
    assert memory is not None
    (answer, _) = kept.answers_to(memory)
    passage = replace(answer.quotes[0], by_us=True)
    absent = replace(answer, found_in_text=False)
    ours = replace(answer, quotes=(passage,))
    dropped = replace(answer, false_quotes=2)
    doubtful = replace(answer, support=Support((Statement("It is salt.", "unsupported"),), "model"))
    for one, mark in (
        (absent, "Nearest passages:"),
        (ours, "Nearest passages, found for this answer:"),
        (dropped, "2 quotes of the model were not in the text."),
        (doubtful, "Checked: 0 of 1 statement supported."),
    ):
        assert mark in as_markdown(memory, [one])
        assert mark in as_html(memory, [one])


@pytest.mark.parametrize("title", ['Salt: "the" \\ sea', "\x1b[31m\x9b"])
def test_front_matter_is_yaml_with_the_title_whatever_it_is(title: str) -> None:
    memory = memory_of(TEXT, title=title, source="/a/b: c.txt")
    memory = replace(memory, document=replace(memory.document, metadata={"author": "Ann: #1"}))
    _, front, rest = as_markdown(memory).split("---\n", 2)
    found = yaml.safe_load(front)
    assert found["title"] == visible(" ".join(title.split()))
    assert (found["author"], found["source"], found["tags"]) == ("Ann: #1", "/a/b: c.txt", ["readagent"])
    assert (found["words"], found["pages"]) == (memory.full_words, len(memory.pages))
    assert rest.startswith("\n# ")


FIELDS = Path(__file__).with_name("fields.json")


def test_no_field_is_renamed_or_removed_by_accident() -> None:
    modules = (answers, documents, overviews, filling, jobs, servers, export)
    kinds = [kind for module in modules for kind in vars(module).values()]
    now = {
        kind.__name__: sorted(kind.__struct_encode_fields__)
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, Record)
    }
    assert now == json.loads(FIELDS.read_text("utf-8"))


def test_an_answer_is_the_same_in_every_door(own_home: Path) -> None:
    with Library(own_home) as library, ReadAgent(Skimmer(), library=library) as agent:
        memory = agent.read(EXAMPLES / "story.txt")
        answer = agent.ask(memory, "What did Mira's mother keep in the tin?")
        printed = plain(answers.new_answer(memory, answer))
        kept = library.answers_to(memory)
        listed = plain(answers.answer_records(kept, memory))[0]
        alone = plain(answers.answer_record(kept[0], memory, answer.trace))
        exported = json.loads(as_json(memory, kept))["answers"][0]
    assert exported == listed
    assert printed["quotes"]
    assert {name: alone[name] for name in listed} == listed
    common = printed.keys() & alone.keys()
    assert {name: printed[name] for name in common} == {name: alone[name] for name in common}
    assert {"answer", "quotes", "statements", "places", "calls", "paid"} <= common
