"""Policies for a mailbox: find the mail of a sender; mark, delete, answer or forward it."""

from __future__ import annotations

import re

from .clicking import Policy
from .seen import Intent, Item, Seen, quoted

_SENDER = (r"\b(?:by|from) ([A-Z]\w+)", r"([A-Z]\w+)'s\b", r"([A-Z]\w+) sent\b")
_RECIPIENT = (
    r"\bto ([A-Z]\w+)",
    r"^([A-Z]\w+) (?:wants|is waiting)",
    r"\b(?:[Ss]end|[Gg]ive|[Ff]orward|email) ([A-Z]\w+)",
)


def mark(seen: Seen, found: re.Match[str]) -> Intent:
    """Click the star or the bin of a mail in the list."""
    return Intent(_icon(seen, _mail(seen, found[1]), "star" if "star" in seen.instruction else "trash").id)


def answer(seen: Seen, found: re.Match[str]) -> Intent:
    return _letter(seen, found[1], "reply", "", found[2].strip())


def forward(seen: Seen, found: re.Match[str]) -> Intent:
    return _letter(seen, found[1], "forward", found[2].strip(), "")


def asked_freely(seen: Seen, found: re.Match[str]) -> Intent:
    """Do what people ask for in their own words: delete, mark, answer or forward a mail."""
    sender, text = _name(_SENDER, seen.instruction), quoted(seen.instruction)
    if text:
        return _letter(seen, sender, "reply", "", text[0])
    if icon := re.search(r"(delete|trash)|(star|important)", seen.instruction.lower()):
        return Intent(_icon(seen, _mail(seen, sender), "trash" if icon[1] else "star").id)
    return _letter(seen, sender, "forward", _name(_RECIPIENT, seen.instruction), "")


def _name(patterns: tuple[str, ...], instruction: str) -> str:
    return next(found[1] for pattern in patterns if (found := re.search(pattern, instruction)))


def _letter(seen: Seen, sender: str, button: str, to: str, text: str) -> Intent:
    """Open the mail, press answer or forward, fill in the mail, and send it."""
    fields = [item for item in seen.items if item.tag in ("input", "textarea")]
    if fields:
        wanted = next(item for item in fields if item.tag == ("input" if to else "textarea"))
        if not seen.did(wanted):
            return Intent(wanted.id, "type", to or text)
        return Intent(next(item for item in seen.items if "send" in item.name.lower()).id)
    pressed = next((item for item in seen.items if button in item.name.lower()), None)
    return Intent((pressed or _mail(seen, sender)).id)


def _mail(seen: Seen, sender: str) -> Item:
    return next(item for item in seen.tagged("div") if item.text.split(" ")[0] == sender.strip())


def _icon(seen: Seen, mail: Item, name: str) -> Item:
    return next(item for item in seen.tagged("span") if item.place > mail.place and name in item.name)


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^Find the email by (.+) and click the (?:star|trash) icon", mark),
    (r"^Find the email by (.+) and reply to them with the text \" ?(.+) ?\"", answer),
    (r"^Find the email by (.+) and forward that email to (.+?) ?\.$", forward),
)
FREELY: tuple[tuple[str, Policy], ...] = ((r"\b(?:e-?mail|mail|message)\b", asked_freely),)
