"""Filling a shelf in one process: everything is read once, failures are set aside, and a budget ends it."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from filling.conftest import book
from readagent import AsyncReadAgent, Budget
from readagent.core.model import Ask, Reply
from readagent.errors import (
    BudgetExceededError,
    UnauthorizedError,
)
from readagent.filling import Entry, Filling, Spending
from readagent.filling.filling import GONE
from readagent.filling.worker import Worker
from readagent.library import Library
from readagent.loaders import Skipped
from readagent.records.filling import filling_record
from readagent.testing import Skimmer
from sessions import TWO_STEPS

pytestmark = pytest.mark.anyio


class Reader:
    """A model that counts what it is asked, and raises an error where a text has certain words."""

    name = "reader"

    def __init__(self, errors: dict[str, Exception] | None = None, times: int = 100_000) -> None:
        self._errors, self._times, self._skimmer = errors or {}, times, Skimmer()
        self.prompts: Counter[str] = Counter()
        self.busy = asyncio.Event()  # set at the fifth call

    async def complete(self, ask: Ask) -> Reply:
        for words, error in self._errors.items():
            if words in ask.prompt and self._times > 0:
                self._times -= 1
                raise error
        self.prompts[f"{ask.step} {ask.prompt}"] += 1
        if self.prompts.total() >= 5:
            self.busy.set()
        return await self._skimmer.complete(ask)


async def read(library: Library, model: Reader, **options: int) -> Filling:
    filling = Filling(library, "books")
    async with AsyncReadAgent(model, library=library, plan=TWO_STEPS) as agent:
        await filling.read(agent, **options)
    return filling


async def test_every_source_is_read_and_put_on_the_shelf(library: Library, folder: Path) -> None:
    Filling(library, "books").add(folder)
    model = Reader()
    filling = await read(library, model)
    progress = filling.progress()
    assert (progress.done, progress.left, progress.set_aside) == (6, 0, 0)
    assert progress.spent.calls == model.prompts.total() > 12
    rows = list(filling.sources())
    assert sum(row.spent.calls for row in rows) == progress.spent.calls
    assert sum(row.pages for row in rows) == progress.pages
    for number, row in enumerate(rows):
        memory = library.memory(row.document)
        assert memory is not None
        assert memory.document.text == book(number)
        assert len(memory.pages) == row.pages > 1
    assert {card.document for card in library.shelves.cards("books")} == {row.document for row in rows}
    await read(library, model)
    assert max(model.prompts.values()) == 1


async def test_what_cannot_be_loaded_is_set_aside_at_once(library: Library, folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n0000")
    filling = Filling(library, "books")
    filling.add(folder)
    (folder / "2.txt").unlink()
    await read(library, Reader())
    assert filling.progress().failures == {"UnsupportedFormatError": 1, "LoadError": 1}
    rows = {Path(row.source).name: row for row in filling.sources(state="set aside")}
    assert (rows["2.txt"].tries, "there is no file" in rows["2.txt"].reason) == (1, True)
    (folder / "2.txt").write_text(book(2))
    assert filling.retry(kind="LoadError") == 1
    await read(library, Reader())
    assert (filling.progress().done, filling.progress().set_aside) == (6, 1)


async def test_what_changed_is_read_again_and_what_is_gone_is_told_and_kept(library: Library, folder: Path) -> None:
    filling, model, told = Filling(library, "books"), Reader(), list[Skipped]()
    (folder.parent / "list.jsonl").write_text('{"path": "books/0.txt", "title": "Nought"}')
    assert filling.add(folder, folder.parent / "list.jsonl") == 6  # one stands in both
    await read(library, model)
    (folder / "2.txt").write_text(book(2) + "The end is new. ")
    (folder / "3.txt").rename(folder / "moved.txt")
    assert filling.add(folder, exclude=["5.txt"], on_skip=told.append) == 2
    assert [(Path(one.source).name, one.reason) for one in told] == [("3.txt", GONE)]
    before = model.prompts.total()
    await read(library, model)
    record = filling_record(filling)
    assert (record.documents, record.states.done, record.on_shelf) == (7, 7, 6)  # one is on the list as two files
    assert before < model.prompts.total() < before + 6
    assert [card.title for card in library.shelves.cards("books")].count("Nought") == 1


@pytest.mark.slow
async def test_a_source_on_which_the_model_fails_is_set_aside_after_some_tries(library: Library, folder: Path) -> None:
    filling = Filling(library, "books")
    filling.add(folder)
    await read(library, Reader({"of book 3": ValueError("a bug\nof ours")}), tries=2)
    (row,) = filling.sources(state="set aside")
    assert (Path(row.source).name, row.tries, row.kind) == ("3.txt", 2, "UnexpectedError")
    assert "a bug" in row.reason
    assert filling.progress().done == 5


async def test_an_error_that_all_would_meet_ends_the_reading(library: Library, folder: Path) -> None:
    filling = Filling(library, "books")
    filling.add(folder)
    with pytest.raises(UnauthorizedError):
        await read(library, Reader({"Anna": UnauthorizedError("wrong key")}))
    assert {row.state for row in filling.sources()} <= {"waiting", "failed"}
    assert {row.tries for row in filling.sources()} <= {0, 1}  # three documents fail before a server counts as down


async def test_the_budget_is_that_of_the_whole_shelf(library: Library, folder: Path) -> None:
    filling, model = Filling(library, "books"), Reader()
    filling.add(folder)
    for _ in range(2):
        async with AsyncReadAgent(model, library=library, budget=Budget(tokens=12_000)) as agent:
            with pytest.raises(BudgetExceededError, match="12,000 tokens"):
                await filling.read(agent, at_once=1)
        spent = filling.progress().spent
        assert 0 < spent.tokens <= 12_000
        assert spent.calls == model.prompts.total()
    await read(library, model)
    assert filling.progress().done == 6
    assert max(model.prompts.values()) == 1


async def test_a_reading_that_is_stopped_goes_on_later(library: Library, folder: Path) -> None:
    filling = Filling(library, "books")
    filling.add(folder)
    model = Reader()
    reading = asyncio.create_task(read(library, model, at_once=2))
    await model.busy.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert {row.state for row in filling.sources()} <= {"waiting", "done"}
    await read(library, model)
    assert filling.progress().done == 6
    assert max(model.prompts.values()) == 1
    assert filling.progress().spent.calls == model.prompts.total()


async def test_a_private_address_is_set_aside_at_once(library: Library) -> None:
    filling = Filling(library, "books")
    filling.add_entries([Entry("https://127.0.0.1:9/a.html")])
    await read(library, Reader())
    (row,) = filling.sources()
    assert (row.state, row.tries) == ("set aside", 1)
    assert "private address" in row.reason


async def test_what_other_workers_spend_is_charged_to_the_budget(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readagent.filling.worker._BEAT", 0.001)
    filling, model, beats = Filling(library, "books"), Held(1), asyncio.Event()
    filling.add(folder)
    async with AsyncReadAgent(model, library=library, budget=Budget(tokens=100_000)) as agent:
        reading = asyncio.create_task(Worker(agent, filling.row, on_beat=beats.set).run())
        await model.busy.wait()
        library.corpora.spend(filling.row, "another worker", Spending(9, 99_900, 0.0))
        for _ in range(2):
            beats.clear()
            await beats.wait()
        model.go.set()
        with pytest.raises(BudgetExceededError, match="100,000 tokens"):
            await reading


class Held(Reader):
    """A model that begins some calls, and answers them only after ``go`` is set."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls, self.go = calls, asyncio.Event()

    async def complete(self, ask: Ask) -> Reply:
        self.prompts[f"{ask.step} {ask.prompt}"] += 1
        if self.prompts.total() >= self._calls:
            self.busy.set()
            await self.go.wait()
        return await self._skimmer.complete(ask)


