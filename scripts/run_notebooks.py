"""Run the notebooks in examples/notebooks and store their outputs: `make notebooks`.

With `--check` nothing is written, and the exit code is 1 if an output is not the one that is stored. It needs nbclient
and ipykernel, which are in the environment of `make docs`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
SHOWN = ("text/html", "text/markdown", "text/plain")


def main(arguments: list[str]) -> int:
    """Run every notebook; return 1 if the outputs are only checked and one differs."""
    changed = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        before = path.read_text("utf-8")
        after = executed(before)
        if after != before:
            changed.append(path.name)
        if "--check" not in arguments:
            path.write_text(after, "utf-8")
    if changed and "--check" in arguments:
        print("run `make notebooks`: the outputs of", ", ".join(changed), "have changed", file=sys.stderr)
        return 1
    return 0


def executed(text: str) -> str:
    """Return a notebook with the outputs of a run in its folder; a cell that fails is an error."""
    notebook = nbformat.reads(text, as_version=4)
    quiet = ["--log-level=ERROR"]  # a kernel warns that its connection, which is on loopback, is not encrypted
    place = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(notebook, timeout=300, resources=place, extra_arguments=quiet).execute()
    stored = json.loads(text)
    for cell, run in zip(stored["cells"], notebook.cells, strict=True):
        if cell["cell_type"] == "code":
            cell["execution_count"] = run["execution_count"]
            cell["outputs"] = [kept(output) for output in joined(run["outputs"])]
    return json.dumps(stored, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the outputs with pieces of one stream joined: how many there are depends on the timing."""
    found: list[dict[str, Any]] = []
    for output in outputs:
        if found and "text" in output and found[-1].get("name") == output["name"]:
            found[-1]["text"] += output["text"]
        else:
            found.append(dict(output))
    return found


def kept(output: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of an output: texts as lists of lines, as Jupyter stores them, and no images."""
    if "text" in output:
        output["text"] = output["text"].splitlines(keepends=True)
    if "data" in output:
        shown = {kind: text for kind, text in output["data"].items() if kind in SHOWN}
        output["data"] = {kind: text.splitlines(keepends=True) for kind, text in shown.items()}
    return output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
