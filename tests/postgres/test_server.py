"""What a server adds: errors, tenants, many clients, migrations at once, and a list that stays the same as SQLite's."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from library.shelf import answer_to, kept, memory_of
from postgres_server import PASSWORD, Server, free_port
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.question import Question
from readagent.core.shelf.shelf_answer import ShelfAnswer
from readagent.errors import LibraryError, ReadAgentError, UnreachableLibraryError, UsageError
from readagent.library import Library, postgres_schema

pytestmark = pytest.mark.slow


def fill(library: Library, title: str = "The lamp") -> str:
    memory = memory_of(title=title)
    return kept(library, memory)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "readagent.cli", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (lambda url, port: url.replace("s3cret", "wrong"), LibraryError, "does not accept this user and password"),
        (lambda url, port: url.replace(f":{port}", f":{free_port()}"), UnreachableLibraryError, "cannot be reached"),
    ],
)
def test_a_connection_that_cannot_be_made_is_one_line_with_a_hint(
    postgres: Server,
    postgres_url: str,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[str, int], str],
    kind: type[ReadAgentError],
    said: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(kind, match=said) as raised, Library(change(postgres_url, postgres.port)) as library:
        library.documents()
    assert raised.value.hint
    assert "\n" not in str(raised.value)
    assert not any(part in f"{raised.value} {raised.value.hint} {caplog.text}" for part in (PASSWORD, "%2F%40word"))


def test_a_server_that_is_too_old_is_refused(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_schema, "OLDEST", 99)
    with pytest.raises(LibraryError, match=r"is PostgreSQL \d\d$"), Library(postgres_url) as library:
        library.documents()


def test_a_library_of_an_older_version_is_migrated(postgres: Server) -> None:
    url = postgres.new_database()
    with Library(url) as library:
        library.shelves.put(library.shelves.new("tales").name, fill(library))
        library.shelves.keep_answer("tales", ShelfAnswer(Question("Who?"), "Anna.", None, ()), model="m")
        before, (answer,) = library.documents(), library.shelves.answers("tales")
        library._db.rows(
            "CREATE TABLE shelf_answers AS SELECT answers.id, shelf, model, made, answers.text AS answer, trace"
            " FROM answers JOIN questions ON questions.id = answers.question"
        )
        library._db.rows("DELETE FROM questions")
        library._db.rows("ALTER TABLE questions DROP shelf, ALTER document SET NOT NULL")
        library._db.rows(
            "DROP TABLE trash, originals, highlights, answer_notes, commits, card_vectors, corpus_manifests,"
            " corpus_spending, corpus_sources, corpora"
        )
        library._db.rows("ALTER TABLE readings DROP page_count, DROP gist_words, DROP lead_gists")
        library._db.rows("DELETE FROM library_format WHERE version > 1")
    with Library(url) as library:
        assert library.documents() == before
        assert before[0].pages
        assert [one.answer for one in library.shelves.answers("tales")] == [answer.answer]


def test_the_command_line_takes_a_url_and_shows_no_password(postgres_url: str) -> None:
    with Library(postgres_url) as library:
        fill(library)
    listed = command("list", "--library", postgres_url, "--json")
    info = command("--library", postgres_url, "library", "info", "--json")
    checked = command("library", "check", f"--library={postgres_url}")
    wrong = command("library", "info", "--library", postgres_url.replace("test_", "untested_"))
    assert [one["title"] for one in json.loads(listed.stdout)] == ["The lamp"]
    assert json.loads(info.stdout)["counts"]["documents"] == 1
    assert "is intact" in checked.stdout
    assert wrong.returncode != 0
    assert "there is no such database" in wrong.stderr
    said = "".join(one.stdout + one.stderr for one in (listed, info, checked, wrong))
    assert "s3cret" not in said


def test_many_processes_may_create_the_library_at_once(postgres: Server) -> None:
    url = postgres.new_database()
    start = threading.Barrier(8)

    def opened(number: int) -> int:
        with Library(url) as library:
            start.wait()
            library.add(Document.from_text(f"text {number}"))
            return library.info().version

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(opened, range(8)))) == 1
    with Library(url) as library:
        assert len(library.documents()) == 8


def test_tenants_see_nothing_of_each_other(postgres: Server) -> None:
    url = postgres.new_database()
    with Library(url, tenant="legal") as legal, Library(f"{url}?tenant=press") as press, Library(url) as neither:
        document = fill(legal)
        legal.put("key", "m", Ask("gist", "secret prompt"), Reply("secret reply"))
        legal.keep_answer(document, memory_of().key, answer_to(), model="m")
        legal.keep_vectors({b"k": b"vector"})
        assert legal.leases is not None
        assert press.leases is not None
        assert legal.leases.take("call")
        assert press.leases.take("call")
        for other in (press, neither):
            assert other.documents() == []
            assert other.get("key") is None
            assert other.answers() == []
            assert other.search("river") == []
            assert other.vectors([b"k"]) == {}
            with pytest.raises(LibraryError):
                other.document(document)
        fill(press, "Our own")
        assert [row.title for row in legal.documents()] == ["The lamp"]


def test_the_role_of_a_tenant_cannot_read_another_tenants_tables(postgres: Server) -> None:
    url = postgres.new_database()
    database = url.rpartition("/")[2]
    for tenant in ("legal", "press"):
        postgres.execute(
            f"CREATE ROLE {database}_{tenant} LOGIN PASSWORD 'pw'",
            f"CREATE SCHEMA readagent_{tenant} AUTHORIZATION {database}_{tenant}",
            database=database,
        )
    own = {one: postgres.url(database, user=f"{database}_{one}:pw") for one in ("legal", "press")}
    with Library(own["legal"], tenant="legal") as legal:
        fill(legal)
    with Library(own["press"], tenant="press") as press:
        assert press.documents() == []
        for table in ("documents", "calls", "pages", "answers", "vectors", "page_words"):
            with pytest.raises(LibraryError, match="permission denied"):
                press._db.rows(f"SELECT * FROM readagent_legal.{table}")
        seen = press._db.rows("SELECT count(*) FROM pg_stat_all_tables WHERE schemaname = 'readagent_legal'")
        assert seen[0][0] > 0  # docs/scaling.md says so
    for look in (Library.documents, lambda library: library._db.exists()):  # `readagent list` looks whether it exists
        with pytest.raises(LibraryError, match="permission denied"), Library(own["press"], tenant="legal") as wrong:
            look(wrong)


@pytest.mark.parametrize("words", ["river", "lamp"])
def test_both_databases_find_the_same_pages(postgres_url: str, words: str) -> None:
    with Library(postgres_url) as server, Library.in_memory() as file:
        for library in (server, file):
            fill(library)
        there, here = server.search(words), file.search(words)
        assert [(hit.page, hit.place) for hit in there] == [(hit.page, hit.place) for hit in here]
        assert [hit.snippet.count("[") for hit in there] == [hit.snippet.count("[") for hit in here]


def test_a_wrong_tenant_is_refused_before_anything_is_connected() -> None:
    with pytest.raises(UsageError, match="cannot be the name of a tenant"):
        Library("postgresql://db/lib", tenant='x"; DROP SCHEMA public')
