"""Faithful rewritings of a sentence: the same words, written or set differently."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable

Dice = random.Random
_LONG = re.compile(r"[^\W\d_]{7,}")
_WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(ord("a"), ord("z") + 1)})


def white_space(text: str, dice: Dice) -> str:
    return "".join(dice.choice([" ", "  ", "\t", "\u00a0", "\u2009"]) if one == " " else one for one in text)


def line_breaks(text: str, dice: Dice) -> str:
    return "".join(dice.choice([" ", "\n"]) if one == " " else one for one in text)


def quotation_marks(text: str, dice: Dice) -> str:
    plain = re.sub("[“”„«»]", '"', text).replace("’", "'")
    return plain if plain != text else text.replace("'", "’")


def marks_around(text: str, dice: Dice) -> str:
    left, right = dice.choice(["“”", "„“", "«»", '""', "「」", "‘’"])
    return f"{left}{text}{right}"


def dashes(text: str, dice: Dice) -> str:
    return re.sub(r"(?<=[\w»]) ?— ?(?=\w)|(?<=\d)[-–](?=\d)|(?<=[^\W\d])-(?=[^\W\d])", _other_dash(dice), text)


def _other_dash(dice: Dice) -> Callable[[re.Match[str]], str]:
    def other(found: re.Match[str]) -> str:
        dashes = [" - ", " – ", "--", "—"] if "—" in found[0] else ["\u2010", "\u2011", "-", "–"]
        return dice.choice(dashes)

    return other


def lower_case(text: str, dice: Dice) -> str:
    return text.lower()


def upper_case(text: str, dice: Dice) -> str:
    return text.upper()


def first_letter(text: str, dice: Dice) -> str:
    return text[:1].swapcase() + text[1:]


def emphasis(text: str, dice: Dice) -> str:
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if word.isalpha()]
    if not places:
        return f"**{text}**"
    at, mark = dice.choice(places), dice.choice(["*", "**", "_", "__"])
    return " ".join([*words[:at], f"{mark}{words[at]}{mark}", *words[at + 1 :]])


def ligatures(text: str, dice: Dice) -> str:
    return text.replace("ffi", "ﬃ").replace("fi", "ﬁ").replace("fl", "ﬂ").replace("ff", "ﬀ")


def full_width(text: str, dice: Dice) -> str:
    return text.translate(_WIDE)


def decomposed(text: str, dice: Dice) -> str:
    return unicodedata.normalize("NFD", text)


def _inside(text: str, mark: str, dice: Dice) -> str:
    long = list(_LONG.finditer(text))
    if not long:
        return text
    at = dice.choice(long).start() + dice.randint(2, 4)
    return text[:at] + mark + text[at:]


def soft_hyphen(text: str, dice: Dice) -> str:
    return _inside(text, "\u00ad", dice)


def zero_width(text: str, dice: Dice) -> str:
    return _inside(text, dice.choice(["\u200b", "\u2060", "\ufeff"]), dice)


def hyphenated_at_line_end(text: str, dice: Dice) -> str:
    return _inside(text, "-\n", dice)


def line_end_after_hyphen(text: str, dice: Dice) -> str:
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "-\n", text)


def final_mark_left_out(text: str, dice: Dice) -> str:
    return text.rstrip(".!。」”»")  # without its mark, a question would be a statement


def comma_left_out(text: str, dice: Dice) -> str:
    if re.match(r"(?:No|Yes),", text):  # there it would be another sentence
        return text
    return re.sub(r"(?<=[^\W\d]), (?=[^\W\d])", " ", text, count=1)


def comma_changed(text: str, dice: Dice) -> str:
    return re.sub(r"(?<=[^\W\d]), (?=[^\W\d])", "; ", text, count=1) if not text.startswith("No,") else text


def yo(text: str, dice: Dice) -> str:
    return text.replace("ё", "е")


def two_letters(text: str, dice: Dice) -> str:
    return text if "Maß" in text else text.replace("ß", "ss")  # "Masse" is another word


def block_quote(text: str, dice: Dice) -> str:
    return "> " + text


def ellipsis_around(text: str, dice: Dice) -> str:
    return dice.choice([f"... {text}", f"{text} ...", f"… {text} …", f"[...] {text}"])


SAME: dict[str, Callable[[str, Dice], str]] = {
    "unchanged": lambda text, dice: text,
    "white space": white_space,
    "line breaks": line_breaks,
    "quotation marks and apostrophes": quotation_marks,
    "quotation marks around it": marks_around,
    "kind of dash or hyphen": dashes,
    "lower case": lower_case,
    "upper case": upper_case,
    "case of the first letter": first_letter,
    "Markdown emphasis": emphasis,
    "Markdown block quote": block_quote,
    "ligatures": ligatures,
    "full-width letters": full_width,
    "decomposed accents": decomposed,
    "soft hyphen": soft_hyphen,
    "invisible characters": zero_width,
    "word broken at a line end": hyphenated_at_line_end,
    "line end after a hyphen": line_end_after_hyphen,
    "final mark left out": final_mark_left_out,
    "comma left out": comma_left_out,
    "comma changed": comma_changed,
    "ё written as е": yo,
    "ß written as ss": two_letters,
    "ellipsis around it": ellipsis_around,
}
ONLY_QUOTES = {  # a text itself is not written so
    "quotation marks around it", "ellipsis around it", "lower case", "upper case", "final mark left out",
    "Markdown block quote",
}  # fmt: skip
