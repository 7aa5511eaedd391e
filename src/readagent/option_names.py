"""Settings in hints and warnings, written as options of the command line, for those who use that or the page.

The library writes the name of a setting in backquotes, as Python has it: `page_words`, `window=8192`.
"""

from __future__ import annotations

import re

_SETTING = re.compile(r"`(?:Budget\()?(\w+)(?:=([^`)]*)\)?)?`")
_OPTIONS = {  # whose names differ from those in Python
    "tokens": "--max-tokens",
    "cost": "--max-cost",
    "audience": "--for",
    "folder": "--trace",
    "secrets": "--secret",
}
_PLACEHOLDERS = ("", "True", "…")


def as_options(text: str) -> str:
    """Return a text with settings as options: `page_words` is --page-words, and `window=8192` is --window 8192."""
    return _SETTING.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    name, value = found.groups(default="")
    option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    return option if value in _PLACEHOLDERS else f"{option} {value.replace(chr(34), '')}"
