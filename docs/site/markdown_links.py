"""Links in the Markdown of the site, which lead where those of the HTML do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

_LINK = re.compile(r"^```.*?^```|`[^`\n]*`|\]\((?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)", re.M | re.S)


def relinked(text: str, page: str, files: Mapping[str, str], outside: Callable[[str], str], folder: str = "") -> str:
    """Return the text of a page with links that are valid in a folder of the site.

    ``page`` and ``folder`` are relative to docs/, as are the keys of ``files``: the pages, and the pictures with their
    places on the site. ``outside`` returns the address of any other file, given its path from docs/.
    """

    def link(found: re.Match[str]) -> str:
        if found["path"] is None:  # code
            return found[0]
        path = normpath(PurePosixPath(page).parent / found["path"])
        target = relpath(files[path], folder or ".") if path in files else outside(path)
        return f"]({target}{found['anchor'] or ''})"

    return _LINK.sub(link, text)


def repository_url(repository: str, version: str, root: Path, path: Path) -> str:
    """Return the address of a file or folder of the repository at the tag of a version."""
    kind = "tree" if path.is_dir() else "blob"
    return f"{repository}/{kind}/v{version}/{path.relative_to(root).as_posix()}"
