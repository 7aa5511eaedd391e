"""Chats that are exported in several files: Slack's folders of days, and the parts of a chat of Facebook."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readagent.core.document import Document
from readagent.loaders.speech.chat import Conversation, Message, conversations, document_with, message_in, speaker_in

_USERS = "users.json"
_LISTS = ("channels.json", "groups.json", "mpims.json", "dms.json")  # beside it, what Slack's folders are
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json")  # in the folder of each channel
_PART = re.compile(r"message_(\d{1,6})\.json")
_MARKUP = re.compile(r"<([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")
_INNER = ("title", "text", "value", "elements", "fields", "blocks")
_REPLY = "↳ "

Read = Callable[[str], object]


def together(paths: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what is one text: the name of each file, or of the folder of an exported chat, and the files."""
    tops = {path.removesuffix(_USERS) for path in paths if PurePosixPath(path).name == _USERS}
    tops &= {_above(_above(path)) for path in paths if _DAY.fullmatch(PurePosixPath(path).name)}
    exports: dict[str, list[str]] = {}
    for path in paths:
        near = (_above(path), _above(_above(path))) if path.endswith(".json") else ()
        top = next((one for one in near if one in tops), None)
        if top is None and _PART.fullmatch(PurePosixPath(path).name):
            top = _above(path)
        exports.setdefault(path if top is None else top, []).append(path)
    for name, found in exports.items():
        yield (name.rstrip("/"), found) if len(found) > 1 else (found[0], found)


def is_export(folder: Path) -> bool:
    """Whether a folder is an exported chat of several files."""
    parts = all((folder / f"message_{number}.json").is_file() for number in (1, 2))
    return parts or ((folder / _USERS).is_file() and any(_DAY.fullmatch(one.name) for one in folder.glob("*/*.json")))


def _above(path: str) -> str:
    """Return the folder of a file or a folder, with a slash at its end."""
    return path[: path.rfind("/", 0, -1) + 1]


def document_of(paths: Sequence[str], read: Read) -> Document:
    """Return the document in the files of an exported chat; ``read`` returns the JSON value of a file."""
    users = min((path for path in paths if PurePosixPath(path).name == _USERS), key=len, default="")
    if users:
        return document_with(list(_channels(paths, users.removesuffix(_USERS), read)))
    parts = [one for path in paths for one in conversations(read(path))]
    parts.sort(key=lambda one: one.messages[0].time)
    title = parts[0].title if parts else ""
    return document_with([Conversation(tuple(message for part in parts for message in part.messages), title)])


def _channels(paths: Sequence[str], top: str, read: Read) -> Iterator[Conversation]:
    """Yield the messages of each folder of Slack, with the names of people and channels."""
    people = {key: speaker_in({**user, **_object(user.get("profile"))}) for key, user in _by_id(read(top + _USERS))}
    lists = [(one, _by_id(read(top + one))) for one in _LISTS if top + one in paths]
    folders, names = dict[str, str](), dict(people)
    for kind, entries in lists:
        for key, entry in entries:
            name = str(entry.get("name") or key)
            members = [people.get(str(one), str(one)) for one in _list(entry.get("members"))]
            folders[name] = f"#{name}" if kind in _LISTS[:2] else ", ".join(members) or name
            names[key] = name
    days: dict[str, list[str]] = {}
    for path in paths:
        folder, _, day = path.removeprefix(top).rpartition("/")
        if folder and day:
            days.setdefault(folder, []).append(path)
    for folder in sorted(days, key=lambda one: (not folders.get(one, "").startswith("#"), one)):
        items = [item for path in days[folder] for item in _list(read(path)) if isinstance(item, dict)]
        yield Conversation(tuple(_in_threads(items, names)), folders.get(folder, folder))


def _in_threads(items: Sequence[Mapping[str, object]], names: Mapping[str, str]) -> Iterator[Message]:
    """Yield the messages in order, the replies of a thread after the message that it began with."""
    begun = {_moment(item, "ts") for item in items}

    def place(item: Mapping[str, object]) -> tuple[float, float]:
        sent, thread = _moment(item, "ts"), _moment(item, "thread_ts")
        return (thread if thread in begun and thread else sent), sent

    for item in sorted(items, key=place):
        message = message_in({**item, "text": _text(item, names)})
        speaker = names.get(str(item.get("user"))) or message.speaker
        if str(item.get("subtype", "")).startswith(("channel_", "group_")):
            speaker = ""  # a notice, such as that somebody joined
        thread, sent = place(item)
        if message.text:
            text = message.text if thread == sent else _REPLY + message.text
            yield replace(message, speaker=speaker, text=text)


def _text(item: Mapping[str, object], names: Mapping[str, str]) -> str:
    """Return the text of a message with names for ids, or else that of what is in it; then the titles of files."""
    text = item.get("text") or _written([item.get("blocks"), item.get("attachments")])
    files = [_object(one) for one in _list(item.get("files"))]
    titles = [f"(file: {one.get('title') or one.get('name')})" for one in files if one.get("title") or one.get("name")]
    said = _MARKUP.sub(lambda found: _shown(found[1], found[2] or "", names), str(text))
    return " ".join([html.unescape(said), *titles])


def _written(value: object, depth: int = 9) -> str:
    """Return the text of blocks or attachments, whatever it is nested in."""
    if not isinstance(value, list | dict) or not depth:
        return value if isinstance(value, str) else ""
    inner = value if isinstance(value, list) else [_object(value).get(key) for key in _INNER]
    found = [text for one in inner if (text := _written(one, depth - 1))]
    between = ": " if "value" in _object(value) else "\n\n"  # a field
    return between.join(found) or str(_object(value).get("fallback") or "")


def _shown(what: str, label: str, names: Mapping[str, str]) -> str:
    """Return the mention of a person or a channel, or the address of a link after its label."""
    if what[0] in "@#!":
        sign = "#" if what[0] == "#" else "@"
        return sign + (label or names.get(what[1:]) or what[1:].rpartition("^")[2]).lstrip("@#")
    return f"{label} ({what})" if label and label not in what else what


def _moment(item: Mapping[str, object], key: str) -> float:
    try:
        return float(str(item.get(key) or 0))
    except ValueError:
        return 0.0


def _by_id(value: object) -> Iterable[tuple[str, Mapping[str, object]]]:
    return [(str(one["id"]), one) for one in _list(value) if isinstance(one, dict) and "id" in one]


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
