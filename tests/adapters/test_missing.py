"""Without its package, an adapter says how to install it, and nothing else breaks."""

from __future__ import annotations

import importlib
import subprocess
import sys
import traceback

import pytest

from readagent.errors import MissingExtraError, UsageError


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("readagent.adapters.langchain", "langchain_core", "langchain"),
    ],
)
def test_the_error_names_the_command_that_installs_it(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"{module} needs") as error:
        importlib.import_module(module)
    assert isinstance(error.value, UsageError)
    assert isinstance(error.value, ImportError)  # so that code which tries imports treats it as one
    assert f"[{extra}]" in error.value.hint
    assert f"[{extra}]" in "".join(traceback.format_exception_only(error.value))  # a script shows no hint


@pytest.mark.slow
def test_tools_and_passages_import_no_such_package() -> None:
    code = "import sys, readagent.adapters.tools, readagent.adapters.passages;"
    code += "sys.exit(bool({'langchain_core', 'llama_index', 'llm', 'openai', 'pydantic'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
