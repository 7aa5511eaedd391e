"""The command that installs an extra, for the way in which ReadAgent itself was installed, and the error without it."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from shlex import quote
from urllib.parse import unquote, urlsplit

from readagent.errors import MissingExtraError

_REPOSITORY = "https://github.com/readagent/readagent"


def install_command(extra: str) -> str:
    """Return a command line that adds an extra: from the clone, the repository or the index that ReadAgent is from.

    From the repository if the clone is gone.
    """
    pip = "pip install" if find_spec("pip") is not None else f"uv pip install --python {quote(sys.prefix)}"
    return f"{pip} {_requirement(extra)}"


def missing_extra(what: str, package: str, extra: str) -> MissingExtraError:
    """Return the error for a module that cannot be imported without the package of an extra."""
    command = install_command(extra)
    error = MissingExtraError(f"{what} needs {package}", hint=f"install it: {command}")
    error.add_note(f"Install it: {command}")  # a traceback does not show the hint
    return error


def _requirement(extra: str) -> str:
    named = f"readagent[{extra}]"
    try:
        origin = json.loads(distribution("readagent").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return quote(named)
    url = str(origin.get("url", ""))
    path = unquote(urlsplit(url).path) if url.startswith("file:") else ""
    if path and not os.path.exists(path):  # a clone or a wheel that was deleted after it was installed
        return quote(f"{named} @ git+{_REPOSITORY}")
    if origin.get("dir_info") is not None:
        editable = "--editable " if origin["dir_info"].get("editable") else ""
        return editable + quote(f"{path}[{extra}]")
    if vcs := origin.get("vcs_info"):
        return quote(f"{named} @ {vcs.get('vcs', 'git')}+{url}")
    return quote(f"{named} @ {url}" if url else named)