async def test_calls_in_flight_count_as_spent_when_a_reading_is_stopped(library: Library, folder: Path) -> None:
    filling, model = Filling(library, "books"), Held(4)
    filling.add(folder)
    reading = asyncio.create_task(read(library, model, at_once=3))
    await model.busy.wait()
    reading.cancel()
    model.go.set()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert _spent(filling) == _in_the_log(library)
    assert filling.progress().spent.calls == model.prompts.total() >= 4
    await read(library, model)
    assert filling.progress().spent.calls == model.prompts.total()
    assert max(model.prompts.values()) == 1


async def test_only_the_last_try_of_sources_whose_workers_ended_is_alone(library: Library, folder: Path) -> None:
    filling, together = Filling(library, "books"), []

    class Watching(Reader):
        async def complete(self, ask: Ask) -> Reply:
            rows = {row.source: row for row in filling.sources(state="reading")}
            together.append({name: row.tries for name, row in rows.items()})
            return await super().complete(ask)

    filling.add(folder)
    for number, tries in zip([row.id for row in filling.sources()], (1, 1, 2, 2), strict=False):
        library._db.rows(
            "UPDATE corpus_sources SET state = 'failed', tries = ?, kind = 'WorkerEnded' WHERE id = ?", tries, number
        )
    assert (await read(library, Watching(), at_once=4)).progress().done == 6
    last = [one for one in together if 3 in one.values()]
    assert last
    assert all(len(one) == 1 for one in last)
    assert any(sorted(one.values()) == [1, 1, 2, 2] for one in together)


def _spent(filling: Filling) -> tuple[int, int]:
    spent = filling.progress().spent
    return spent.calls, spent.tokens


def _in_the_log(library: Library) -> tuple[int, int]:
    """Return how many calls the library has stored, and their tokens."""
    ((calls, tokens),) = library._db.rows("SELECT count(*), sum(prompt_tokens + reply_tokens) FROM calls")
    return int(calls), int(tokens)
