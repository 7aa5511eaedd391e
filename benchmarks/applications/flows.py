"""Flows: what is done in each application, and how it ends if all went right."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.applications.sites import component_page, datasette, django_admin, fetched, library_page

from readagent_bench.web.miniwob import served

PASSWORD = "lantern-42"


@dataclass(frozen=True, slots=True)
class Places:
    """Where the files of the sites are: fetched packages, this run's own folder, and the built documentation."""

    cache: Path
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
    fetches: bool = False  # from npm or Debian
    quote: str = ""  # that the answer must have


def _docs(places: Places) -> AbstractContextManager[str]:
    return served(places.docs)


def _python_docs(places: Places) -> AbstractContextManager[str]:
    return served(fetched("python-doc", places.cache))


def _todo_react(places: Places) -> AbstractContextManager[str]:
    return served(fetched("todomvc-react", places.cache))


def _todo(places: Places) -> AbstractContextManager[str]:
    return served(fetched("todomvc", places.cache))


def _components(places: Places) -> AbstractContextManager[str]:
    return component_page(places.cache)


def _boards(places: Places) -> AbstractContextManager[str]:
    return library_page("boards.html", {"jkanban": "jkanban", "sortable": "sortable"}, places.cache)


def _grid(places: Places) -> AbstractContextManager[str]:
    return library_page("grid.html", {"ag-grid": "ag-grid"}, places.cache)


def _operations(places: Places) -> AbstractContextManager[str]:
    return library_page("operations.html", {"swagger-ui": "swagger-ui"}, places.cache)


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


_LOG_IN = ("type {Username} mira", "type {Password} {PW}", "Log in", "Users")
_TODO = (
    "type {What needs to be done?} buy oil[Enter]",
    "type {What needs to be done?} trim the wick[Enter]",
    "type {What needs to be done?} polish the brass[Enter]",
    "click {checkbox:trim the wick}",
    "hover {checkbox:buy oil}",
    "destroy",
    "Completed",
    "Active",
)
_TODO_ENDS = ("polish the brass", "item left")

FLOWS = (
    Flow(
        "documentation: follow a link, answer with a quote",
        _docs,
        "/",
        ("Web navigation", 'done It can.\nQuote: "A page is cut into parts, each part is summarised as a gist"'),
        ("ReadAgent can act on web pages",),
        quote="A page is cut into parts, each part is summarised as a gist",
    ),
    Flow(
        "documentation: search",
        _docs,
        "/",
        ("type {Search} snapshot_of[Enter]", "readagent_browse. snapshot_of"),
        ("Return the page in this HTML",),
    ),
    Flow(
        "Django admin: add a user with a group",
        _admin,
        "/admin/",
        (
            *_LOG_IN,
            "Add user",
            "type {Username} odile",
            "type {Password} copper-lamp-7",
            "type {Password confirmation} copper-lamp-7",
            "Save and continue editing",
            "type {First name} Odile",
            "click {checkbox:Staff status}",
            "select {groups_old} Gardeners",
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
            "type {input:Search} guest17[Enter]",
            "click {Select this object for an action - guest17}",
            "select {Action} Delete selected users",
            "Go",
            "Yes, I’m sure",
        ),
        ("Successfully deleted 1 user",),
        _is_deleted,
    ),
    Flow(
        "Datasette: table, facet, row",
        _datasette,
        "/",
        ("lamps", "lamps", "metal", "copper", "202"),
        ("Lamp 202",),
    ),
    Flow(
        "Datasette: SQL in an editor",
        _datasette,
        "/lamps",
        (
            "type {the editor below} select metal, count(*) from lamps where (price > 50) group by metal",
            "Run SQL",
            'done 44 lamps are made of tin.\nQuote: "tin 44"',
        ),
        ("tin | 44",),
    ),
    *(
        Flow(f"TodoMVC in {framework}", site, start, _TODO, _TODO_ENDS, fetches=True)
        for framework, site, start in (
            ("React", _todo_react, "/"),
            ("Vue", _todo, "/vue/"),
            ("AngularJS", _todo, "/angularjs/"),
            ("Ember", _todo, "/emberjs/"),
            ("Backbone", _todo, "/backbone/"),
        )
    ),
    Flow(
        "Shoelace components: an order",
        _components,
        "/",
        (
            "type {Engraving} For Rosa",
            "click {combobox}",
            "Copper",
            "Large",
            "Delivery",
            "type {Address} Pier 4",
            "Wrap it as a gift",
            "Insured",
            "More",
            "Make it two",
            "Review order",
            "Order now",
        ),
        ('Ordered: 2 × large copper, "For Rosa", to Pier 4, as a gift, insured',),
        fetches=True,
    ),
    Flow(
        "SortableJS and jKanban: drag cards",
        _boards,
        "/",
        ("drag {Ivy} before {Birch}", "drag {Ash} after {Fir}", "drag {Wash} after {Sleep}"),
        ("order: Ivy, Birch, Cedar, Dogwood, Elm, Fir, Ash, Gorse, Hazel", "lists: Cook, Sleep Wash"),
        fetches=True,
    ),
    Flow(
        "ag-Grid: edit a cell, select a row",
        _grid,
        "/",
        (
            "double-click {9}",
            "type {Input Editor} 12[Enter]",
            "click {Press Space to toggle row selection (unchecked)|3}",
        ),
        ("changed: Kettle costs 12", "selected: Chair"),
        fetches=True,
    ),
    Flow(
        "Swagger UI: try an operation",
        _operations,
        "/",
        (
            "GET /index.html List the lamps",
            "Try it out",
            "select {select:--} brass",
            "type {word} oil",
            "Execute",
        ),
        ("index.html?colour=brass&word=oil",),
        fetches=True,
    ),
    Flow(
        "Python's documentation: search, answer with a quote",
        _python_docs,
        "/",
        (
            "type {Quick search} asyncio.timeout[Enter]",
            "asyncio . timeout",
            'done With asyncio.timeout().\nQuote: "can be used to limit the amount of time spent waiting on something"',
        ),
        ("limit the amount of time spent waiting",),
        fetches=True,
        quote="can be used to limit the amount of time spent waiting on something",
    ),
)
