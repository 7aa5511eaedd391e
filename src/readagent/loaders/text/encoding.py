"""Guess the encoding of text that is not Unicode. The only module that uses charset-normalizer.

charset-normalizer distinguishes non-Latin scripts. Among the encodings of Latin letters it is often wrong on short
texts, so those are scored by how well the letters fit known languages; when in doubt, the result is cp1252.
"""

from __future__ import annotations

import re

_WINDOW = 4096  # bytes of one part of the sample
_MAX_WINDOWS = 12
_RUN = re.compile(rb"[\x80-\xff]+")
_ESCAPED_JAPANESE = re.compile(rb"\x1b\$[@B]")
_NON_LATIN = ("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5",
               "mac_cyrillic", "cp1253", "cp1255", "cp1256", "cp874")  # fmt: skip
_WESTERN = ("éèàùâêîôûëïüçœæ", "äöüß", "ñáéíóúü", "áâãàçéêíóôõú", "àèéìíîòóù", "åäöé", "åæøé", "áðéíóúýþæö", "äöõÕüšž",
            "àèéíïòóúüç·", "áéíóúëïöüè")  # fmt: skip
# "Õ" stands for an õ that no e follows. Estonian has it and Portuguese has not; otherwise it is Hungarian ő.
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž")
_LANGUAGES = (  # the languages of each Latin encoding; the first one wins a tie
    ("cp1252", _WESTERN),
    ("cp1250", _CENTRAL),
    ("iso8859_2", _CENTRAL),
    ("mac_roman", _WESTERN),
    ("cp1254", ("çğıöşüâîû",)),
    ("cp1257", ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž")),
    ("cp850", _WESTERN),
)
_ANY_WESTERN = frozenset("".join(_WESTERN))
_SYMBOLS = frozenset("“”‘’‚„«»‹›—–…•·°§£€©®™†‡½¼¾²³ºª¿¡\xa0")
_AFTER_LETTERS = frozenset("”’»›—–…·°™®†‡ºª²³\xa0")
_INSIDE_WORDS = frozenset("’‘—–…·\xa0")
_SPACE_FOLLOWS = frozenset(",.;:!?")  # no letter comes directly after these


def guess(data: bytes) -> str:
    """Return the most likely encoding of these bytes, which are text but not UTF-8."""
    if _ESCAPED_JAPANESE.search(data) and _decodes(data, "iso2022_jp"):
        return "iso2022_jp"
    sample = _sample(data)
    high = sum(len(run) for run in _RUN.findall(sample))
    in_runs = sum(len(run) for run in _RUN.findall(sample) if len(run) >= 4)
    if high and in_runs > 0.3 * high:
        found = "euc_jp" if _reads_as_kana(sample) else _non_latin_encoding(sample)
        if found:
            return found
    return max(_LANGUAGES, key=lambda entry: _fit(sample, *entry))[0]


def _sample(data: bytes) -> bytes:
    """Return parts of the text that contain more than ASCII, from the start of a line if one is near."""
    windows: list[bytes] = []
    offset = 0
    while len(windows) < _MAX_WINDOWS and (found := _RUN.search(data, offset)):
        start = max(offset, found.start() - 200)
        line = data.rfind(b"\n", start, found.start()) + 1
        start = line or next((i for i in range(start, found.start()) if data[i : i + 1] == b" "), found.start())
        end = data.rfind(b"\n", found.end(), start + _WINDOW) + 1 or data.find(b" ", start + _WINDOW) + 1
        offset = end if 0 < end <= start + 2 * _WINDOW else min(len(data), start + _WINDOW)
        windows.append(data[start:offset])
    return b"\n".join(windows)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _reads_as_kana(sample: bytes) -> bool:
    """Whether this is Japanese in EUC, which can be mistaken for Korean: much of it is Hiragana."""
    text = sample.decode("euc_jp", "replace")
    non_ascii = [character for character in text if character > "\x7f"]
    return sum("\u3041" <= character <= "\u3093" for character in non_ascii) > 0.25 * len(non_ascii) > 0


def _non_latin_encoding(sample: bytes) -> str:
    """Ask charset-normalizer, dropping up to three last bytes because the sample may end inside a character."""
    from charset_normalizer import from_bytes  # takes a tenth of a second to import

    for cut in range(4):
        best = from_bytes(sample[: len(sample) - cut], cp_isolation=list(_NON_LATIN), enable_fallback=False).best()
        if best is not None and best.encoding != "ascii":
            return best.encoding
    return ""


def _fit(sample: bytes, encoding: str, languages: tuple[str, ...]) -> float:
    """Score the sample for the best of these languages: +1 for each of its letters, -1 for any other."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return -float(len(sample)) if encoding != "cp1252" else -float(len(sample)) / 2
    letters: dict[str, int] = {}
    fixed = 0
    for found in re.finditer(r"[^\x00-\x7f]", text):
        symbol, before, after = (
            found.group(),
            text[found.start() - 1 : found.start()],
            text[found.end() : found.end() + 1],
        )
        if not symbol.isalpha() or symbol in _SYMBOLS:
            fixed += 1 if _well_placed(symbol, before, after) else -1
        elif (
            (symbol.isupper() and before.islower())
            or (symbol.islower() and after.isupper())
            or (before in _SPACE_FOLLOWS)
        ):
            fixed -= 1
        else:
            letter = "Õ" if symbol in "õÕ" and after.lower() != "e" else symbol.lower()
            letters[letter] = letters.get(letter, 0) + 1
    scores = [_score(letters, frozenset(language), 1.0) for language in languages]
    if languages is _WESTERN:
        scores.append(_score(letters, _ANY_WESTERN, 0.8))  # an English text with words from many languages
    return fixed + max(scores)


def _well_placed(symbol: str, before: str, after: str) -> bool:
    """Whether a symbol is where such a symbol may be, so it is not a letter in another encoding."""
    if symbol not in _SYMBOLS or (before.isalpha() and symbol not in _AFTER_LETTERS):
        return False
    return symbol in _INSIDE_WORDS or not (before.isalpha() and after.isalpha())


def _score(letters: dict[str, int], language: frozenset[str], worth: float) -> float:
    return sum(count * (worth if letter in language else -1.0) for letter, count in letters.items())
