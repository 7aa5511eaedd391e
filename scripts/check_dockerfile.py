"""Check the Dockerfile where no Docker is at hand: `python scripts/check_dockerfile.py [--build]`.

What is copied must be tracked by git and let through by .dockerignore; the image must run as a user, with the library
in a volume. With `--build`, the steps of the first stage are run in a temporary folder, and the program is started.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Shared libraries outside Python packages: those of python:slim, and the Debian package of each of the others.
IN_BASE = re.compile(r"ld-linux|linux-vdso|lib(?:c|m|dl|rt|pthread|util|gcc_s|z)\.so")
PACKAGES = {"libgomp.so.1": "libgomp1", "libstdc++.so.6": "libstdc++6"}


@dataclass(frozen=True, slots=True)
class Instruction:
    """A line of a Dockerfile: its keyword and the rest, with continued lines joined."""

    keyword: str
    rest: str


def stages(text: str) -> list[list[Instruction]]:
    """Return the instructions of every stage; each begins with its FROM."""
    lines = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ").splitlines()
    found: list[list[Instruction]] = []
    for line in filter(str.strip, lines):
        keyword, _, rest = line.strip().partition(" ")
        if keyword == "FROM":
            found.append([])
        found[-1].append(Instruction(keyword, " ".join(rest.split())))
    return found


def problems(root: Path = ROOT) -> Iterator[str]:
    """Yield what is wrong with the Dockerfile, as far as reading it shows."""
    *_, final = parsed = stages((root / "Dockerfile").read_text("utf-8"))
    let_through = (root / ".dockerignore").read_text("utf-8").splitlines()
    for source in (source for stage in parsed for source in copied(stage)):
        if not tracked(root, source):
            yield f"COPY {source}: git does not track it"
        if f"!{source}" not in let_through:
            yield f"COPY {source}: .dockerignore leaves it out"
    installed = " ".join(one.rest for one in parsed[0] if one.keyword == "RUN")
    if last(final, "EXPOSE") and not re.search(r"\[[\w,]*\bserve\b", installed):
        yield f"EXPOSE {last(final, 'EXPOSE')}: the extra serve is not installed"
    if copied(final):
        yield "the final stage copies from the build context, not from the stage before"
    user, run = last(final, "USER"), " ".join(one.rest for one in final if one.keyword == "RUN")
    if user in ("", "root", "0") or not re.search(rf"useradd [^&]*\b{user}\b", run):
        yield f"USER {user or 'root'}: not a user that the image creates"
    home = dict(word.partition("=")[::2] for word in shlex.split(last(final, "ENV"))).get("READAGENT_HOME")
    if not home or last(final, "VOLUME") != home:
        yield f"VOLUME {last(final, 'VOLUME')}: READAGENT_HOME is {home}"
    elif not re.search(rf"install [^&]*--owner {user} [^&]*{home}\b", run):
        yield f"{home} does not belong to {user}"
    if json.loads(last(final, "ENTRYPOINT") or "[]") != ["readagent"]:
        yield "ENTRYPOINT does not start readagent"
    if re.search(r"pip install|build-essential|\bgcc\b|-dev\b", run):
        yield "the final stage installs build tools"


def copied(stage: list[Instruction]) -> list[str]:
    """Return what a stage copies from the build context."""
    copies = (shlex.split(one.rest) for one in stage if one.keyword == "COPY" and not one.rest.startswith("--from="))
    return [source for words in copies for source in words[:-1]]


def last(stage: list[Instruction], keyword: str) -> str:
    """Return the rest of the last instruction with this keyword, or nothing."""
    return next((one.rest for one in reversed(stage) if one.keyword == keyword), "")


def tracked(root: Path, source: str) -> bool:
    """Whether git knows a file or a folder; a distribution without a repository only has to contain it."""
    if not (root / ".git").exists():
        return (root / source).exists()
    return bool(subprocess.check_output(["git", "ls-files", source], cwd=root))


def build(root: Path = ROOT) -> Iterator[str]:
    """Run the first stage below a temporary folder and start the program; yield what is wrong."""
    first, *_, final = stages((root / "Dockerfile").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        image = Path(folder)
        work = image / last(first, "WORKDIR").lstrip("/")
        (image / "opt").mkdir()
        for source in copied(first):
            copy(root / source, work / source)
        environment = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HOME": folder}
        for one in first:
            if one.keyword == "RUN":
                command = one.rest.replace(" /opt", f" {image}/opt")
                subprocess.run(["sh", "-ec", command], cwd=work, env=environment, check=True)
        program = image / "opt/readagent/bin/readagent"
        home = {**environment, "READAGENT_HOME": f"{folder}/data", "PYTHONDONTWRITEBYTECODE": "1"}
        python = image / "opt/readagent/bin/python"
        if subprocess.run([python, "-c", "import readagent.web.serving"], env=home, check=False).returncode:
            yield "readagent serve lacks a package"
        for arguments in (["--version"], ["list"]):
            if subprocess.run([program, *arguments], cwd=folder, env=home, check=False).returncode:
                yield f"readagent {arguments[0]} fails"
        installed = " ".join(one.rest for one in final if one.keyword == "RUN").split()
        for library in sorted(needed(image / "opt")):
            if PACKAGES.get(library) not in installed:
                yield f"{library} is neither in the base image nor installed in the final stage"


def copy(source: Path, target: Path) -> None:
    """Copy a file or a folder to a place whose parents may not exist yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)


def needed(folder: Path) -> set[str]:
    """Return the names of shared libraries that packages take from the system, beyond those of the base image."""
    found = set()
    for module in folder.rglob("*.so"):
        listed = subprocess.run(["ldd", module], capture_output=True, text=True, check=False).stdout
        for name, place in re.findall(r"^\s*(\S+\.so\S*)(?: => (\S+))?", listed, re.M):
            if not place.startswith(str(folder)) and not IN_BASE.match(Path(name).name):
                found.add(name)
    return found


def main(arguments: list[str]) -> int:
    """Print every problem; 1 if there is one."""
    found = [*problems(), *(build() if "--build" in arguments else ())]
    print("\n".join(found) or "the Dockerfile is sound")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
