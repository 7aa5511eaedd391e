"""Jobs: the work of a server, kept with its document or shelf."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library import Library
from readagent.library.jobs import JobReport

ODD = "a lone \ud800 surrogate"  # from damaged sources


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
