"""Jobs and the lists that fill shelves: each is claimed once, and what a worker leaves behind is claimed again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from library.processes import start
from readagent.core.document import Document
from readagent.errors import NotInLibraryError, UsageError
from readagent.library import Library
from readagent.library.corpus_rows import CorpusRow, Entry, Spending
from readagent.library.jobs import JobReport
from readagent.library.leases import LIFETIME

ODD = "a lone \ud800 surrogate"  # from damaged sources


@pytest.fixture
def corpus(library: Library) -> CorpusRow:
    corpus = library.corpora.open("tales")
    library.corpora.add(corpus, [Entry(f"/texts/{n}.txt", {"number": str(n)}, "1") for n in range(5)])
    return corpus


def test_a_shelf_has_one_list_which_goes_with_it(library: Library) -> None:
    corpora, shelves = library.corpora, library.shelves
    made = corpora.open(" law  reports ")
    assert corpora.open("Law Reports") == made == corpora.find("law") == corpora.all()[0]
    assert shelves.find("law reports").id == made.shelf
    with pytest.raises(NotInLibraryError, match="there is no shelf 'law repots'") as raised:
        corpora.find("law repots")
    assert raised.value.hint == "did you mean 'law reports'?"
    shelves.new("tales")
    with pytest.raises(NotInLibraryError, match="nothing was added to the shelf 'tales'"):
        corpora.find("tales")
    corpora.remove(made)
    assert shelves.find("law reports").id == made.shelf
    corpora.open("law reports")
    shelves.remove("law reports")
    assert corpora.all() == []


def test_a_source_comes_back_as_it_was_added_and_is_added_once(library: Library, corpus: CorpusRow) -> None:
    again = [Entry("/texts/0.txt", {}, "1"), Entry(ODD, {"title": ODD}), Entry(ODD, {"title": ODD})]
    assert library.corpora.add(corpus, again) == 1
    rows = list(library.corpora.each(corpus))
    assert [row.source for row in rows] == [*(f"/texts/{n}.txt" for n in range(5)), ODD]
    assert (rows[0].metadata, rows[5].metadata, rows[0].state) == ({"number": "0"}, {"title": ODD}, "waiting")


def test_a_source_that_has_changed_is_read_again(library: Library, corpus: CorpusRow) -> None:
    worker = library.corpora.enlist()
    first, second = library.corpora.claim(corpus, worker, 2)
    library.corpora.finish(worker, first.id, _document(library), pages=1, spent=Spending())
    changed = [Entry(one.source, {}, "2") for one in (first, second)]
    assert library.corpora.add(corpus, changed) == 1
    states = [row.state for row in library.corpora.sources(corpus)]
    assert states == ["waiting", "reading", "waiting", "waiting", "waiting"]


def test_sources_that_failed_come_after_those_that_were_never_tried(library: Library, corpus: CorpusRow) -> None:
    corpora, worker = library.corpora, library.corpora.enlist()
    (first,) = corpora.claim(corpus, worker, 1)
    corpora.fail(worker, first.id, ValueError("no"), again=True, spent=Spending())
    claimed = corpora.claim(corpus, worker, 9)
    assert [(row.source[-5], row.tries) for row in claimed] == [("1", 1), ("2", 1), ("3", 1), ("4", 1), ("0", 2)]
    assert corpora.claim(corpus, worker, 9) == []
    assert corpora.has_left(corpus)


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a library is that several processes use."""
    return str(tmp_path) if request.param == "file" else str(request.getfixturevalue("postgres_url"))


def killed_while_reading(place: str, most: int) -> None:
    """Let a process claim so many sources, and kill it."""
    child = start("claim_some", place, most)
    said = _said(child)
    child.kill()
    child.communicate()
    assert said == "claimed"


@pytest.mark.slow
def test_what_killed_workers_were_reading_is_claimed_at_once_and_by_all(place: str) -> None:
    with Library(place) as library:
        corpora, corpus = library.corpora, library.corpora.open("tales")
        corpora.add(corpus, [Entry(f"/texts/{n}.txt") for n in range(9)])
        killed_while_reading(place, 3)
        killed_while_reading(place, 3)  # those of the first come last
        assert [(one.documents, one.alive) for one in corpora.workers(corpus)] == [(3, False)]
        assert corpora.progress(corpus).states == {"failed": 3, "waiting": 6}
        worker = corpora.enlist()
        assert [(row.source[-5], row.tries) for row in corpora.claim(corpus, worker, 9)] == [
            *((number, 1) for number in "678"), *((number, 2) for number in "012345")
        ]  # fmt: skip
        (alive,) = corpora.workers(corpus)
        assert (alive.documents, alive.alive, alive.seconds is not None and 0 <= alive.seconds < LIFETIME) == (
            9,
            True,
            True,
        )
        assert corpora.progress(corpus).states == {"reading": 9}


@pytest.mark.slow
def test_a_source_that_ends_its_worker_again_and_again_is_set_aside(tmp_path: Path) -> None:
    place = str(tmp_path)
    with Library(place) as library:
        corpora, corpus = library.corpora, library.corpora.open("tales")
        corpora.add(corpus, [Entry("/texts/bomb.txt"), Entry("/texts/beside.txt")])
        for _ in range(4):  # twice both, then each alone
            killed_while_reading(place, 2)
        assert corpora.claim(corpus, corpora.enlist(), 2) == []
        assert corpora.progress(corpus).states == {"set aside": 2}
        (why,) = corpora.failed_kinds(corpus)
        assert (why.kind, why.documents, why.set_aside) == ("WorkerEnded", 2, 2)
        assert (why.example.source, why.example.tries) == ("/texts/bomb.txt", 3)
        assert why.example.reason == "its worker ended while it was reading this"
        assert not corpora.has_left(corpus)
        with pytest.raises(UsageError, match="no document failed with ValueError"):
            corpora.retry(corpus, kind="ValueError")
        assert corpora.retry(corpus, kind="WorkerEnded") == 2
        assert corpora.progress(corpus).states == {"waiting": 2}


