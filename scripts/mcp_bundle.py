"""Make `readagent-VERSION.mcpb`, the MCP server for desktop apps: `python scripts/mcp_bundle.py [FOLDER]`.

The bundle has the source of the product; uv, which the app brings, installs what it needs. The app's own model reads.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_FILES = ("pyproject.toml", "README.md", "LICENSE")
_RUN = ("run", "--directory", "${__dirname}", "--no-dev", "--extra", "mcp", "readagent")


def manifest() -> dict[str, Any]:
    """Return what the app shows, asks for, and starts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    folder = "${user_config.folder}"
    return {
        "manifest_version": "0.4",
        "name": "readagent",
        "display_name": "ReadAgent",
        "version": project["version"],
        "description": project["description"],
        "author": {"name": project["authors"][0]["name"]},
        "license": project["license"],
        "homepage": project["urls"]["Homepage"],
        "documentation": project["urls"]["Documentation"],
        "server": {
            "type": "uv",
            "entry_point": "src/readagent/__main__.py",
            "mcp_config": {"command": "uv", "args": [*_RUN, "mcp", "--no-model", "--allow", folder]},
        },
        "tools_generated": True,
        "prompts_generated": True,
        "user_config": {
            "folder": {
                "type": "directory",
                "title": "Folder with documents",
                "description": "The app can have files in this folder read.",
                "required": True,
            }
        },
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": project["requires-python"]},
        },
    }


def bundle(folder: Path) -> Path:
    """Write the bundle into a folder, and return its path."""
    about = manifest()
    path = folder / f"readagent-{about['version']}.mcpb"
    source = (one for one in (ROOT / "src").rglob("*") if one.is_file() and "__pycache__" not in one.parts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(about, indent=2))
        for one in sorted([*source, *(ROOT / name for name in _FILES)]):
            archive.write(one, one.relative_to(ROOT).as_posix())
    return path


if __name__ == "__main__":
    print(bundle(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
