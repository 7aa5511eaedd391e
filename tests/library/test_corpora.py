"""Jobs and corpora in the library: each is claimed once, and what a worker leaves behind is claimed again."""

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

ODD = "a lone \ud800 surrogate"  # from damaged sources


@pytest.fixture
def corpus(library: Library) -> CorpusRow:
    corpus = library.corpora.open("tales")
    library.corpora.add(corpus, [Entry(f"/texts/{n}.txt", {"number": str(n)}, "1") for n in range(5)])
    return corpus


def test_a_corpus_is_created_once_and_has_a_shelf(library: Library) -> None:
    corpus = library.corpora.open(" law  reports ")
    assert library.corpora.open("law reports") == corpus == library.corpora.find() == library.corpora.all()[0]
    assert library.shelves.find("law reports").id == corpus.shelf
    with pytest.raises(NotInLibraryError, match="there is no corpus 'law report'") as raised:
        library.corpora.find("law report")
    assert raised.value.hint == "did you mean 'law reports'?"
    library.corpora.open("tales")
    with pytest.raises(UsageError, match="there are 2 corpora"):
        library.corpora.find()
    library.corpora.remove(corpus)
    assert [row.name for row in library.corpora.all()] == ["tales"]
    assert library.shelves.find("law reports").id == corpus.shelf


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


def test_sources_are_set_aside_when_their_workers_end_again_and_again(tmp_path: Path) -> None:
    code = (
        "import sys; from readagent.library import Library; c = Library(sys.argv[1]).corpora; w = c.enlist();"
        "c.claim(c.find(), w, 1) or c.claim_suspect(c.find(), w)"
    )
    with Library(tmp_path) as library:
        corpus = library.corpora.open("tales")
        library.corpora.add(corpus, [Entry("/texts/bomb.txt")])
        for tries in (1, 2):
            subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
            assert library.corpora.recover(corpus, tries=2) == 1
            (row,) = library.corpora.sources(corpus)
            assert (row.tries, row.state) == (tries, "failed" if tries == 1 else "set aside")
        assert (row.kind, row.reason) == ("WorkerEnded", "its worker ended while it was reading this")
        assert not library.corpora.has_left(corpus)
        with pytest.raises(UsageError, match="no document failed with ValueError"):
            library.corpora.retry(corpus, kind="ValueError")
        assert library.corpora.retry(corpus, kind="WorkerEnded") == 1
        assert [(row.state, row.tries) for row in library.corpora.sources(corpus)] == [("waiting", 0)]


def test_a_worker_that_is_alive_keeps_what_it_claimed(tmp_path: Path) -> None:
    with Library(tmp_path) as one, Library(tmp_path) as two:
        corpus = one.corpora.open("tales")
        one.corpora.add(corpus, [Entry("/texts/a.txt")])
        worker = one.corpora.enlist()
        (row,) = one.corpora.claim(corpus, worker, 1)
        assert two.corpora.recover(corpus, tries=3) == 0
        assert not two.corpora.finish("another", row.id, "", pages=1, spent=Spending())
        one.corpora.dismiss(corpus, worker)
        assert [row.id for row in two.corpora.claim(corpus, two.corpora.enlist(), 1)] == [row.id]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["file", "postgres"])
def test_processes_that_claim_at_once_get_each_source_once(
    place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    where = str(tmp_path) if place == "file" else request.getfixturevalue("postgres_url")
    with Library(where) as library:
        corpus = library.corpora.open("tales")
        library.corpora.add(corpus, (Entry(f"/texts/{n}.txt") for n in range(200)))
        ids = [row.id for row in library.corpora.each(corpus)]
    children = [start("claim_sources", where) for _ in range(2)]
    assert [_said(child) for child in children] == ["ready"] * 2
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    claimed = [list(map(int, _said(child).split())) for child in children]
    assert [(child.communicate()[0], child.returncode) for child in children] == [("", 0)] * 2
    assert sorted(number for some in claimed for number in some) == ids
    assert place == "file" or sum(map(bool, claimed)) > 1  # SQLite may let the first one finish


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