def test_a_lease_ends_by_the_clock_of_the_database(place: str) -> None:
    with Library(place) as one, Library(place) as two:
        corpora, corpus = one.corpora, one.corpora.open("tales")
        corpora.add(corpus, [Entry("/texts/a.txt")])
        worker, other = corpora.enlist(), two.corpora.enlist()
        (row,) = corpora.claim(corpus, worker, 1)
        one._db.rows(
            "UPDATE leases SET machine = 'elsewhere', expires = expires - ? WHERE key = ?", LIFETIME - 9, worker
        )
        assert two.corpora.claim(corpus, other, 1) == []
        assert not two.corpora.finish(other, row.id, "", pages=1, spent=Spending())
        corpora.renew(worker)
        one._db.rows("UPDATE leases SET expires = expires - ? WHERE key = ?", LIFETIME - 9, worker)
        assert two.corpora.claim(corpus, other, 1) == []
        one._db.rows("UPDATE leases SET expires = expires - ? WHERE key = ?", LIFETIME, worker)
        assert [row.tries for row in two.corpora.claim(corpus, other, 1)] == [2]
        assert not corpora.fail(worker, row.id, ValueError("late"), again=False, spent=Spending())
        two.corpora.dismiss(corpus, other)  # what is given up was not tried
        assert [row.tries for row in corpora.claim(corpus, worker, 1)] == [2]


@pytest.mark.slow
def test_processes_that_claim_at_once_get_each_source_once(place: str) -> None:
    with Library(place) as library:
        corpus = library.corpora.open("tales")
        library.corpora.add(corpus, (Entry(f"/texts/{n}.txt") for n in range(200)))
        ids = [row.id for row in library.corpora.each(corpus)]
    children = [start("claim_sources", place) for _ in range(2)]
    assert [_said(child) for child in children] == ["ready"] * 2
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    claimed = [list(map(int, _said(child).split())) for child in children]
    assert [(child.communicate()[0], child.returncode) for child in children] == [("", 0)] * 2
    assert sorted(number for some in claimed for number in some) == ids
    assert "://" not in place or sum(map(bool, claimed)) > 1  # SQLite may let the first one finish


def _said(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def _document(library: Library) -> str:
    return library.add(Document.from_text("The ferry leaves at noon."))


@pytest.fixture
def document(library: Library) -> str:
    return library.add(Document.from_text("The ferry leaves at noon."))


def test_a_job_comes_back_as_it_was_kept(library: Library, document: str) -> None:
    job = library.jobs.new("ask", document=document, request={"question": ODD, "history": [1, 2]})
    assert (job.kind, job.document, job.shelf, job.state) == ("ask", document, "", "waiting")
    report = JobReport(reason=ODD, hint="wait", done=1, total=2, what="reading", calls=3, tokens=4, cost=None)
    library.jobs.keep(job.id, "failed", report, {"answer": 7, "text": ODD})
    found = library.jobs.find(job.id)
    assert (found.state, found.report, found.result) == ("failed", report, {"answer": 7, "text": ODD})
    assert found.request == {"question": ODD, "history": [1, 2]}
    assert found.created == job.created


def test_a_job_goes_with_its_document_or_shelf(library: Library, document: str) -> None:
    shelf = library.shelves.new("tales")
    own = library.jobs.new("read", document=document, request={}).id
    both = library.jobs.new("shelf_add", document=document, shelf=shelf.id, request={}).id
    shelved = library.jobs.new("shelf_ask", shelf=shelf.id, request={"question": "Who?"}).id
    assert library.jobs.find(both).shelf == "tales"
    library.remove(document)
    assert [job.id for job in library.jobs.all()] == [shelved]
    library.jobs.keep(own, "done", JobReport())
    with pytest.raises(NotInLibraryError, match="there is no job"):
        library.jobs.find(own)
    library.shelves.remove("tales")
    assert library.jobs.all() == []


def test_jobs_that_ended_are_trimmed_but_overviews_stay(library: Library, document: str) -> None:
    for kind in ("overview", "ask", "ask", "ask"):
        number = library.jobs.new(kind, document=document, request={}).id
        library.jobs.keep(number, "done", JobReport())
    waiting = library.jobs.new("read", document=document, request={})
    library.jobs.trim(1)
    assert [job.kind for job in library.jobs.all()] == ["read", "ask", "overview"]
    assert library.jobs.unfinished() == [waiting]


def test_a_job_is_claimed_by_one_server_and_by_another_when_it_is_given_up(tmp_path: Path) -> None:
    with Library(tmp_path) as one, Library(tmp_path) as two:
        first, second = (one.jobs.new("ask", request={}).id for _ in range(2))
        assert two.jobs.claim() == one.jobs.claim() == []
        one.jobs.release(first)
        one.jobs.keep(second, "done", JobReport())
        one.jobs.release(second)
        assert [job.id for job in two.jobs.claim()] == [first]
        assert two.jobs.renew(first)
        assert not one.jobs.renew(first)


def test_the_jobs_of_a_process_that_is_gone_are_claimed_at_once(tmp_path: Path) -> None:
    code = "import sys; from readagent.library import Library; Library(sys.argv[1]).jobs.new('ask', request={})"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    with Library(tmp_path) as library:
        assert [job.id for job in library.jobs.claim()] == [1]
