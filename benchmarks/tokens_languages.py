"""Texts in many languages for `tokens.py`, by the project that they come from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tokens_texts import ENGLISH, messages, of_kind, read, stripped

CODES = {  # of languages, as files are named
    "German": "de", "French": "fr", "Spanish": "es", "Portuguese": "pt", "Italian": "it", "Polish": "pl",
    "Turkish": "tr", "Vietnamese": "vi", "Russian": "ru", "Ukrainian": "uk", "Greek": "el", "Hebrew": "he",
    "Arabic": "ar", "Hindi": "hi", "Thai": "th", "Japanese": "ja", "Korean": "ko", "Finnish": "fi", "Hungarian": "hu",
    "Estonian": "et", "Czech": "cs", "Dutch": "nl", "Swedish": "sv", "Bulgarian": "bg", "Kazakh": "kk", "Tatar": "tt",
    "Kyrgyz": "ky", "Mongolian": "mn", "Persian": "fa", "Georgian": "ka", "Armenian": "hy", "Bengali": "bn",
    "Punjabi": "pa", "Gujarati": "gu", "Tamil": "ta", "Telugu": "te", "Kannada": "kn", "Malayalam": "ml",
    "Sinhala": "si", "Amharic": "am", "Khmer": "km", "Odia": "or", "Burmese": "my", "Romanian": "ro", "Danish": "da",
    "Norwegian": "nb", "Serbian": "sr", "Belarusian": "be", "Croatian": "hr", "Slovak": "sk", "Slovene": "sl",
    "Lithuanian": "lt", "Latvian": "lv", "Catalan": "ca", "Galician": "gl", "Indonesian": "id", "Azerbaijani": "az",
    "Albanian": "sq", "Welsh": "cy", "Urdu": "ur", "Nepali": "ne", "Uyghur": "ug", "Kurdish": "ckb",
    "Chinese, simplified": "zh_CN|zh_Hans|zh-Hans|zh-cn|cn|zh", "Chinese, traditional": "zh_TW|zh_Hant|zh-Hant|zh-tw",
    "Afrikaans": "af", "Basque": "eu", "Icelandic": "is", "Irish": "ga", "Macedonian": "mk", "Marathi": "mr",
    "Malay": "ms", "Swahili": "sw", "Somali": "so", "Tajik": "tg", "Pashto": "ps", "Sindhi": "sd",
}  # fmt: skip
_LOCALE = "locale/{}/LC_MESSAGES/*.mo"
_PATTERNS = {  # where a project has its texts in a language
    "dokuwiki": "debian/dokuwiki/usr/share/dokuwiki/inc/lang/{}/*.*",
    "home-assistant": "pypi/home-assistant-frontend/hass_frontend/static/translations/**/{}-????????*.json",
    "kolibri": "pypi/kolibri/kolibri/locale/{}/LC_MESSAGES/*-messages.json",
    "wesnoth": "debian/wesnoth-1.16-data/usr/share/games/wesnoth/1.16/locale/{}/LC_MESSAGES/*.mo",
    "freeciv": "debian/freeciv-data/usr/share/locale/{}/LC_MESSAGES/*.mo",
    "pretix": "pypi/pretix/pretix/" + _LOCALE,
    "vim": "debian/vim-runtime/usr/share/vim/vim90/tutor/tutor.{}.utf-8",
    "emacs": "debian/emacs-common/usr/share/emacs/28.2/etc/tutorials/TUTORIAL.{}",
    "linux": "debian/linux-doc-6.1/usr/share/doc/linux-doc-6.1/Documentation/translations/{}/**/*.rst.gz",
    "holy-quran": "npm/holy-quran/translations/Quran{}.js",
}
_ALSO_IN_QURAN_JSON = ("Arabic", "Bengali", "Chinese, simplified", "French", "Indonesian", "Russian", "Spanish",
                       "Swedish", "Turkish", "Urdu")  # fmt: skip
_MARKUP = re.compile(
    r"\{\{?[^{}]*\}?\}|<[^<>]*>|%\(\w+\)\w|%[a-z]|\[https?:\S*|[\[\]{}|*`]|\$\w+|'{2,}|={2,}|&\w+;|(?:\S+,){6,}\S*"
)
_MOST = 60_000  # characters of one project in one language
_LEAST = 1500


def translations(folder: Path) -> dict[str, dict[str, str]]:
    """Return the texts by language and project; only lines that are in the language, without markup."""
    found: dict[str, dict[str, str]] = {}
    for kind in CODES:
        of_projects = {project: _text(folder, project, kind) for project in _PATTERNS}
        if long := {project: text for project, text in of_projects.items() if len(text) >= _LEAST}:
            found[kind] = long
    return found


def _text(folder: Path, project: str, kind: str) -> str:
    if project == "holy-quran" and kind in _ALSO_IN_QURAN_JSON:
        return ""
    for name in _names(project, kind):
        files = sorted(folder.glob(_PATTERNS[project].format(name)))
        whole = "\n".join(map(_plain, files))
        lines = dict.fromkeys(line for line in whole.split("\n") if not ENGLISH.search(line))
        if text := "\n".join(of_kind(kind, ["\n".join(lines)])):
            return text[:_MOST]
    return ""


def _names(project: str, kind: str) -> list[str]:
    if project == "holy-quran":
        return [kind]
    codes = CODES[kind].split("|")
    return codes if len(codes) > 1 else [codes[0], f"{codes[0]}[_][A-Z]*"]


def _plain(file: Path) -> str:
    """Return the sentences of a file, whatever it is: a catalogue of messages, source code with them, or text."""
    if file.suffix == ".mo":
        text = messages(file)
    elif file.suffix == ".json":
        text = "\n".join(_strings(json.loads(read(file))))
    elif file.suffix in (".php", ".inc", ".js"):
        text = "\n".join(re.findall(r"""(?m)(?:=\s*'|^")(.{20,})['"],?;?$""", read(file).replace("\r", "")))
    elif file.suffix == ".html":
        text = stripped(read(file))
    else:
        text = read(file)
    return "\n".join(line for line in _MARKUP.sub("", text).split("\n") if len(line.encode()) > 40)


def _strings(found: object) -> Iterable[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, Mapping):
        for one in found.values():
            yield from _strings(one)
