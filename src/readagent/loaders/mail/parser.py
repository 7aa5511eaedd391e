"""E-mail (.eml, .emlx) and mailboxes (mbox): each thread is a section, and each message in it has a heading.

Messages of a thread come in the order of their dates. Quoted messages and signatures are kept once, and so are the
addresses of people with a name; attachments are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.mail.body import History
from readagent.loaders.mail.message import Mail, Person, day_of, mail_of, names_of
from readagent.loaders.mail.opening import EMLX, with_line_feeds

_ENVELOPE = re.compile(rb"(?:\A|(?<=\n\n))From [^\n]*\n(?=>?[!-9;-~]+:)")
_ESCAPED_FROM = re.compile(rb"^>From ", re.MULTILINE)
_REPLY = re.compile(r"(?:\s*(?:re|aw|sv|fwd?|wg|antw|tr|rv)(?:\[\d+\])?\s*:|\s*\[[^\]]{1,40}\])+\s*", re.IGNORECASE)


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a message or a mailbox as a document."""
    mails = [mail_of(one, name) for one in _messages(data)]
    if not any(mail.passages or mail.subject or mail.enclosed for mail in mails):
        raise LoadError(f"{name} contains no message", hint="save the message as .eml, or as plain text")
    threads = _threads(mails)
    only = mails[0] if len(mails) == 1 else Mail()
    fields = {"author": names_of(only.senders), "date": day_of(only)}
    title = threads[0][0].subject if len(threads) == 1 else ""
    return compose(_blocks(threads), title=title, metadata=fields)


def _messages(data: bytes) -> list[bytes]:
    """Return the messages of a mailbox, or the only one."""
    if (found := EMLX.match(data)) and int(found[1]) <= len(data):  # Apple Mail: a length, the message, a plist
        return [data[found.end() : found.end() + int(found[1])]]
    data = with_line_feeds(data).removeprefix(b"\xef\xbb\xbf").lstrip(b"\n")
    starts = [found.span() for found in _ENVELOPE.finditer(data)]
    if not starts or starts[0][0] > 0:
        return [data]
    ends = [start for start, _ in starts[1:]] + [len(data)]
    return [_ESCAPED_FROM.sub(b"From ", data[after:end]) for (_, after), end in zip(starts, ends, strict=True)]


def _threads(mails: Sequence[Mail]) -> list[list[Mail]]:
    """Return the messages by thread, found by their references or by a reply's subject."""
    threads: list[list[Mail]] = []
    by_id: dict[str, list[Mail]] = {}
    by_subject: dict[str, list[Mail]] = {}
    for mail in mails:
        topic = _REPLY.sub("", mail.subject, count=1).casefold()
        is_reply = bool(_REPLY.match(mail.subject))
        known = (by_id[key] for key in (mail.id, *reversed(mail.references)) if key in by_id)
        thread = next(known, None) or (by_subject.get(topic) if is_reply and topic else None)
        if thread is None:
            thread = []
            threads.append(thread)
        thread.append(mail)
        by_subject.setdefault(topic, thread)
        for key in (mail.id, *mail.references):
            if key:
                by_id.setdefault(key, thread)
    return [_by_date(thread) for thread in threads]


def _by_date(thread: list[Mail]) -> list[Mail]:
    return sorted(thread, key=lambda mail: mail.moment) if all(mail.moment for mail in thread) else thread


def _blocks(threads: Sequence[Sequence[Mail]]) -> Iterator[Block]:
    history, people = History(), _People()
    for thread in threads:
        yield Block(thread[0].subject or "(no subject)", heading=1)
        for mail in thread:
            yield from _mail_blocks(mail, history, people, level=2)


class _People:
    """The people of a mailbox: each is given with the address at the first mention, and afterwards by name."""

    def __init__(self) -> None:
        self._known: set[Person] = set()

    def are_known(self, people: Iterable[Person]) -> bool:
        """Whether no address is left to be told."""
        return all(person in self._known or not all(person) for person in people)

    def told(self, people: Iterable[Person]) -> str:
        """Return the people as they are written here."""
        told = []
        for person in people:
            told.append(names_of([person]) if self.are_known([person]) else "{} <{}>".format(*person))
            self._known.add(person)
        return ", ".join(told)


def _mail_blocks(mail: Mail, history: History, people: _People, level: int) -> Iterator[Block]:
    """Yield a message: sender and date as a heading, the subject as the place, people, text and attachments."""
    subject = mail.subject or "(no subject)"
    sender = names_of(mail.senders)
    yield Block(", ".join(part for part in (sender, mail.date) if part) or "Message", heading=level, place=subject)
    if not people.are_known(mail.senders):
        yield Block(f"From: {people.told(mail.senders)}", place=subject)
    if mail.recipients:
        yield Block(f"To: {people.told(mail.recipients)}", place=subject)
    for block in history.new_in(mail.passages):
        yield Block(block.text, block.heading and level + block.heading, subject, block.lines)
    if mail.attachments:
        yield Block(f"Attachments: {', '.join(mail.attachments)}", place=subject)
    for enclosed in mail.enclosed:
        yield from _mail_blocks(enclosed, history, people, level + 1)
