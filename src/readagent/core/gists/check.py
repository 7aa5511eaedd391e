"""Check a gist by comparison with what was sent: with its page, with the rest of the document, and with the prompt.

No wording is looked for. A failure text, whatever its language, is about nothing on the page; and it has no label.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from readagent.core.gists.page_terms import DocumentTerms, terms, terms_of
from readagent.core.languages import language, language_name
from readagent.core.words import count_words, is_unspaced, sentences

COPY = "it was a copy of the passage"
MISFIT = "it was not about the passage"
FOREIGN = "it was not in the language of the passage"
ELSEWHERE = "it was about another place of the text"
UNLABELLED = "it was not in the form asked for"
_LONG_PAGE = 200  # words; a shorter page may be its own gist
_COPIED, _VERBATIM = 0.8, 0.95  # of the words of a page that a copy has, and of its own words those in the page
_PAGE = 60  # words; a gist of a shorter page says a thing or two, in any words
_TERMS = 12  # a page with fewer, next to figures, has nothing to compare with
_LEAST_SHARE = 0.12  # of the weight of its terms that a gist has in common with its page,
_LEAST_BARE = 0.3  # or a reply that has no label, which may be anything
_BETTER, _CLEARLY = 1.6, 6.0  # times, and by how much, another place may fit a gist better than its page
_FOREIGN = 0.25  # of its words, however common, that a text in another language has in common with the document
_SAMPLE = 20_000  # characters of the document
_LEAST_LENGTH = 0.2  # of the words asked for
_LOOPING = 0.25  # share of different words below which a text repeats itself
_ECHO = 0.6  # of its words that are in the prompt around the passage


@dataclass(frozen=True, slots=True)
class Check:
    """Checks gists of one page.

    ``document`` is the text that the page is ``start`` to ``end`` of; "" if the passage stands alone. ``frame`` is the
    prompt without the passage. ``wanted`` is the length asked for, in words; 0 if there is none. With ``wishes``, the
    user wrote about gists, and may want another language or few words. ``unlike`` is a gist that the page cannot have,
    because it is that of another page. ``language`` is the name of the language that gists have to be in; "" is that of
    the page. ``may_copy`` allows the words of the page, as in the entry of a part. With ``off`` any gist will do.
    """

    document: str = ""
    start: int = 0
    end: int = 0
    frame: str = ""
    wanted: int = 0
    wishes: bool = False
    unlike: str = ""
    language: str = ""
    may_copy: bool = False
    off: bool = False

    def problem(self, gist: str, page: str, *, labelled: bool = True) -> str:
        """Return why this text cannot be a gist of the page; "" if it can. One without its label has to fit better."""
        if self.off:
            return ""
        words, page_words = count_words(gist), count_words(page)
        if page_words > _LONG_PAGE and not self.may_copy and _COPIED * page_words <= words and _is_copy(gist, page):
            return COPY
        if _repeats(gist) and not _repeats(page):
            return "it repeated itself"
        if _echoes(gist, self.frame, page):
            return "it repeated the instruction"
        if page_words > 100 and words < (3 if self.wishes else max(3, _LEAST_LENGTH * self.wanted)):
            return "it was too short to say anything"
        if self.unlike and terms(gist) == terms(self.unlike):
            return "it was the gist of another page"
        written = language(page) if self.language else ""
        if written and language_name(written) != self.language and language(gist) == written:
            return f"it was not in {self.language}"
        return self.misfit(gist, page) or ("" if labelled else self._misfit_bare(gist, page))

    def misfit(self, gist: str, page: str, least: float = _LEAST_SHARE) -> str:
        """Return why a gist cannot be of this page, because it is about something else; "" if it can."""
        if self.off or not (own := terms(gist)) or not _is_comparable(page):
            return ""
        there = terms(page)
        if sum(not term.isdecimal() for term in there) < _TERMS:  # a table of figures
            return "" if own & there else MISFIT
        source = terms_of(self.document) if self.document else DocumentTerms(page)
        foreign = _is_foreign(gist, page + self.document[:_SAMPLE])
        if foreign:  # a translation has little in common with any page
            return "" if self.wishes else FOREIGN
        if source.share(own, there) < least:
            return MISFIT
        return ELSEWHERE if self.document and self._fits_elsewhere(source, own, there) else ""

    def _misfit_bare(self, gist: str, page: str) -> str:
        """Return why a reply without the label may be no gist: each of its lines has to fit, and to be comparable."""
        strict = replace(self, wishes=False)
        lines = [line for line in gist.splitlines() if len(terms(line)) > 1]
        fits = _is_comparable(page) and not any(strict.misfit(one, page, _LEAST_BARE) for one in (gist, *lines))
        return "" if fits else UNLABELLED

    def _fits_elsewhere(self, source: DocumentTerms, own: frozenset[str], there: frozenset[str]) -> bool:
        here, elsewhere = source.against(own, there, self.start, self.end)
        return elsewhere > _BETTER * here and elsewhere > here + _CLEARLY


def _is_comparable(page: str) -> bool:
    """Return whether a page has enough words to tell what is about something else."""
    return count_words(page) >= _PAGE and len(terms(page)) >= _TERMS


def _is_foreign(gist: str, source: str) -> bool:
    """Return whether hardly a word of a gist, however common, is in the source: it is in another language."""
    own, there = _tokens(gist), set(_tokens(source))
    return sum(word in there for word in own) < _FOREIGN * len(own)


def _tokens(text: str) -> list[str]:
    """Return the words of a text in small letters; characters, where there are no spaces between words."""
    runs = re.findall(r"\w+", text.casefold())
    if not is_unspaced(text):
        return runs
    return [part for run in runs for part in (run if is_unspaced(run) else (run,))]


def _is_copy(gist: str, page: str) -> bool:
    """Return whether all sentences of a gist are in its page word for word, but for a few words."""
    there = "".join(page.split()).casefold()
    own = [("".join(one.split()).casefold(), count_words(one)) for one in sentences(gist)]
    return sum(words for text, words in own if text in there) >= _VERBATIM * sum(words for _, words in own)


def _repeats(text: str) -> bool:
    """Return whether a text goes round in a loop: few different words, or one line again and again."""
    pairs = Counter(zip(words := _tokens(text), words[1:], strict=False))
    return len(words) >= 24 and len(pairs) < _LOOPING * len(words)


def _echoes(gist: str, frame: str, page: str) -> bool:
    """Return whether most of a text is from the prompt around the passage, and not from the passage."""
    own, around, there = _tokens(gist), _runs(_tokens(frame)), _runs(_tokens(page))
    echoed = sum(run in around and run not in there for run in zip(own, own[1:], own[2:], strict=False))
    return bool(own) and echoed > 0 and echoed >= _ECHO * (len(own) - 2)


def _runs(words: list[str]) -> set[tuple[str, str, str]]:
    return set(zip(words, words[1:], words[2:], strict=False))
