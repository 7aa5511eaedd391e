"""Links of the pages to files outside of docs/ become links to the code host, at the tag of this version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from markdown_links import repository_url
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

_LOG = logging.getLogger(__name__)


class RepositoryLinks(SphinxTransform):
    """Replaces the references that lead out of docs/; a file that is not there is a warning, and so an error."""

    default_priority = 1

    def apply(self, **_: Any) -> None:
        """Replace them in one page."""
        kinds = (addnodes.pending_xref, addnodes.download_reference)
        for reference in [*self.document.findall(lambda node: isinstance(node, kinds))]:
            if reference.get("refdomain") == "py" or (path := self._outside(reference["reftarget"])) is None:
                continue
            if not path.exists():
                _LOG.warning("no such file: %s", reference["reftarget"], location=reference)
            anchor = f"#{reference['reftargetid']}" if reference.get("reftargetid") else ""
            url = repository_url(self.config.repository, self.config.version, Path(self.app.srcdir).parent, path)
            link = nodes.reference("", "", *reference.children, internal=False, refuri=url + anchor)
            reference.replace_self(link)

    def _outside(self, target: str) -> Path | None:
        """Return the file that a target names if it is outside of docs/."""
        docs = Path(self.app.srcdir)
        path = (docs / Path(self.env.docname).parent / target).resolve()
        if path.is_relative_to(docs) or not path.is_relative_to(docs.parent):
            return None
        return path if path.exists() else path.with_name(path.name + ".md")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_config_value("repository", "", "env")
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
