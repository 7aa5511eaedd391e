"""Text that a page hides until a script or the reader shows it."""

from __future__ import annotations

from readagent.loaders.html.references import heading_before
from readagent.loaders.html.tree import Element
from readagent.loaders.html.visibility import NO_TEXT, is_hidden, is_label
from readagent.loaders.html.weights import Weight, weigh

_MAIN = ("main", "article", "[role=main]")
_MAX_ROUNDS = 4  # of showing what is hidden inside of what was hidden
_HIDING = ("style", "hidden", "aria-hidden")
_HIDDEN = ", ".join((
    *(f"{part}[{name}], {part} [{name}]" for part in _MAIN for name in _HIDING),
    "body > [hidden][id^='S:']",  # how React sends text that a script then puts into the page
))  # fmt: skip


def weigh_shown(root: Element, body: Element) -> dict[int, Weight]:
    """Weigh a page, and show what of its main part is hidden but belongs to the text.

    These are panels under a heading with a button, and all hidden elements if they say more than what is shown.
    """
    weights = weigh(root)
    for _ in range(_MAX_ROUNDS):
        hidden = [one for one in root.css(_HIDDEN) if _is_hidden_here(one, weights)]
        attributes = [_show(one) for one in hidden]
        said = sum(found.sentences for one in hidden if (found := weigh(one).get(one.mem_id)))
        is_longer = said > _shown_sentences(root, body, weights)
        shown = len(hidden)
        for one, values in zip(hidden, attributes, strict=True) if not is_longer else ():
            if not _is_panel(one):
                shown -= 1
                for name, value in values.items():
                    one.attrs[name] = value
        if not shown:
            break
        weights = weigh(root)
    return weights


def _shown_sentences(root: Element, body: Element, weights: dict[int, Weight]) -> int:
    """Return how much the main part shows, or the page if it declares none."""
    parts = [weights[one.mem_id].sentences for one in root.css(", ".join(_MAIN)) if one.mem_id in weights]
    return max(parts, default=weights[body.mem_id].sentences)


def _is_panel(element: Element) -> bool:
    """Whether an element stands under a heading with a button, which shows it."""
    heading = heading_before(element)
    return heading is not None and heading.css_first("button, [role=button]") is not None


def _is_hidden_here(element: Element, weights: dict[int, Weight]) -> bool:
    """Whether an element, and not one around it, is hidden."""
    if element.mem_id in weights or element.parent is None or element.parent.mem_id not in weights:
        return False
    tag, attributes = element.tag or "", element.attributes
    return (
        tag != "dialog" and tag not in NO_TEXT and not is_label(element, tag, attributes) and is_hidden(tag, attributes)
    )


def _show(element: Element) -> dict[str, str | None]:
    """Remove the attributes that hide an element, and return them."""
    found = {name: element.attributes[name] for name in _HIDING if name in element.attributes}
    for name in found:
        del element.attrs[name]
    return found
