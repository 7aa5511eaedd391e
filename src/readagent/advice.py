"""What hints say: the command that installs an extra, and settings as options of the command line."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from shlex import quote
from urllib.parse import unquote, urlsplit

from readagent.errors import MissingExtraError

_REPOSITORY = "https://github.com/readagent/readagent"


def install_command(extra: str, package: str = "readagent") -> str:
    """Return a command line that adds a package, or an extra of it, from where ReadAgent is from.

    That is a clone, the repository, or an index. From the repository if the clone is gone.
    """
    pip = "pip install" if find_spec("pip") is not None else f"uv pip install --python {quote(sys.prefix)}"
    found = _requirement(package, extra)
    if package == "readagent-bench" and "/" in found:  # not from an index, so neither is what it depends on
        found = f"{_requirement('readagent-browse', '')} {found}"
    return f"{pip} {found}"


def missing_extra(what: str, needed: str, extra: str, package: str = "readagent") -> MissingExtraError:
    """Return the error for a module that cannot be imported without what an extra of a package installs."""
    return _missing(f"{what} needs {needed}", install_command(extra, package))


def missing_package(what: str, package: str, extra: str = "") -> MissingExtraError:
    """Return the error for a feature of a package that is not installed."""
    return _missing(f"{what} is in a package of its own, {package}", install_command(extra, package))


def _missing(said: str, command: str) -> MissingExtraError:
    error = MissingExtraError(said, hint=f"install it: {command}")
    error.add_note(f"Install it: {command}")  # a traceback does not show the hint
    return error


def _requirement(package: str, extra: str) -> str:
    extras = f"[{extra}]" if extra else ""
    named, inside = f"{package}{extras}", "" if package == "readagent" else f"packages/{package}"
    part = inside and f"#subdirectory={inside}"
    try:
        origin = json.loads(distribution("readagent").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return quote(named)
    url = str(origin.get("url", ""))
    path = unquote(urlsplit(url).path) if url.startswith("file:") else ""
    if path and not os.path.exists(path):  # a clone or a wheel that was deleted after it was installed
        return quote(f"{named} @ git+{_REPOSITORY}{part}")
    if origin.get("dir_info") is not None:
        editable = "--editable " if origin["dir_info"].get("editable") else ""
        return editable + quote(f"{path}{inside and f'/{inside}'}{extras}")
    if vcs := origin.get("vcs_info"):
        return quote(f"{named} @ {vcs.get('vcs', 'git')}+{url}{part}")
    return quote(f"{named} @ {url}" if url and not inside else named)


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
