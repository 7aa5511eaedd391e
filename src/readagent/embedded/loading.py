"""Load a network next to the event loop, on first use, with one clear error if that fails."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from readagent.embedded.weights import COMMAND, megabytes, missing_hint, select_weights, state
from readagent.errors import ModelError, UsageError
from readagent.extras import install_command

T = TypeVar("T")
NEEDS_NUMPY = "the offline reader needs numpy, which is not installed"


def install_hint() -> str:
    """Return how to install a package that runs models on this computer."""
    return f"install it: {install_command('local')}"


def steps_to_reader(home: Path) -> str:
    """Return what to run, in order, before the offline reader can be used; "" if it is ready."""
    size = megabytes(sum(weights.size for weights in select_weights()))
    steps = [
        "" if find_spec("numpy") is not None else install_command("local"),
        "" if state(home)["minilm"] == "ready" else f"{COMMAND} ({size}, once)",
    ]
    return ", then: ".join(filter(None, steps))


def load(make: Callable[[Path], T], folder: Path) -> T:
    """Return what ``make`` makes of the weights in a folder. Raises UsageError or ModelError."""
    try:
        return make(folder)
    except ImportError as error:
        raise UsageError(NEEDS_NUMPY, hint=install_hint()) from error
    except FileNotFoundError as error:
        raise ModelError(f"no weights in {folder}", hint=missing_hint()) from error
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ModelError(f"the weights in {folder} are damaged", hint=f"download them again with: {COMMAND}") from error
    except MemoryError as error:
        raise ModelError("not enough memory to load the weights of minilm", hint="about 200 MB are needed") from error
