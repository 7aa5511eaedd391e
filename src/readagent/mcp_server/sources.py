"""Sources: what a client may have read. Files in the allowed folders, public web addresses, and texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from readagent.core.document import Document
from readagent.errors import UsageError
from readagent.loaders import is_address, load


class Sources:
    """Loads documents for a client. ``folders`` are those it may name files in; without any it may name none.

    Links are followed before a path is compared with the folders, and none after that, so no link leads out of them.
    ``allow_private`` permits URLs on this machine and the local network.
    """

    def __init__(self, folders: Sequence[Path] = (), *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self.folders = tuple(folder.expanduser().resolve() for folder in folders)

    def load(self, *, path: str = "", url: str = "", text: str = "", title: str = "") -> Document:
        """Return the document at a path or a URL, or the one that the text is. Exactly one of the three is given."""
        if sum(bool(one.strip()) for one in (path, url, text)) != 1:
            raise UsageError("give exactly one of path, url and text")
        if text.strip():
            return Document.from_text(text, title=title.strip())
        if not url.strip():
            found, folder = self.allowed(path.strip())
            return load(found, title=title.strip(), inside=folder)
        if not is_address(url.strip()):
            raise UsageError("a URL begins with http:// or https://", hint="give the name of a file as path")
        return load(url.strip(), title=title.strip(), allow_private=self._allow_private)

    def allowed(self, path: str) -> tuple[Path, Path]:
        """Return the file or folder of this name and the allowed folder that it is in; raise UsageError if in none.

        The error is the same whether or not there is such a file outside.
        """
        if not self.folders:
            raise UsageError(
                "this server reads no files", hint="give the text itself, or start the server with `allow=FOLDER`"
            )
        for candidate in self._candidates(path):
            for folder in self.folders:
                if candidate.is_relative_to(folder):
                    return candidate, folder
        names = ", ".join(map(str, self.folders))
        raise UsageError(f"there is no such file in the allowed folders: {path!r}", hint=f"they are {names}")

    def _candidates(self, path: str) -> Iterator[Path]:
        """Yield the files that a name may mean, with links resolved: itself, or in the folders if it is relative."""
        try:
            named = Path(path).expanduser()
            if ".." in named.parts:
                return
            for one in [named] if named.is_absolute() else [folder / named for folder in self.folders]:
                if (resolved := one.resolve()).exists():
                    yield resolved
        except (OSError, ValueError, RuntimeError):  # not a path: too long, a circle of links, or no such user
            return
