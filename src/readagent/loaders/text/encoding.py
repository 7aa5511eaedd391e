"""Which encoding bytes without a mark are in, where they are not UTF-8: the one door to charset-normalizer.

Scripts with letters of their own are told apart by charset-normalizer. Among the encodings of Latin letters it often
errs on short texts, so there we weigh by which languages the letters make sense; in doubt it is Windows' Western one.
"""

from __future__ import annotations

import re

_WINDOW = 4096  # bytes of a stretch
_MOST_WINDOWS = 12
_RUN = re.compile(rb"[\x80-\xff]+")
_ESCAPED_JAPANESE = re.compile(rb"\x1b\$[@B]")
_OWN_SCRIPT = ("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5",
               "mac_cyrillic", "cp1253", "cp1255", "cp1256", "cp874")  # fmt: skip
_WESTERN = ("éèàùâêîôûëïüçœæ", "äöüß", "ñáéíóúü", "áâãàçéêíóôõú", "àèéìíîòóù", "åäöé", "åæøé", "áðéíóúýþæö", "äöõÕüšž",
            "àèéíïòóúüç·", "áéíóúëïöüè")  # fmt: skip
# "Õ" stands for õ without an e behind it: so it is in Estonian, but not in Portuguese. Else it is Hungarian ő.
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž")
_LANGUAGES = (  # what each encoding of Latin letters is used for; in doubt the first one wins
    ("cp1252", _WESTERN),
    ("cp1250", _CENTRAL),
    ("iso8859_2", _CENTRAL),
    ("mac_roman", _WESTERN),
    ("cp1254", ("çğıöşüâîû",)),
    ("cp1257", ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž")),
    ("cp850", _WESTERN),
)
_ANY_WESTERN = frozenset("".join(_WESTERN))
_MARKS = frozenset("“”‘’‚„«»‹›—–…•·°§£€©®™†‡½¼¾²³ºª¿¡\xa0")
_AFTER_LETTERS = frozenset("”’»›—–…·°™®†‡ºª²³\xa0")
_INSIDE_WORDS = frozenset("’‘—–…·\xa0")
_NO_SPACE = frozenset(",.;:!?")  # no letter follows these without a space


def guess(data: bytes) -> str:
    """The encoding these bytes are in, most likely; they are text, but not in UTF-8."""
    if _ESCAPED_JAPANESE.search(data) and _decodes(data, "iso2022_jp"):
        return "iso2022_jp"
    sample = _sample(data)
    high = sum(len(run) for run in _RUN.findall(sample))
    in_runs = sum(len(run) for run in _RUN.findall(sample) if len(run) >= 4)
    if high and in_runs > 0.3 * high:
        found = "euc_jp" if _reads_as_kana(sample) else _of_own_script(sample)
        if found:
            return found
    return max(_LANGUAGES, key=lambda entry: _fit(sample, *entry))[0]


def _sample(data: bytes) -> bytes:
    """Some stretches that hold more than ASCII, each from the start of a line where that is near."""
    windows: list[bytes] = []
    offset = 0
    while len(windows) < _MOST_WINDOWS and (found := _RUN.search(data, offset)):
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
    """Whether this is Japanese in EUC, which may pass for Korean: much of it is Hiragana."""
    text = sample.decode("euc_jp", "replace")
    foreign = [character for character in text if character > "\x7f"]
    return sum("\u3041" <= character <= "\u3093" for character in foreign) > 0.25 * len(foreign) > 0


def _of_own_script(sample: bytes) -> str:
    """What charset-normalizer says, with its last bytes left out one by one, as the sample may end inside a letter."""
    from charset_normalizer import from_bytes  # a tenth of a second, which a text in UTF-8 need not wait for

    for cut in range(4):
        best = from_bytes(sample[: len(sample) - cut], cp_isolation=list(_OWN_SCRIPT), enable_fallback=False).best()
        if best is not None and best.encoding != "ascii":
            return best.encoding
    return ""


def _fit(sample: bytes, encoding: str, languages: tuple[str, ...]) -> float:
    """How well the sample makes sense in the best of these languages: a letter of it counts one, a stranger minus."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return -float(len(sample)) if encoding != "cp1252" else -float(len(sample)) / 2
    letters: dict[str, int] = {}
    fixed = 0
    for found in re.finditer(r"[^\x00-\x7f]", text):
        mark, before, after = (
            found.group(),
            text[found.start() - 1 : found.start()],
            text[found.end() : found.end() + 1],
        )
        if not mark.isalpha() or mark in _MARKS:
            fixed += 1 if _well_placed(mark, before, after) else -1
        elif (mark.isupper() and before.islower()) or (mark.islower() and after.isupper()) or (before in _NO_SPACE):
            fixed -= 1
        else:
            letter = "Õ" if mark in "õÕ" and after.lower() != "e" else mark.lower()
            letters[letter] = letters.get(letter, 0) + 1
    known = [_known(letters, frozenset(language), 1.0) for language in languages]
    if languages is _WESTERN:
        known.append(_known(letters, _ANY_WESTERN, 0.8))  # an English text with words from everywhere
    return fixed + max(known)


def _well_placed(mark: str, before: str, after: str) -> bool:
    """Whether a mark stands where such a mark may, so that it is no letter of another encoding."""
    if mark not in _MARKS or (before.isalpha() and mark not in _AFTER_LETTERS):
        return False
    return mark in _INSIDE_WORDS or not (before.isalpha() and after.isalpha())


def _known(letters: dict[str, int], language: frozenset[str], worth: float) -> float:
    return sum(count * (worth if letter in language else -1.0) for letter, count in letters.items())
