"""Properties of any markup: it can be parsed, snippets cover it, ids are valid, and no prompt exceeds the window."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from readagent_browse.dom import Node
from readagent_browse.memory import check_ids, id_ranges
from readagent_browse.render import render
from readagent_browse.snapshot import snapshot_of
from readagent_browse.snippets import cut
from readagent_browse.step import WEB, Goal, next_step
from sessions import run

_TAGS = (
    "div p span a button input select option textarea table tr td li ul form label h2 svg img nav dialog script b "
    "optgroup summary title".split()
)
_ATTRIBUTES = (
    'href="/x?y=1"', "id=q", "data-readagent-id=7", 'data-readagent-id="x y"', "hidden", 'role="button"', "tabindex=0",
    'aria-label="Go <now>"', "type=password value=secret", "contenteditable", 'style="display:none"', "onclick=f()",
    'class="icon-cart"', "selected", "name=n", 'for="q"', 'aria-hidden="true"',
)  # fmt: skip
_WORDS = st.text("abc é漢ไ<>&\"' \n0", max_size=40)


@st.composite
def markup(draw: st.DrawFn) -> str:
    """Generate markup with tags that may not be closed, and text between them."""
    parts: list[str] = []
    for _ in range(draw(st.integers(0, 30))):
        tag = draw(st.sampled_from(_TAGS))
        attributes = " ".join(draw(st.lists(st.sampled_from(_ATTRIBUTES), max_size=3)))
        kind = draw(st.integers(0, 4))
        parts.append(f"</{tag}>" if kind == 0 else draw(_WORDS) if kind == 1 else f"<{tag} {attributes}>")
    return "".join(parts)


PAGES = st.one_of(markup(), st.text(max_size=200))


def texts(node: Node) -> list[str]:
    return [word for child in node.children for word in (child.split() if isinstance(child, str) else texts(child))]


@pytest.mark.slow
@given(PAGES)
@settings(max_examples=100, deadline=None)
def test_parsing_any_markup_is_deterministic(html: str) -> None:
    first, second = snapshot_of(html), snapshot_of(html)
    assert first == second
    ids = [element.id for element in first.elements]
    assert len(set(ids)) == len(ids)
    assert all(element.label and element.operations for element in first.elements)
    assert not any("secret" in node.attributes.values() for node in first.root.walk())
    assert render(first.root) or not first.elements


@pytest.mark.slow
@given(PAGES, st.integers(1, 60), st.sampled_from([None, 0, 2, 5, 9]))
@settings(max_examples=100, deadline=None)
def test_snippets_cover_the_page(html: str, words: int, depth: int | None) -> None:
    page = snapshot_of(html)
    snippets = cut(page, words, depth)
    assert [snippet.index for snippet in snippets] == list(range(len(snippets)))
    assert [one.id for part in snippets for one in part.elements] == [one.id for one in page.elements]
    for part in snippets:
        for element in part.elements:
            assert re.search(rf"<{re.escape(element.tag)} id={element.id}[ >]", part.html)
    text = re.sub(r"<[^<>]*>|\||\s", "", "".join(part.html for part in snippets))
    assert text == "".join(texts(page.root)).replace("|", "")


@given(st.text("[]0123456789, -;abc=id", max_size=60), st.lists(st.integers(0, 30).map(str), unique=True, max_size=8))
def test_ids_in_gists_are_ids_of_the_snippet(content: str, ids: list[str]) -> None:
    text, named = check_ids(content, ids)
    assert set(named) <= set(ids)
    assert check_ids(text, ids)[1] == named
    assert check_ids(f"[{', '.join(id_ranges(ids))}]", ids)[1] == tuple(ids)


@pytest.mark.slow
@given(PAGES, st.integers(1536, 4000), st.text(max_size=60), st.text("ab 1[]", max_size=30), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_prompt_exceeds_the_window_with_any_reply(
    html: str, tokens: int, instruction: str, reply: str, may_stop: bool
) -> None:
    long = html + "".join(f"<div><div><p>{html} item {i}</p><a href=/{i}>go {i}</a></div></div>" for i in range(60))
    window = Window(tokens)
    model = ScriptedModel(lambda ask: reply)
    session = Session(model, Prompts.load(), WEB, window)
    page = snapshot_of(long)
    try:
        step = run(next_step(page, Goal(f"x{instruction}"), session, may_stop=may_stop))
    except NoAnswerError:
        assert not may_stop
        return
    assert all(window.fits(ask.prompt) for ask in model.asks)
    if step.action is not None:
        assert step.element in page.elements
        assert step.action.operation in step.element.operations
        assert seen(model.asks, step.action.element)


def seen(asks: list[Ask], name: str) -> bool:
    """Return whether the last prompt that offered an id shows it, or no prompt offered it."""
    prompts = [ask.prompt for ask in asks if ask.choice is not None and ask.step == "act" and name in ask.choice.values]
    return not prompts or bool(re.search(rf"\b{name}\b|-\d+\]", prompts[-1]))
