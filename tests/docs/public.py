"""The public modules and their names."""

from __future__ import annotations

import importlib

MODULES = (
    "readagent", "readagent.errors", "readagent.events", "readagent.testing", "readagent.webnav", "readagent.webnav.live",
)  # fmt: skip


def public_names(module: str) -> list[str]:
    """The names of a public module; readagent.errors has no list, and every class in it is public."""
    imported = importlib.import_module(module)
    classes = [name for name, value in vars(imported).items() if isinstance(value, type) and value.__module__ == module]
    return getattr(imported, "__all__", classes)
