"""The Python API on the site: each entry of a list in docs/api becomes what the docstrings say."""

from __future__ import annotations

import inspect
import re
from typing import Any

from api_lists import kind_of, replaced
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.inspect import safe_getattr, signature, stringify_signature

import readagent

_SEE = re.compile(r"See (Async\w+)\.(\w+)[.;](?: (.*))?")


def directive(module: str, name: str, text: str) -> str:
    """Return the directive that describes a public name."""
    kind = kind_of(module, name)
    described = f".. py:data:: {name}\n   :module: {module}\n\n   {text.replace('`', '``')}"
    automatic = f".. auto{kind}:: {module}.{name}" + "\n   :show-inheritance:" * (kind == "exception")
    return f"```{{eval-rst}}\n{described if kind == 'data' else automatic}\n```\n"


def expand(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the entries of a page in docs/api."""
    if page.startswith("api/"):
        source[0] = replaced(source[0], directive)


def follow(app: Sphinx, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Replace "See AsyncReadAgent.read_all." with the docstring of that method; what follows comes after it."""
    found = _SEE.fullmatch(" ".join(lines).strip())
    if found is None:
        return
    meant = inspect.getdoc(getattr(getattr(readagent, found[1]), found[2])) or ""
    lines[:] = [*meant.splitlines(), *(["", found[3][0].upper() + found[3][1:]] if found[3] else [])]


def own_signature(
    app: Sphinx, what: str, name: str, value: Any, options: Any, given: str | None, returned: str | None
) -> tuple[str, None] | None:
    """Return the parameters of ``__init__`` for a class whose base class is a stand-in, which would hide them."""
    if what != "class" or not safe_getattr(value, "__sphinx_mock__", False):
        return None
    found = signature(value.__init__, bound_method=True, type_aliases=app.config.autodoc_type_aliases)
    return stringify_signature(found, show_return_annotation=False, unqualified_typehints=True), None


def public_name(app: Sphinx, env: BuildEnvironment, reference: pending_xref, text: nodes.Element) -> nodes.Node | None:
    """Resolve a type by its last name: it is documented where it is public, not where it is defined."""
    name = str(reference.get("reftarget", "")).rpartition(".")[2]
    if reference.get("refdomain") != "py" or not name[:1].isupper():
        return None
    objects = env.domains.python_domain.objects
    full = next((full for full in objects if full.rpartition(".")[2] == name), None)
    if full is None:
        return None
    uri = app.builder.get_relative_uri(reference["refdoc"], objects[full].docname)
    return nodes.reference("", "", text, internal=True, refuri=f"{uri}#{objects[full].node_id}", reftitle=full)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hooks."""
    app.connect("source-read", expand)
    app.connect("autodoc-process-docstring", follow)
    app.connect("autodoc-process-signature", own_signature)
    app.connect("missing-reference", public_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
