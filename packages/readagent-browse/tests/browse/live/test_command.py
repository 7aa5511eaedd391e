"""Reading the action from a reply, in the forms that models write it in."""

from __future__ import annotations

import pytest

from readagent.core.model import Reply
from readagent_browse.action import Action
from readagent_browse.live.command import forms, parse_command
from readagent_browse.snapshot import snapshot_of

PAGE = snapshot_of(
    "<a href=/x data-readagent-id=1>Home</a><input data-readagent-id=2><select data-readagent-id=3><option>Two coins"
    "<option>Three coins</select>"
)
CLICK, DONE = Action("1", "click"), Action("", "done")


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("Action: click [1]", CLICK),
        ("click 1", CLICK),
        ("**Action:** click [1]", CLICK),
        ("Action: Click on element [1].", CLICK),
        ("```\nAction: click [1]\n```", CLICK),
        ("<think>type [2] x</think>Action: click [1]", CLICK),
        ("I could go home.\nclick [1]", CLICK),
        ("click [2] would be wrong.\nAction: click [1]", CLICK),
        ("Element: 1", CLICK),
        ("[1]", CLICK),
        ('Action: type [2] "two lamps"', Action("2", "type", "two lamps")),
        ("Action: type [2] two lamps [Enter]", Action("2", "type", "two lamps [Enter]")),
        ('type into [2]: "two lamps" [Enter]', Action("2", "type", "two lamps [Enter]")),
        ("Action: type [2] 12", Action("2", "type", "12")),
        ("Action: type [2]", Action("2", "type", "")),
        ("Action: select [3] two coins", Action("3", "select", "Two coins")),
        ("Action: click [3] Three coins", Action("3", "select", "Three coins")),
        ("Action: note The lamp costs two coins.", Action("", "note", "The lamp costs two coins.")),
        ("Action: back", Action("", "back")),
        ("Action: wait 5 seconds", Action("", "wait", "5")),
        ("Action: wait", Action("", "wait", "3")),
        ("Action: wait 900", Action("", "wait", "10")),
        ("Wait, there is a link.\nclick [1]", CLICK),
        ("Action: scroll down", Action("", "scroll", "down")),
        ("Action: scroll [1] up", Action("1", "scroll", "up")),
        ("Action: hover [1]", Action("1", "hover")),
        ("Action: double-click [1]", Action("1", "double-click")),
        ("double click on [1]", Action("1", "double-click")),
        ("Action: drag [1] to [2]", Action("1", "drag", "to 2")),
        ("Action: drag [1] onto [2].", Action("1", "drag", "to 2")),
        ("Action: drag and drop [1] below [2]", Action("1", "drag", "after 2")),
        ("drag [1] before [2]", Action("1", "drag", "before 2")),
        ("Action: press Esc", Action("", "press", "Escape")),
        ("Action: press [2] enter", Action("2", "press", "Enter")),
        ("DONE", DONE),
        ("Action: done", DONE),
        ('Action: done Two coins.\nQuote: "It costs two."', Action("", "done", 'Two coins.\nQuote: "It costs two."')),
        ("Action: done: 42", Action("", "done", "42")),
    ],
)
def test_an_action_is_read_from_a_reply(said: str, action: Action) -> None:
    assert parse_command(Reply(said), PAGE.elements) == (action, "")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "it was empty"),
        ("Let me think about it.", "it named no action"),
        ("Action: click [9]", "nothing that is shown has the id 9"),
        ("Action: click", "it did not say what to click"),
        ("Action: type [1] hello", "nothing can be typed into [1]"),
        ("Action: select [3] a hundred", "[3] has no option 'a hundred'"),
        ("Action: note", "it noted nothing"),
        ("Action: press Enter", "it did not say where to press Enter"),
        ("Action: drag [1]", "it did not say where to drag [1] to"),
        ("Action: drag [1] to [9]", "[1] cannot be dragged to [9]"),
        ("Action: drag [1] to [1]", "[1] cannot be dragged to [1]"),
        ("Action: upload [1] a.txt", "there is no file 'a.txt' to upload"),
    ],
)
def test_what_cannot_be_done_is_a_problem(said: str, problem: str) -> None:
    assert parse_command(Reply(said), PAGE.elements) == (None, problem)


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("tab 1", Action("", "tab", "1")),
        ("Tab [2].", Action("", "tab", "2")),
        ("Action: tab 2", Action("", "tab", "2")),
        ("close", Action("", "close")),
    ],
)
def test_an_action_on_tabs_may_stand_alone(said: str, action: Action) -> None:
    assert parse_command(Reply(said), PAGE.elements, tabs=2) == (action, "")


@pytest.mark.parametrize("said", ["Tab 1 shows the map.", "Close the dialog first.", "tab"])
def test_words_about_tabs_are_no_action(said: str) -> None:
    assert parse_command(Reply(said), PAGE.elements, tabs=2)[0] is None


def test_only_forms_that_are_possible_are_offered() -> None:
    assert "Action: type [12]" in forms(PAGE.elements)
    assert "select" not in forms(PAGE.elements[:2])
    assert "click" not in forms(())
    assert "Action: done" in forms(())
