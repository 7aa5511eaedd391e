"""Reading the action from a reply, in the forms that models write it in."""

from __future__ import annotations

import pytest

from readagent.core.model import Reply
from readagent_browse.command import Scope, forms, parse_command
from readagent_browse.goal import Action
from readagent_browse.snapshot import snapshot_of

PAGE = snapshot_of(
    "<a href=/x data-readagent-id=1>Home</a><input data-readagent-id=2><select data-readagent-id=3><option>Two coins"
    "<option>Three coins</select>"
)
LIVE = Scope(live=True, may_stop=True)
CLICK, DONE = Action("1", "click"), Action("", "done")


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("Action: click [1]", CLICK),
        ("Action: Click on element [1].", CLICK),
        ("click [2] would be wrong.\nAction: click [1]", CLICK),
        ('Action: type [2] "two lamps"', Action("2", "type", "two lamps")),
        ("Action: type [2] 12", Action("2", "type", "12")),
        ("Action: note The lamp costs two coins.", Action("", "note", "The lamp costs two coins.")),
        ("Action: wait", Action("", "wait", "3")),
        ("Action: scroll [1] up", Action("1", "scroll", "up")),
        ("double-click [1]", Action("1", "double-click")),
        ("Action: drag [1] after [2]", Action("1", "drag", "after 2")),
        ("DONE", DONE),
        ("**Action:** click [1]\n\nBecause it leads home; [2] does not.", CLICK),
        ("<think>Action: click [2]</think>Action: click [1]", CLICK),
        ("Action: done: 42", Action("", "done", "42")),
    ],
)
def test_an_action_is_read_from_a_reply(said: str, action: Action) -> None:
    assert parse_command(Reply(said), PAGE.elements, LIVE) == (action, "")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "it was empty"),
        ("I would click [1].", "it named no action"),
        ("Click [1], but not yet.", "it named no action"),
        ("Wait, click [1].", "it named no action"),
        ("Action: click [1]\nAction: type [2] lamp", "it named no action"),
        ("Action: tab 2", "no other tab is open"),
        ("Action: click", "it did not say what to click"),
        ("Action: note", "it noted nothing"),
        ("Action: drag [1]", "it did not say where to drag [1] to"),
        ("Action: upload [1] a.txt", "there is no file 'a.txt' to upload"),
    ],
)
def test_what_cannot_be_done_is_a_problem(said: str, problem: str) -> None:
    assert parse_command(Reply(said), PAGE.elements, LIVE) == (None, problem)


@pytest.mark.parametrize(("said", "action"), [("tab 1", Action("", "tab", "1")), ("close", Action("", "close"))])
def test_an_action_on_tabs_may_stand_alone(said: str, action: Action) -> None:
    assert parse_command(Reply(said), PAGE.elements, Scope(live=True, tabs=("a", "b"))) == (action, "")


def test_only_forms_that_are_possible_are_offered() -> None:
    assert "Action: type [12]" in forms(PAGE.elements, LIVE)
    assert "select" not in forms(PAGE.elements[:2], LIVE)
    assert "click" not in forms((), LIVE)
    assert "Action: done" in forms((), LIVE)


@pytest.mark.parametrize("said", ["Action: press Escape", "Action: hover [1]", "Action: done", "Action: scroll down"])
def test_on_a_recorded_page_elements_are_clicked_typed_into_and_selected_from(said: str) -> None:
    shown = [line.partition(" [")[0] for line in forms(PAGE.elements, Scope()).splitlines()]
    assert shown == ["Action: click", "Action: type", "Action: select"]
    assert "is not possible" in parse_command(Reply(said), PAGE.elements, Scope())[1]
