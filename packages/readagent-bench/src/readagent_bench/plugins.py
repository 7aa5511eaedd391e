"""Methods, data sets and measures of the user, in a Python file: ``mine.py:Middle``."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from readagent.errors import ReadAgentError, UsageError

T = TypeVar("T")


def is_file(name: str) -> bool:
    """Return whether this names something in a Python file."""
    return ".py:" in name


def load(name: str, kind: str) -> Any:
    """Return what a name such as ``mine.py:Middle`` stands for. Raises UsageError where that cannot be imported."""
    path, _, attribute = name.rpartition(":")
    if not is_file(name):
        raise UsageError(f"unknown {kind} {name!r}", hint="give one in a file as FILE.py:NAME")
    module = _module(Path(path).resolve(), f"the {kind} {name}")
    if not hasattr(module, attribute):
        raise UsageError(f"{path} has no {attribute}", hint=f"give the name of a {kind} in that file")
    return getattr(module, attribute)


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


def called(make: Callable[[], T], what: str) -> T:
    """Return the result of the user's code. Raises UsageError of one line with what went wrong, and where."""
    try:
        return make()
    except ReadAgentError:
        raise
    except Exception as error:
        raise failed(error, what) from error


def failed(error: Exception, what: str) -> UsageError:
    """Return an error of one line about a failure in the user's code: what went wrong, and in which line."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith("<")]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    said = " ".join(str(error).split())
    return UsageError(f"{what}: {type(error).__name__}{f': {said}' if said else ''}{where}")


def fingerprint(name: str) -> str:
    """Return what the manifest of a run says about the code of the user: a hash of its file; empty for ours."""
    if not is_file(name):
        return ""
    path = Path(name.rpartition(".py:")[0] + ".py")
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
