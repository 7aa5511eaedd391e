"""Methods, data sets and measures of the user: from a Python file, or from an installed package by its entry points.

Nothing of a package is imported before it is named.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal

import readagent
from readagent.errors import UsageError

Kind = Literal["method", "data set", "measure"]
_PACKAGES = {Path(__file__).resolve().parent, Path(readagent.__file__).resolve().parent}  # not the user's code
_GROUPS: dict[Kind, str] = {
    "method": "readagent.methods",
    "data set": "readagent.datasets",
    "measure": "readagent.measures",
}


def is_file(name: str) -> bool:
    """Return whether this names something in a Python file, as in ``mine.py:Middle``."""
    return ".py:" in name


def installed(kind: Kind) -> dict[str, EntryPoint]:
    """Return what installed packages offer, by name."""
    return {one.name: one for one in entry_points(group=_GROUPS[kind])}


def load(name: str, kind: Kind) -> Any:
    """Return what a name such as ``mine.py:Middle``, or the name of an entry point, stands for.

    Raises UsageError where it cannot be imported, with the reason.
    """
    if is_file(name):
        path, _, attribute = name.rpartition(":")
        module = _module(Path(path).resolve(), f"the {kind} {name}")
        if not hasattr(module, attribute):
            raise UsageError(f"{path} has no {attribute}", hint=f"give the name of a {kind} in that file")
        return getattr(module, attribute)
    point = installed(kind).get(name)
    if point is None:
        raise UsageError(f"unknown {kind} {name!r}", hint=f"give one in a file as FILE.py:NAME; {_offered(kind)}")
    return called(point.load, f"cannot load the {kind} {name}")


def _offered(kind: Kind) -> str:
    names = ", ".join(sorted(installed(kind)))
    return f"installed: {names}" if names else f"no installed package offers a {kind}"


@cache
def _module(path: Path, what: str) -> Any:
    if not path.is_file():
        raise UsageError(f"cannot load {what}: there is no file {path.name} there")
    name = f"readagent_own_{hashlib.sha256(str(path).encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    loader = spec.loader
    called(lambda: loader.exec_module(module), f"cannot load {what}")
    return module


def called(make: Callable[[], Any], what: str, about: Any = None) -> Any:
    """Return the result of the user's code. Raises UsageError of one line with what went wrong, and where."""
    try:
        return make()
    except Exception as error:
        raise failed(error, what, about) from error


def failed(error: Exception, what: str, about: Any = None) -> UsageError:
    """Return an error of one line about a failure in the user's code: what went wrong, and where.

    That is the last line of it that was running, or else the one where what the error is ``about`` is defined.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "importlib" not in one.filename and not _is_ours(one.filename)]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else place_of(about)
    said = " ".join(str(error).split())
    return UsageError(f"{what}: {type(error).__name__}{f': {said}' if said else ''}{where}")


def _is_ours(file: str) -> bool:
    return file.startswith("<") or not _PACKAGES.isdisjoint(Path(file).resolve().parents)


def place_of(about: Any) -> str:
    """Return the file and line where the user's class or function is defined, in brackets; empty if unknown."""
    try:
        defined = about if isinstance(about, type) or inspect.isfunction(about) else type(about)
        file, (_, line) = inspect.getsourcefile(defined), inspect.getsourcelines(defined)
    except (OSError, TypeError):
        return ""
    return f" ({Path(file).name}, line {max(1, line)})" if file and not _is_ours(file) else ""


def fingerprint(name: str, kind: Kind) -> str:
    """Return what the manifest of a run says about the code of the user: a hash of its file, or its package."""
    if is_file(name):
        path = Path(name.rpartition(":")[0])
        return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    package = installed(kind)[name].dist
    return f"{package.name} {package.version}" if package is not None else ""
