"""Archives of packages of Debian, npm and PyPI: downloaded by name and opened. Nothing of a package is built or run."""

from __future__ import annotations

import hashlib
import html
import io
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

HALVES = ("tuning", "held out")
MAX_BYTES = 40_000_000  # of a file in an archive
SOURCE = "-source"  # after the name of a registry: the source of a package
_SECONDS = 300
_LINK = re.compile(r'<a [^>]*href="([^"#]+)[^>]*>\s*([^<\s]+)\s*</a>')
_COMMANDS = {
    "debian": ["apt-get", "download", "-qq"],
    "npm": ["npm", "pack", "--silent"],
    "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"],
}


def half_of(name: str) -> str:
    """Return the half that a package or site belongs to: what is tuned on, or what is looked at only at the end."""
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def download(registry: str, names: list[str], here: Path) -> None:
    """Download the archives of packages of one registry into a folder: .deb files, npm tarballs or wheels."""
    command = [*_COMMANDS[registry], *names]
    subprocess.run(command, cwd=here, check=True, capture_output=True, timeout=_SECONDS)


def download_source(name: str, here: Path) -> Path:
    """Download the source of a Python package, which pip would build: the newest, or a file such as name-1.0.tar.gz."""
    wanted = name if name.endswith((".tar.gz", ".zip")) else ""
    project = re.sub(r"[-_.]+", "-", name.rpartition("-")[0] if wanted else name).lower()
    index = f"{import_module('pip._internal.models.index').PyPI.simple_url}/{project}/"
    with urlopen(index, timeout=_SECONDS) as page:
        links = [(html.unescape(link), file) for link, file in _LINK.findall(page.read().decode())]
    link = [link for link, file in links if file == wanted or (not wanted and file.endswith((".tar.gz", ".zip")))][-1]
    archive = here / Path(link).name
    with urlopen(urljoin(index, link), timeout=_SECONDS) as file:
        archive.write_bytes(file.read())
    return archive


def download_debian_source(name: str, here: Path, index: Path) -> Path:
    """Download a source package from the mirror that the system uses, with an index of its own in ``index``."""
    sources, lists = index / "sources.list", index / "lists"  # apt removes other files from its lists
    options = [
        "-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=/dev/null",
        "-o", f"Dir::State::lists={lists}",
    ]  # fmt: skip
    if not sources.exists():
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        command = ["apt-get", "indextargets", "--format", "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"]
        listed = subprocess.run([*command, "Created-By: Packages"], check=True, capture_output=True, text=True).stdout
        sources.write_text("\n".join(sorted(set(listed.splitlines()))) + "\n")
        subprocess.run(["apt-get", *options, "update"], check=True, capture_output=True, timeout=_SECONDS)
    command = ["apt-get", *options, "source", "--download-only", name]
    subprocess.run(command, cwd=here, check=True, capture_output=True, timeout=_SECONDS)
    return min(path for path in here.glob("*.tar.*") if path.suffix != ".asc" and ".debian." not in path.name)


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of the files in a Debian package, a tarball, a wheel or a zip file."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            yield from ((name, opened.read(name)) for name in opened.namelist())
        return
    data = archive.read_bytes()
    if archive.suffix == ".deb":
        command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
        data = subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            if member.isfile() and member.size < MAX_BYTES and (file := tar.extractfile(member)):
                yield member.name, file.read()
