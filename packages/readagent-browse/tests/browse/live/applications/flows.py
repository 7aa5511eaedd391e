"""Flows: what is done in each application, and how it ends if all went right."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.miniwob_oracle.play import served

from browse.live.applications.sites import datasette, django_admin

PASSWORD = "lantern-42"


@dataclass(frozen=True, slots=True)
class Places:
    """Where the files of the sites are: this run's own folder, and the built documentation."""

    run: Path
    docs: Path


@dataclass(frozen=True, slots=True)
class Flow:
    """A site, where to begin on it, the acts of the model, and what shows that they arrived.

    ``ends`` are texts on the last page that the model saw; ``check`` looks at the data of the application.
    """

    name: str
    site: Callable[[Places], AbstractContextManager[str]]
    start: str
    acts: tuple[str, ...]
    ends: tuple[str, ...]
    check: Callable[[Places], bool] = lambda places: True
    quote: str = ""  # that the answer must have


def _docs(places: Places) -> AbstractContextManager[str]:
    return served(places.docs)


def _admin(places: Places) -> AbstractContextManager[str]:
    return django_admin(places.run)


def _datasette(places: Places) -> AbstractContextManager[str]:
    return datasette(places.run)


def _is_in_group(places: Places) -> bool:
    """Return whether the new user is there, with name and group, and can log in nowhere but in the admin."""
    with sqlite3.connect(places.run / "admin.sqlite3") as database:
        found = database.execute(
            "select first_name, is_staff, name from auth_user join auth_user_groups on auth_user.id = user_id "
            "join auth_group on auth_group.id = group_id where username = 'odile'"
        ).fetchall()
    database.close()
    return found == [("Odile", 1, "Gardeners")]


def _is_deleted(places: Places) -> bool:
    with sqlite3.connect(places.run / "admin.sqlite3") as database:
        names = [row[0] for row in database.execute("select username from auth_user where username like 'guest%'")]
    database.close()
    return "guest17" not in names and len(names) == 29


_LOG_IN = ("Action: type {Username} mira", "Action: type {Password} {PW}", "Log in", "Users")

FLOWS = (
    Flow(
        "documentation: follow a link, answer with a quote",
        _docs,
        "/",
        (
            "Web navigation",
            'Action: done It can.\nQuote: "A page is cut into parts, each part is summarised as a gist"',
        ),
        ("ReadAgent can act on web pages",),
        quote="A page is cut into parts, each part is summarised as a gist",
    ),
    Flow(
        "documentation: search",
        _docs,
        "/",
        ("Action: type {Search} snapshot_of[Enter]", "readagent_browse. snapshot_of"),
        ("Return the page in this HTML",),
    ),
    Flow(
        "Django admin: add a user with a group",
        _admin,
        "/admin/",
        (
            *_LOG_IN,
            "Add user",
            "Action: type {Username} odile",
            "Action: type {Password} copper-lamp-7",
            "Action: type {Password confirmation} copper-lamp-7",
            "Save and continue editing",
            "Action: type {First name} Odile",
            "Action: click {checkbox:Staff status}",
            "Action: select {groups_old} Gardeners",
            "Choose selected groups",
            "Save",
        ),
        ("was changed successfully",),
        _is_in_group,
    ),
    Flow(
        "Django admin: search and delete",
        _admin,
        "/admin/",
        (
            *_LOG_IN,
            "Action: type {input:Search} guest17[Enter]",
            "Action: click {Select this object for an action - guest17}",
            "Action: select {Action} Delete selected users",
            "Go",
            "Yes, I’m sure",
        ),
        ("Successfully deleted 1 user",),
        _is_deleted,
    ),
    Flow("Datasette: table, facet, row", _datasette, "/", ("lamps", "lamps", "metal", "copper", "202"), ("Lamp 202",)),
    Flow(
        "Datasette: SQL in an editor",
        _datasette,
        "/lamps",
        (
            "Action: type {the editor below} select metal, count(*) from lamps where (price > 50) group by metal",
            "Run SQL",
            'Action: done 44 lamps are made of tin.\nQuote: "tin 44"',
        ),
        ("tin | 44",),
    ),
)
