"""What `readagent.testing` offers is documented, and enough for the tests of a user."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import readagent.testing as public

ROOT = Path(__file__).parent.parent.parent
USERS_TEST = """
import pytest

from readagent import Ask, Document, ReadAgent, Reply, Usage
from readagent.testing import Faults, Habits, LoopbackServer, Recorder, Replay, ScriptedModel, Skimmer

STORY = Document.from_text("Ann hid the key in the kitchen. Bob looked for it in the garden. " * 40)


def reply(ask: Ask) -> Reply:
    return Reply("Answer: Behind the stove.", usage=Usage(10, 4))


def test_a_scripted_answer() -> None:
    with ReadAgent(Skimmer(Habits(gist_share=0.2))) as agent:
        memory = agent.read(STORY)
    model = ScriptedModel(reply)
    with ReadAgent(model) as agent:
        assert agent.ask(memory, "Where is the key?", quotes=False).text == "Behind the stove."
    assert model.asks[-1].step == "direct"


def test_faults(tmp_path) -> None:
    with LoopbackServer(faults=Faults(0.2, seed=3, kinds=["empty", "length"])).in_thread() as server:
        with ReadAgent(server.base_url) as agent:
            assert agent.read(STORY).gists
        assert server.requests
"""


def test_every_name_has_a_docstring_and_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    assert [name for name in public.__all__ if f"`{name}" not in page] == []
    assert [name for name in public.__all__ if not getattr(public, name).__doc__] in ([], ["Fault"])  # a type alias


@pytest.mark.slow
def test_a_test_suite_of_a_user_needs_no_other_imports(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(USERS_TEST, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout


@pytest.mark.release
def test_a_users_tests_pass_the_strict_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    typed = USERS_TEST.replace("import pytest", "from pathlib import Path").replace("(tmp_path)", "(tmp_path: Path)")
    (tmp_path / "test_mine.py").write_text(typed, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "test_mine.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
