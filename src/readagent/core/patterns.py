"""Regular expressions that are compiled when they are first used: most runs of the program need few of them."""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what ``re.compile`` returns, but compile it later. It cannot be passed to the functions of ``re``."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class _Lazy:
    """A pattern in place of the compiled one, whose attributes it gets as they are needed."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, and keep it, so that this is called once for each."""
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found
