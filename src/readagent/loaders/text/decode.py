"""Decode text in any encoding, and split it into lines. The only module that uses charset-normalizer."""

from __future__ import annotations

import codecs
import re

from readagent.errors import LoadError
from readagent.loaders.formats import MAX_CHARACTERS, too_long
from readagent.loaders.unsupported import binary_file, has_binary_signature, looks_binary

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


_BYTE_ORDER_MARKS = (  # the longer ones first: the mark of UTF-32-LE begins with that of UTF-16-LE
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 100_000  # characters checked to see whether UTF-16 without a byte order mark gives readable text


def decode(data: bytes, name: str) -> tuple[str, str]:
    """Return the text and its encoding, found by byte order mark, then UTF-16, then UTF-8, then a guess.

    Stray zero bytes are removed. If characters could not be decoded, the encoding includes their number: ``utf-8, 3
    unreadable places``.
    """
    one_byte_each = len(data) > MAX_CHARACTERS and data.isascii() and b"\x00" not in data
    if one_byte_each or len(data) > 4 * MAX_CHARACTERS:
        raise _too_long(name)
    text, encoding = _decode(data, name)
    if len(text) > MAX_CHARACTERS:
        raise _too_long(name)
    return text, encoding


def _too_long(name: str) -> LoadError:
    return too_long(name, MAX_CHARACTERS)


def _decode(data: bytes, name: str) -> tuple[str, str]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding, name), encoding
    if b"\x00" in data and (found := utf16(data)):
        return found
    plain = data.replace(b"\x00", b"")  # stray zero bytes, or a gap in a log
    if looks_binary(plain) or (plain != data and (has_binary_signature(data) or not _is_text(plain))):
        raise binary_file(data, name)
    data = plain
    if b"\x1b$" in data and (encoding := guess(data)) == "iso2022_jp":
        return data.decode(encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _not_utf8(data)


def _marked(data: bytes, encoding: str, name: str) -> str:
    """Decode text that has a byte order mark. Many undecodable characters mean that it was no text after all."""
    text = data.decode(encoding, "replace")
    if "\x00" in text or text.count("\ufffd") > max(2, len(text) // 20):
        raise binary_file(data, name)
    return text


def utf16(data: bytes) -> tuple[str, str] | None:
    """Decode UTF-16 without a byte order mark: its zero bytes are on one side of the pairs, and the result is text.

    A few zero bytes in bytes that are text without them are stray.
    """
    even, odd = data[0::2].count(0), data[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) * 20 > max(even, odd) or (4 * (even + odd) < len(data) and _is_plain(data.replace(b"\x00", b""))):
        return None
    try:
        text = data[: len(data) // 2 * 2].decode(encoding)
    except UnicodeDecodeError:
        return None
    sample = text[:_SAMPLE]
    unprintable = sum(1 for character in sample if not (character.isprintable() or character.isspace()))
    common = sum(1 for character in sample if character.isspace() or character.isascii())
    return (text, encoding) if unprintable * 100 <= len(sample) and common * 100 >= len(sample) else None


def _is_plain(data: bytes) -> bool:
    return data.isascii() and not looks_binary(data)


def _is_text(data: bytes) -> bool:
    """Whether bytes without their zeros are text in UTF-8, or at least in an encoding with letters below 128."""
    readable = sum(map(data.count, b" etaoin\n"))
    return 5 * readable > len(data) or is_utf8(data)


def is_utf8(data: bytes) -> bool:
    """Whether these bytes are UTF-8."""
    try:
        return len(data.decode("utf-8")) > 0
    except UnicodeDecodeError:
        return False


def _not_utf8(data: bytes) -> tuple[str, str]:
    """Decode as UTF-8 with a few errors if most of it is valid, otherwise in the encoding it looks like.

    A file whose lines are in two encodings, such as a log, is decoded line by line.
    """
    lines = data.splitlines(keepends=True)
    others = [line for line in lines if not is_utf8(line)]
    valid_lines = sum(not line.isascii() for line in lines) - len(others)
    if valid_lines > _MIXED * len(others) and not any(map(_is_broken, others)):
        encoding = guess(b"".join(others))
        texts = [line.decode("utf-8" if is_utf8(line) else encoding, "replace") for line in lines]
        return "".join(texts), f"utf-8 and {encoding}"
    text = data.decode("utf-8", "replace")
    errors = text.count("\ufffd")
    valid = len(text) - len(text.encode("ascii", "ignore")) - errors
    if valid > 4 * errors:
        return text, _with_errors("utf-8", errors)
    encoding = guess(data)
    text = data.decode(encoding, "replace")
    return text, _with_errors(encoding, text.count("\ufffd"))


def _is_broken(line: bytes) -> bool:
    """Whether a line is UTF-8 with an error rather than in another encoding."""
    text = line.decode("utf-8", "replace")
    errors = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) > 2 * errors


def _with_errors(encoding: str, errors: int) -> str:
    return f"{encoding}, {errors} unreadable {'place' if errors == 1 else 'places'}" if errors else encoding


_MIXED = 0.25  # lines in UTF-8 for each line that is not; a few lines in another encoding may be UTF-8 by chance
_ENDS = ("\r", "\x0b", "\x85", "\u2028", "\u2029")


def with_line_feeds(text: str) -> str:
    """Return the text with line feeds as line endings, of the same length: offsets are valid in both."""
    if "\r\n" in text:
        text = text.replace("\r\n", " \n")
    for end in _ENDS:
        if end in text:
            text = text.replace(end, "\n")
    return text


def lines_of(text: str) -> list[str]:
    """Return the lines without line endings and trailing white space."""
    return [line.rstrip() for line in with_line_feeds(text).split("\n")]
