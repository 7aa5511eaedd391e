"""Build the site of this version into a folder: `python docs/site/build.py build/docs`, or `make docs`.

The help of all commands, docs/command-line.md, is written first.
Each version has a folder there; those of other versions are kept. The page at the top leads to the newest.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

SITE = Path(__file__).resolve().parent
DOCS = SITE.parent
sys.path[:0] = [str(DOCS)]
REDIRECT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<title>ReadAgent</title>
<a href="{newest}/index.html">ReadAgent {newest}</a>
</html>
"""


def main(folder: Path) -> int:
    """Build this version, then list all that are there; return the exit code of Sphinx."""
    from generate import command_help
    from sphinx.cmd.build import build_main

    (DOCS / "command-line.md").write_text(command_help(), "utf-8")
    version = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    shutil.rmtree(folder / version, ignore_errors=True)
    doctrees = folder.parent / "doctrees"
    options = ["--fresh-env", "--fail-on-warning", "--keep-going", "--quiet", "-c", str(SITE), "-d", str(doctrees)]
    code = build_main([*options, str(DOCS), str(folder / version)])
    if code == 0:
        list_versions(folder)
        print(folder / "index.html")
    return code


def list_versions(folder: Path) -> list[str]:
    """Write versions.js, from which every version fills its menu; the first page and llms.txt lead to the newest."""
    versions = sorted((path.parent.name for path in folder.glob("[0-9]*/index.html")), key=_number, reverse=True)
    (folder / "versions.js").write_text(f"window.READAGENT_VERSIONS = {json.dumps(versions)};\n", "utf-8")
    newest = versions[0]
    (folder / "index.html").write_text(REDIRECT.format(newest=newest), "utf-8")
    listed = (folder / newest / "llms.txt").read_text("utf-8")
    (folder / "llms.txt").write_text(listed.replace("](", f"]({newest}/"), "utf-8")
    return versions


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
