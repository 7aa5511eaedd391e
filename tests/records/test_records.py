"""Records: a field that clients know stays, and an answer has the same facts through every door."""

from __future__ import annotations

import json
from pathlib import Path

from readagent import ReadAgent
from readagent.library import Library
from readagent.records import Record, answers, corpora, documents, export, jobs, overviews, plain, servers
from readagent.records.export import as_json
from readagent.testing import Skimmer
from sessions import EXAMPLES

FIELDS = Path(__file__).with_name("fields.json")


def test_no_field_is_renamed_or_removed_by_accident() -> None:
    modules = (answers, documents, overviews, corpora, jobs, servers, export)
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
