"""The last line of a reply that says how sure the model is, as the offline reader writes it: ``Certainty: 62 %``."""

from __future__ import annotations

import re

_LINE = re.compile(r"\s*^Certainty: (\d{1,3}) %\s*\Z", re.M)


def with_certainty(reply: str, certainty: float) -> str:
    """Return a reply with the line at its end; ``certainty`` is between 0 and 1."""
    return f"{reply}\nCertainty: {round(100 * certainty)} %"


def split_certainty(reply: str) -> tuple[str, float | None]:
    """Return a reply without the line, and the certainty; None if there is no such line."""
    found = _LINE.search(reply)
    return (reply, None) if found is None else (reply[: found.start()], min(100, int(found[1])) / 100)
