"""The public modules and their names."""

from __future__ import annotations

import ast
import importlib
import re

from docs.pages import ROOT

ADAPTERS = ("readagent.adapters.langchain", "readagent.adapters.llama_index", "readagent.adapters.tools")
MODULES = (
    "readagent", "readagent.corpus", "readagent.errors", "readagent.events", "readagent.testing",
    "readagent_bench.own", "readagent_browse", "readagent_browse.live",
    *ADAPTERS,
)  # fmt: skip


def public_names(module: str) -> list[str]:
    """The names of a public module; readagent.errors has no list, and every class in it is public."""
    if module in ADAPTERS:  # its package may not be installed
        source = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text("utf-8")
        (names,) = re.findall(r"^__all__ = (\[.*\])$", source, re.M)
        return list(ast.literal_eval(names))
    imported = importlib.import_module(module)
    classes = [name for name, value in vars(imported).items() if isinstance(value, type) and value.__module__ == module]
    return getattr(imported, "__all__", classes)
