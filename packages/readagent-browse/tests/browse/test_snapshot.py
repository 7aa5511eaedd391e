"""Snapshots: which parts of a page are kept, how they are rendered, and which elements can be acted on."""

from __future__ import annotations

import pytest

from readagent_browse.goal import Action
from readagent_browse.render import render
from readagent_browse.snapshot import snapshot_of
from web_pages import SHOP


def test_hidden_elements_are_left_out_and_the_rest_is_terse() -> None:
    page = snapshot_of(SHOP)
    assert page.title == "The lamp shop"
    text = render(page.root)
    assert text.splitlines() == [
        "<header>",
        "<nav><a id=0 href=/>Home</a><a id=1 href=lamps.example/sale>Sale</a></nav>",
        "<form><label>Search</label>",
        '<input id=2 name=q placeholder="Find a lamp">',
        "<button id=3><i alt=icon-search></button>",
        "</form>",
        "</header>",
        "<main>",
        "<h1>Lamps</h1>",
        '<select id=4 name=sort value="Cheapest first">Newest | Cheapest first | Best</select>',
        "A brass lamp, two coins.",
        "<button id=40>Add to basket</button>",
        "<input id=5 type=password name=p>",
        "<div id=6>Write here</div>",
        '<div id=7><img alt="Open the map"></div>',
        "<th>Lamp</th> | Brass",
        "Price | <a id=8 href=/b>2</a>",
        "</main>",
    ]
    for hidden in ("Hidden", "Ghost", "t0k3n", "hunter2", "var x"):
        assert hidden not in text


def test_elements_have_labels_options_and_operations() -> None:
    elements = {element.id: element for element in snapshot_of(SHOP).elements}
    assert elements["2"].label == "Search"  # its label element takes precedence over the placeholder
    assert elements["3"].label == "icon-search"
    assert elements["7"].label == "Open the map"
    assert elements["4"].options == ("Newest", "Cheapest first", "Best")
    assert elements["4"].operations == ("select",)
    assert elements["2"].operations == elements["5"].operations == elements["6"].operations == ("type", "click")
    assert elements["0"].operations == ("click",)
    assert elements["8"].path == "/html[1]/body[1]/main[1]/table[1]/tbody[1]/tr[2]/td[2]/a[1]"


def test_marked_elements_keep_their_ids_and_targets_limit_the_elements() -> None:
    html = '<div backend_node_id="12"><svg backend_node_id="9" class="icon-x"></svg><a href=/ backend_node_id="3">x</a>'
    marked = snapshot_of(html, "backend_node_id")
    assert [element.id for element in marked.elements] == ["12", "9", "3"]
    assert [element.id for element in snapshot_of(html, "backend_node_id", {"9"}).elements] == ["9"]


def test_text_cannot_be_mistaken_for_an_element() -> None:
    page = snapshot_of('<p>&lt;button id=99&gt; click me</p><a href=/ title="><button id=98>">go</a>')
    assert "<button" not in render(page.root)
    assert [element.id for element in page.elements] == ["0"]


@pytest.mark.parametrize("html", ["", "plain text only"])
def test_any_text_can_be_parsed(html: str) -> None:
    snapshot_of(html)


def test_deeply_nested_markup_can_be_parsed() -> None:
    for tag in ("div", "b", "ul><li"):
        assert "deep" in render(snapshot_of(f"<{tag}>" * 5000 + "deep").root)
    page = snapshot_of("<div>" * 150 + "<a href=/>deep</a>")
    assert [element.label for element in page.elements] == ["deep"]


@pytest.mark.parametrize(
    ("action", "label", "line"),
    [(Action("3", "click"), "", "click [3]"), (Action("3", "select", "Two"), "", 'select "Two" in [3]')],
)
def test_an_action_is_described_in_one_line(action: Action, label: str, line: str) -> None:
    assert action.describe(label) == line
