"""Calls: replies cached under the key of what was asked, and what is known about the servers that gave them."""

from __future__ import annotations

from readagent.core.model import Ask, Reply
from readagent.core.trace import Usage, subjects
from readagent.library import documents
from readagent.library.database import Database
from readagent.library.pack import compress, decompress, seal, to_bytes, to_json, to_text, unseal


def get(db: Database, key: str) -> Reply | None:
    """Return the reply cached under this key, marked as not paid, or None."""
    found = "SELECT reply, finish, prompt_tokens, reply_tokens, cached_tokens, cost FROM calls WHERE key = ?"
    row = db.row(found, key)
    if row is None:
        return None
    text, finish, *usage = row
    return Reply(to_text(unseal(text, finish, *usage)), finish, Usage(*usage), paid=False)


def put(db: Database, key: str, model_name: str, ask: Ask, reply: Reply) -> None:
    """Cache a reply; once this returns, a kill does not lose it. The first reply under a key stays.

    Replies about a conversation that was forgotten meanwhile are not cached.
    """
    usage = reply.usage
    counts = (usage.prompt_tokens, usage.reply_tokens, usage.cached_tokens, usage.cost)
    stored = (key, ask.step, to_bytes(model_name), reply.finish, *counts, db.now())
    sealed = seal(to_bytes(reply.text), reply.finish, *counts)
    about = to_json(subjects()).decode()
    insert = (
        "INSERT INTO calls (key, step, model, finish, prompt_tokens, reply_tokens, cached_tokens, cost, made, reply,"
        " prompt) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
        f" WHERE NOT {documents.any_of(db)} ON CONFLICT (key) DO NOTHING"
    )
    db.batch([(insert, *stored, sealed, compress(to_bytes(ask.prompt)), about)], key)


def forget(db: Database, key: str) -> None:
    """Delete the reply cached under this key, if there is one: the model is asked again."""
    db.rows("DELETE FROM calls WHERE key = ?", key)


def prompt(db: Database, key: str) -> str | None:
    """Return the prompt of the reply cached under this key, or None."""
    row = db.row("SELECT prompt FROM calls WHERE key = ?", key)
    return None if row is None else to_text(decompress(row[0]))


def forget_all(db: Database) -> int:
    """Delete every cached reply and return their number. Memories and answers stay; new readings are paid again."""
    with db.transaction():
        count = int(db.rows("SELECT count(*) FROM calls")[0][0])
        db.rows("DELETE FROM calls")
    return count


def facts(db: Database, server: str) -> bytes | None:
    """Return what is known about a server and its model, or None."""
    row = db.row("SELECT facts FROM servers WHERE name = ?", to_bytes(server))
    return None if row is None else unseal(row[0])


def keep_facts(db: Database, server: str, facts: bytes) -> None:
    """Store what is known about a server; earlier facts are replaced."""
    db.rows(
        "INSERT INTO servers (name, found, facts) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET found = excluded.found, facts = excluded.facts",
        to_bytes(server),
        db.now(),
        seal(facts),
    )
