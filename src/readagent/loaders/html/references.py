"""Lists of references: their entries may be links, but they belong to the text."""

from __future__ import annotations

import re

from readagent.loaders.html.notes import short_text
from readagent.loaders.html.tree import TEXT, Element
from readagent.loaders.html.weights import Weight

_TITLES = frozenset(
    title.strip()
    for line in """
    references/reference list/bibliography/select bibliography/sources/works cited/literature/literature cited/citations
    further reading/suggested reading/notes and references
    literatur/literaturverzeichnis/quellen/quellenverzeichnis/quellen und literatur/weiterführende literatur/nachweise
    einzelnachweise/références/bibliographie/notes et références/lectures complémentaires
    referencias/bibliografía/fuentes/lecturas adicionales/riferimenti/bibliografia/fonti/letture
    referências/fontes/leitura adicional/referenties/bronnen/literatuur/referenser/källor/litteratur/kilder/referanser
    źródła/literatura/lähteet/литература/источники/список литературы/джерела/参考文献/参考资料/出典/참고문헌
    """.strip().splitlines()
    for title in line.split("/")
)
HEADING = re.compile("h[1-6]")
_HEADINGS = "h1, h2, h3, h4, h5, h6"
_AROUND_TITLE = re.compile(r"^[\W\d]+|\W+$")
_MIN_SAID = 4  # bytes, such as a year
_MAX_OUTWARD = 4  # elements around a list in which its heading is looked for


def is_reference_list(element: Element) -> bool:
    """Whether a list, or the section around it, has a heading such as "References"."""
    heading = element.css_first(_HEADINGS) or heading_before(element)
    if heading is None:
        return False
    return _AROUND_TITLE.sub("", short_text(heading)).casefold() in _TITLES


def is_described(element: Element, weights: dict[int, Weight]) -> bool:
    """Whether most entries of a list say something besides their links: authors, a year, a description."""
    entries = [weights[one.mem_id] for one in element.css("li, dd, tr") if one.mem_id in weights]
    return 2 * sum(one.unlinked_text >= _MIN_SAID for one in entries) > len(entries) > 0


def heading_before(element: Element) -> Element | None:
    """Return the heading that stands right before an element, or before an element that begins with it."""
    node: Element | None = element
    for _ in range(_MAX_OUTWARD):
        before = node.prev if node is not None else None
        while before is not None and (before.tag or "-")[0] == "-" and not (before.tag == TEXT and short_text(before)):
            before = before.prev
        if before is not None:
            return before if HEADING.fullmatch(before.tag or "") else None
        node = node.parent if node is not None else None
    return None
