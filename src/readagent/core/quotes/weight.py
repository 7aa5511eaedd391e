"""Whether a quote says enough to support anything: "for a long time" is in most books and supports nothing."""

from __future__ import annotations

from readagent.core.languages import is_function_word
from readagent.core.patterns import lazy_pattern
from readagent.core.words import count_words, is_unspaced, sentence_ends

LEAST_WORDS = 3
_LEAST_CHARACTERS = 5  # of a script without spaces
_LEAST_CONTENT = 2  # words that are neither function words nor in any text
_WORD = lazy_pattern(r"[^\W_]+")
_COMMON = frozenset(
    (
        "time times long day days night way ways thing things something anything everything other others same first "
        "last next end part parts lot kind sort hand hands side middle most many much little few well once again ever "
        "always never still back down away off too here both each every another own least rather quite perhaps "
        "however "
        "moment while "
        "zeit zeiten mal tag tage tages lang lange langer langen weg art ende teil ersten letzten anderen seite jeden "
        "immer wieder ganz ganzen einmal weise gleichen seit nach gegen während "
        "время времени раз день дня долго долгое конце конец часть образом другой другие первый самом самое очень "
        "tiempo vez veces día días mucho mucha parte forma manera fin mismo misma otro otra primera todos todas "
        "siempre "
        "temps fois jour jours longtemps partie façon manière même autre autres toujours tout toute tous toutes"
    ).split()
)
_COMMON_CJK = lazy_pattern(
    "長い[間あいだ時間]*|しばらく|その[後時日]|ある日|それから|同時|時間|時々|一方|很[长長久]|[长長]?时间|[长長]?時間|一段|的时候|的時候|"
    "[当當][时時]|同[时時]|[这這那]个|[这這那]個|[这這那]样|有一天|后来|後來|之[后後前]|以[后後前]|因此|所以|但是"
)
_CONTENT_CJK = lazy_pattern("[\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\\d]")
_OPENS = lazy_pattern(r"(?:^|[\"“„«»‘「『]|[.!?…][\"'”’)\]*_]*\s+|\n\s*|[。！？])[\s*_#>\"'(\[“„«‘「『-]*$")
_CLOSES = lazy_pattern(r"[,.!?…。！？]*[*_]*[\"”“»«’」』]|[\s*_)\]]*[.!?…。！？]|\s*\n\s*\n|\s*$")


def bears(text: str, start: int, end: int) -> bool:
    """Return whether this passage of a text can support anything.

    It has two words that say something, or one among four words, or a number, or it is a whole sentence or utterance.
    """
    quote = text[start:end]
    if count_words(quote) < LEAST_WORDS:
        return False
    if is_unspaced(quote):
        letters = _WORD.sub(lambda found: "x" * len(found[0]), quote).count("x")
        kana_or_han = _CONTENT_CJK.findall(_COMMON_CJK.sub("", quote))
        other = count_words(quote) if not _CONTENT_CJK.search(quote) else 0
        if letters >= _LEAST_CHARACTERS and (len(kana_or_han) >= _LEAST_CONTENT or other >= LEAST_WORDS):
            return True
        return letters >= _LEAST_CHARACTERS and _is_whole(text, start, end)
    words = _WORD.findall(quote)
    content = {word.lower() for word in words if _says_something(word)}
    number = any(word[0].isdecimal() for word in words)
    enough = len(content) + (len(words) > LEAST_WORDS and bool(content)) >= _LEAST_CONTENT
    return enough or number or _is_whole(text, start, end)


def _says_something(word: str) -> bool:
    small = word.lower()
    return word[0].isdecimal() or not (is_function_word(small) or small in _COMMON or len(small) < 2)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a passage begins and ends where a sentence or a direct speech does."""
    begins = start in (0, *sentence_ends(text, max(0, start - 200), start + 1)) or _OPENS.search(
        text[max(0, start - 12) : start]
    )
    closed = text[end - 1] in ".!?…。！？" or _CLOSES.match(text, end)
    return bool(begins) and bool(closed)
