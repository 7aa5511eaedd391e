"""Recorded runs: what a user sees after each command, request or line of Python, replayed with a model that is played.

A case in `cases/*.txt` begins with `== its name`. Lines at the margin are what is done; indented lines are what was seen:
standard output, `!` standard error, `=` the exit code, `&` how often the model was called.

    model {...}   what the model decides, see player.py; `model.json` holds for every case
    file NAME     a file in the working folder, with the lines that begin with `|`; `copy NAME` is one of the repository's
    given ...     a command that is run first and not compared
    $ ...         a command; `<` lines are its input, `>` lines requests to the server that it starts;
                  after `|`, the fields of its JSON that are compared
    $$ ...        a command in a process of its own
    >>> ...       Python, `await` included; `...` lines belong to it
    now {...}     from here on the model decides otherwise; `set NAME=VALUE` sets a variable of the environment
    total         the calls of all commands so far, where each of them may need more or fewer
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

import pytest

from outcomes.player import ADDRESS
from outcomes.running import HERE, Runner

ROOT = HERE.parent.parent
MODEL = json.loads((HERE / "model.json").read_text("utf-8"))
_PREPARED: dict[str, Path] = {}  # libraries by what was done before
_MORE = ("< ", "> ", "... ", "| ")


@dataclass
class Step:
    """A line of a case with those that belong to it, and what is to be seen."""

    line: str
    more: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)


@dataclass
class Case:
    """A case in a file. Comments are steps too, without anything to see."""

    name: str
    path: Path
    steps: list[Step] = field(default_factory=list)

    def text(self) -> str:
        lines = [f"== {self.name}"] if self.name else []
        for step in self.steps:
            lines += [step.line, *step.more, *(f"  {one}".rstrip() for one in step.seen)]
        return "".join(f"{line}\n" for line in lines)


def cases_in(path: Path) -> list[Case]:
    """Return the cases of a file; what stands before the first one is a case without a name."""
    cases = [Case("", path)]
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("== "):
            cases.append(Case(line[3:], path))
        elif line[:2] == "  " or not line:
            if cases[-1].steps:
                cases[-1].steps[-1].seen.append(line[2:])
        elif line.startswith(_MORE) or line == "|":
            cases[-1].steps[-1].more.append(line)
        else:
            cases[-1].steps.append(Step(line))
    for case in cases:
        for step in case.steps:
            while step.seen and not step.seen[-1]:
                step.seen.pop()
    return cases


FILES = {path: cases_in(path) for path in sorted((HERE / "cases").glob("*.txt"))}
CASES = [case for cases in FILES.values() for case in cases if case.name]


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The working folder: the same for all cases, because libraries know where their documents are from."""
    folder = tmp_path_factory.getbasetemp() / "desk" / "folder"
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.path.stem}: {case.name}" for case in CASES])
def test_what_a_user_sees(
    case: Case, desk: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(desk)
    for name, value in {"READAGENT_BASE_URL": ADDRESS, "READAGENT_MODEL": "player", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    for text in ("tide-clock.txt", "ferry.txt"):
        shutil.copy(HERE / "texts" / text, desk)
    script = dict(MODEL)
    for step in case.steps:
        script |= json.loads(step.line[6:]) if step.line.startswith("model ") else {}
    runner = Runner(desk, own_home, script)
    update = request.config.getoption("--update-outcomes", default=False)
    for place, step in enumerate(case.steps):
        if step.line.startswith("given "):
            _prepare(case.steps[: place + 1], runner, own_home, desk.parent)
            continue
        seen = _do(step, runner, desk, monkeypatch)
        if update:
            step.seen = seen
        elif seen != step.seen:
            diff = unified_diff(step.seen, seen, "recorded", "seen", lineterm="")
            pytest.fail("\n".join([step.line, *diff]), pytrace=False)
    if update:
        case.path.write_text("\n".join(one.text() for one in FILES[case.path]), "utf-8")


def _prepare(steps: list[Step], runner: Runner, home: Path, kept: Path) -> None:
    """Run a command that is not compared, or take the library that it led to in an earlier case."""
    key = json.dumps([[step.line, step.more] for step in steps])
    if key not in _PREPARED:
        runner.run(f"$ readagent {steps[-1].line[6:]}", steps[-1].more)
        _PREPARED[key] = kept / f"library{len(_PREPARED)}"
        shutil.copytree(home, _PREPARED[key])
    else:
        shutil.rmtree(home)
        shutil.copytree(_PREPARED[key], home)


def _do(step: Step, runner: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    kind, _, rest = step.line.partition(" ")
    if kind in ("$", "$$", ">>>"):
        return runner.run(step.line, step.more)
    if kind == "total":
        return [f"& {runner.total} calls"]
    if kind == "file":
        (folder / rest).parent.mkdir(parents=True, exist_ok=True)
        (folder / rest).write_text("".join(f"{line[2:]}\n" for line in step.more), "utf-8")
    elif kind == "copy":
        shutil.copy(ROOT / rest, folder)
    elif kind == "set":
        name, _, value = rest.partition("=")
        monkeypatch.setenv(name, value)
    elif kind == "now":  # from here on, the model decides otherwise
        runner.player.script |= json.loads(rest)
    else:
        assert kind in ("model", "#"), step.line
    return []
