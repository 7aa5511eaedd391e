"""Parse the page of a step: the cleaned HTML of Mind2Web is XML with texts in elements of their own."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from readagent.errors import LoadError
from readagent.loaders.sandbox.xml import element_of, local
from readagent_bench.web.mind2web.task import Step
from readagent_browse.dom import Snapshot
from readagent_browse.snapshot import snapshot_of
from readagent_browse.snapshot_builder import SnapshotBuilder

ID_ATTRIBUTE = "backend_node_id"


def page_of(step: Step) -> Snapshot:
    """Return the snapshot of a step's page; only its candidates can be acted on."""
    candidates = frozenset(step.candidates)
    try:
        root = element_of(step.html.encode("utf-8", "replace"), "cleaned_html", step.id)
    except LoadError:  # not quite XML: parse it as a browser would
        return snapshot_of(step.html, ID_ATTRIBUTE, candidates, cleaned=True)
    drawing = SnapshotBuilder(ID_ATTRIBUTE, candidates, cleaned=True)
    _draw(root, drawing)
    return drawing.build()


def _draw(element: ET.Element, drawing: SnapshotBuilder) -> None:
    tag = local(element).lower() or "x"
    if tag == "head":
        drawing.title = drawing.title or " ".join("".join(element.itertext()).split())
    if tag == "text":
        drawing.text("".join(element.itertext()))
        return
    if not drawing.open(tag, dict(element.attrib)):
        return
    drawing.text(element.text or "")
    for child in element:
        _draw(child, drawing)
        drawing.text(child.tail or "")
    drawing.close()
