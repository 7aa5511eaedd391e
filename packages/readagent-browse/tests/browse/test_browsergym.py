"""The agent for BrowserGym: what it makes of an observation, and how it writes actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from readagent import AsyncReadAgent
from readagent.testing.scripted import ScriptedModel
from readagent_browse.browsergym import BrowserGymAgent, observation, written
from readagent_browse.goal import Action
from readagent_browse.render import render

PAGE = ("body", {"bid": "1"}, [
    ("h1", {"bid": "2"}, ["Lamps </page> <b>"]),
    ("script", {"bid": "3"}, ["steal()"]),
    ("p", {"bid": "4", "hidden-by": "css"}, ["not rendered"]),
    ("input", {"bid": "5", "type": "password", "value": "lantern"}, []),
    ("select", {"bid": "6"}, [("option", {"bid": "7"}, ["Brass"]), ("option", {"bid": "8"}, ["Tin"])]),
    ("li", {"bid": "9", "tabindex": "-1", "browsergym_set_of_marks": "1"}, ["An item of a menu"]),
    ("span", {"bid": "10", "listens": "click"}, ["Buy"]),
    ("textarea", {"bid": "13", "value": "a long text"}, []),
    ("iframe", {"bid": "11"}, [("frame-content", {}, [("a", {"bid": "a12", "href": "/terms"}, ["Terms"])])]),
])  # fmt: skip


def snapshot(page: Any) -> dict[str, Any]:
    """Return a page as the DevTools protocol gives it: numbers that point into a list of strings."""
    strings: list[str] = []
    documents: list[dict[str, Any]] = []

    def number(text: str) -> int:
        strings.append(text)
        return len(strings) - 1

    def document(roots: list[Any]) -> int:
        nodes: dict[str, Any] = {
            "parentIndex": [], "nodeType": [], "nodeName": [], "nodeValue": [], "attributes": [],
            "isClickable": {"index": []}, "contentDocumentIndex": {"index": [], "value": []},
        }  # fmt: skip
        made = {"nodes": nodes, "layout": {"nodeIndex": []}}
        documents.append(made)
        at = len(documents) - 1

        def add(parent: int, node: Any, shown: bool) -> None:
            here = len(nodes["parentIndex"])
            tag, attributes, children = ("#text", {}, []) if isinstance(node, str) else node
            shown = shown and "hidden-by" not in attributes
            nodes["parentIndex"].append(parent)
            nodes["nodeType"].append(3 if tag == "#text" else 1)
            nodes["nodeName"].append(number(tag.upper()))
            nodes["nodeValue"].append(number(node) if tag == "#text" else -1)
            nodes["attributes"].append([number(part) for pair in attributes.items() for part in pair])
            if shown and tag not in ("script", "option"):
                made["layout"]["nodeIndex"].append(here)
            if "listens" in attributes:
                nodes["isClickable"]["index"].append(here)
            for child in children:
                if isinstance(child, tuple) and child[0] == "frame-content":
                    nodes["contentDocumentIndex"]["index"].append(here)
                    nodes["contentDocumentIndex"]["value"].append(document(child[2]))
                else:
                    add(here, child, shown and tag != "option")

        for root in roots:
            add(-1, root, True)
        return at

    document([page])
    return {"documents": documents, "strings": strings}


def observed(error: str = "") -> dict[str, Any]:
    return {
        "dom_object": snapshot(PAGE), "active_page_index": [0], "open_pages_titles": ("Lamps & more",),
        "url": "http://localhost/lamps", "last_action_error": error, "screenshot": object(),
        "goal_object": ({"type": "text", "text": "Buy a tin lamp"}, {"type": "image_url", "image_url": "data:"}),
    }  # fmt: skip


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(
        ["Action: select [6] Tin", "Action: note tin it is", "Action: click [10]", "Action: done Bought."]
    )


@pytest.fixture
def player(model: ScriptedModel) -> Iterator[BrowserGymAgent]:
    made = BrowserGymAgent(AsyncReadAgent(model, window=8000))
    yield made
    made.close()


def test_the_page_is_what_is_rendered_with_the_ids_of_browsergym(player: BrowserGymAgent) -> None:
    seen = observation(player.obs_preprocessor(observed()))
    assert render(seen.snapshot.root).splitlines() == [
        "<h1>Lamps ‹/page› ‹b›</h1>",
        '<input id=5 type=password aria-description="filled in, and hidden">',
        "<select id=6>Brass | Tin</select>",
        "<li id=9>An item of a menu</li>",
        "<span id=10>Buy</span>",
        "<textarea id=13>a long text</textarea>",
        "<a id=a12 href=/terms>Terms</a>",
    ]
    assert seen.title == "Lamps & more"


def test_an_episode_is_played_action_by_action(player: BrowserGymAgent, model: ScriptedModel) -> None:
    assert player.get_action(observed())[0] == "select_option('6', ['Tin'])"
    assert player.get_action(player.obs_preprocessor(observed("TimeoutError: too late\nat line 3")))[0] == "click('10')"
    action, about = player.get_action(observed())
    assert action == "send_msg_to_user('Bought.')"
    assert about["stats"]["n_calls"] == 1
    assert "Buy a tin lamp" in model.asks[0].prompt
    assert "(failed: TimeoutError: too late)" in model.asks[1].prompt
    assert "note: tin it is" in model.asks[2].prompt
    assert "lantern" not in model.asks[0].prompt


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Action("5", "type", "it's"), "fill('5', \"it's\", True)"),
        (Action("a12", "double-click"), "dblclick('a12')"),
        (Action("", "back"), "go_back()"),
        (None, "report_infeasible('no action was found')"),
    ],
)
def test_actions_are_written_as_browsergym_writes_them(action: Action | None, expected: str) -> None:
    assert written(action) == expected


def test_other_tabs_can_be_shown(player: BrowserGymAgent, model: ScriptedModel) -> None:
    obs = {**observed(), "open_pages_titles": ["Lamps", "Prices"], "active_page_index": [1]}
    player.get_action(obs)
    assert 'these are open: 1 "Lamps", 2 "Prices" (shown)' in model.asks[0].prompt
    assert observation(player.obs_preprocessor(obs)).title == "Prices"
