"""The first minutes of somebody new: a plain install without extras, an empty home, no settings, no key."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

import readagent
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="the environment is made of links")]
LIMIT = 120
OLLAMA = 11434


@dataclass(frozen=True)
class Newcomer:
    """A person with an environment and a home folder of their own, at a shell in that folder."""

    program: Path
    home: Path

    def types(self, line: str, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a command line that begins with ``readagent``, and return how it ended."""
        return subprocess.run(
            [str(self.program), *shlex.split(line)[1:]],
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], "COLUMNS": "100", **environ},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in an environment with what ReadAgent requires and nothing else, as `pip install readagent` makes it.

    Nothing is downloaded: the packages are links to those that are installed here.
    """
    place = tmp_path_factory.mktemp("plain")
    venv.create(place, with_pip=False, symlinks=True)
    (packages,) = place.glob("lib/python*/site-packages")
    for name in _required("readagent", set()) - {"readagent"}:
        for top in {file.parts[0] for file in distribution(name).files or () if file.parts[0] not in ("..", "bin")}:
            source = Path(str(distribution(name).locate_file(top)))
            if source.exists() and not (packages / top).exists():
                (packages / top).symlink_to(source)
    shutil.copytree(
        Path(readagent.__file__).parent, packages / "readagent", ignore=shutil.ignore_patterns("__pycache__")
    )
    about = packages / f"readagent-{distribution('readagent').version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(str(distribution("readagent").read_text("METADATA")))
    command = place / "bin" / "readagent"
    command.write_text(f"#!{place / 'bin' / 'python'}\nfrom readagent.cli import main\n\nmain()\n")
    command.chmod(0o755)
    return command


def _required(name: str, known: set[str]) -> set[str]:
    """Return a package and all that it requires here, without extras."""
    known.add(name)
    for line in distribution(name).requires or ():
        requirement, _, marker = line.partition(";")
        needed = re.split(r"[^\w.-]", requirement.strip())[0]
        if "extra" in marker or needed.lower() in known:
            continue
        try:
            distribution(needed)
        except ModuleNotFoundError:  # for other systems or versions of Python
            continue
        _required(needed.lower(), known)
    return known


@pytest.fixture
def newcomer(program: Path, tmp_path: Path) -> Newcomer:
    shutil.copy(EXAMPLES / "meeting.txt", tmp_path)
    return Newcomer(program, tmp_path)


@pytest.fixture
def ollama() -> Iterator[LoopbackServer]:
    """A server where Ollama usually is."""
    try:
        with LoopbackServer(models=("qwen3:8b",), port=OLLAMA).in_thread() as server:
            if not server.base_url:
                pytest.skip(f"port {OLLAMA} is in use")
            yield server
    except OSError:
        pytest.skip(f"port {OLLAMA} is in use")


def test_there_are_no_extras(newcomer: Newcomer) -> None:
    """Or the other tests here would show nothing."""
    python = newcomer.program.with_name("python")
    for package in ("numpy", "xllamacpp", "keyring", "pip", "pytest"):
        assert subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False).returncode == 1


def test_without_a_model_every_command_names_one_before_any_download(newcomer: Newcomer) -> None:
    first = newcomer.types("readagent")
    assert first.returncode == 0
    assert "'readagent[local]'" in first.stdout
    assert first.stdout.startswith("No model can be used yet. Any of these gives you one:\n")
    assert [line.split(":")[0] for line in first.stdout.splitlines()[1:4]] == [
        "  with a key", "  on this computer", "  offline",
    ]  # fmt: skip
    for line in ("readagent read meeting.txt", 'readagent ask meeting.txt "Who speaks first?"'):
        failed = newcomer.types(line)
        assert (failed.returncode, failed.stdout) == (1, ""), failed
        error, hint = failed.stderr.splitlines()[-2:]
        assert error.startswith("error: no model was named")
        assert "--model" in hint
        assert "--model" in hint.partition("MB")[0]
        assert "Traceback" not in failed.stderr


def test_with_a_server_on_this_computer_the_first_answer_takes_two_commands(
    newcomer: Newcomer, ollama: LoopbackServer
) -> None:
    assert "found ollama on this computer with qwen3:8b\nollama/qwen3:8b answers" in newcomer.types("readagent").stdout
    done = newcomer.types("readagent setup", stdin="\n\n")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "next: readagent read FILE"), done
    asked = newcomer.types('readagent ask meeting.txt "Who speaks first?"')
    assert asked.returncode == 0, asked
    assert "checked" in asked.stdout
    assert asked.stderr.splitlines()[0].startswith(f"sending the text to http://localhost:{OLLAMA}")
    assert newcomer.types("readagent list").stdout.count("Meeting of the Wendle Road") == 1
