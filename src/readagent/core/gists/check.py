"""Check that a gist is about its page, in any language: it shares words with it, and is no message of a failure."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.failure_text import find_failure
from readagent.core.languages import is_function_word, is_in, language, languages_named
from readagent.core.task_talk import task_talk
from readagent.core.terms import Terms, all_terms, ideograms, quotes, says, shared, terms
from readagent.core.words import count_words, sentences

COPY = "it was a copy of the passage"
_SHORT_PAGE = 160  # words; a gist of a longer page says more than two things
_LONG_PAGE = 200  # words; a shorter page may be its own gist
_COPIED = 0.8  # of the words of a long page that a copy of it has,
_VERBATIM = 0.95  # and of its own words those in sentences of the page
_LEAST_WORDS = 6  # of the gist of a longer page
_SHARED = 0.2  # least share of a gist's terms that its page has too,
_SHARED_SHORT = 0.16  # and that a short page has, of which a paraphrase may be free
_AGREES, _ENOUGH = 0.4, 6  # share of its terms, at least so many, that a gist has in common with another one
_FAILURE_SHARED = 0.9  # the same for a gist that reads like a failure,
_FAILURE_TOLD = 0.4  # or if its page has the same words
_IDEOGRAMS = 0.45  # least share of a gist's Chinese characters that its page has too, for a paraphrase
_TRANSLATED = 20  # words from which a gist in the language of the wishes may share none with its page
_FEW = 12  # words, or figures; a page with fewer has nothing to compare with
_LOOPING = 0.25  # share of different words below which a text repeats itself,
_LISTING = 0.6  # or below which it is a list of words, if there are no function words among them


@dataclass(slots=True)
class Check:
    """Checks gists.

    ``wishes`` is what the user wrote about gists: it may ask for another language. ``unlike`` is a gist that the page
    cannot have, because it is that of another page. A gist in a free wording shares few words with its page: it is
    accepted if the model says much the same again when it is asked again. ``language`` is the name of the language
    that gists have to be in; "" is that of the page. ``may_copy`` allows the words of the page, for the
    entry of a part, which may have room for nearly all its gists.
    """

    wishes: str = ""
    unlike: str = ""
    language: str = ""
    may_copy: bool = False
    _doubtful: tuple[str, str] = ("", "")  # a page, and a gist that shares too few words with it

    def problem(self, gist: str, page: str) -> str:
        """Return why this text cannot be a gist of the page; "" if it can."""
        own, there = terms(gist), all_terms(page)
        words, page_words = count_words(gist), count_words(page)
        if failing := _failure(gist, page, own, there):
            return failing
        must_shorten = page_words > _LONG_PAGE and not self.may_copy
        if must_shorten and _COPIED * page_words <= words <= page_words and _is_copy(gist, page):
            return COPY
        if page_words > 100 and words < min(_LEAST_WORDS, page_words // 20):
            return "it was too short to say anything"
        if (_loops(gist) and not _loops(page)) or (_lists(gist) and language(page) and not _lists(page)):
            return "it repeated itself"
        if self._is_translation(page):
            written = language(gist)
            if written and (written == language(page) or not any(is_in(gist, code) for code in self._codes())):
                return f"it was not in {self.language}"
        elif not self._asked_for(gist, page, shared(own, there)):
            if _in_another_language(gist, page):
                return "it was not in the language of the passage"
            if not _shares_enough(gist, page, own, there) and not self._said_again(gist, page, own, there):
                return "it shares too few words with the passage"
        return "it was the gist of another page" if self.unlike and own == terms(self.unlike) else ""

    def _codes(self) -> set[str]:
        return languages_named(self.language) - {""}

    def _is_translation(self, page: str) -> bool:
        """Return whether gists have to be in a language that can be recognised, and that the page is not in."""
        return bool(self.language and self._codes()) and language(page) not in self._codes()

    def _asked_for(self, gist: str, page: str, common: int) -> bool:
        """Return whether the user wants another language than that of the page, and the gist may be in it.

        If the wishes name the language, the gist need not share anything with its page: even names are written in
        another way. If the wishes are only written in it, it has to share something or to be of some length.
        """
        if not self.wishes.strip():
            return False
        there = language(page)
        if any(is_in(gist, one) if one else not is_in(gist, there) for one in languages_named(self.wishes) - {there}):
            return True
        written = language(self.wishes)
        in_that = bool(there and written) and written != there and language(gist) == written
        return in_that and (common > 0 or count_words(gist) >= _TRANSLATED)

    def _said_again(self, gist: str, page: str, own: Terms, there: Terms) -> bool:
        """Return whether an earlier gist of the page that was in doubt says much the same in other words."""
        earlier = terms(self._doubtful[1]) if self._doubtful[0] == page else frozenset[str]()
        self._doubtful = page, gist
        agrees = len(own) >= _ENOUGH and own != earlier and shared(own, earlier) >= _AGREES * len(own)
        return agrees and shared(own, there) > 0


def _failure(gist: str, page: str, own: Terms, there: Terms) -> str:
    """Return why a gist reads like the message of a failure; "" if it does not, or if the page tells of one."""
    failure = find_failure(gist)
    if failure is None:
        return task_talk(gist, page)
    told = says(page, failure.words)
    if failure.offer and not told:
        return failure.reason
    least = _FAILURE_TOLD if told else _FAILURE_SHARED
    return failure.reason if shared(own, there) < max(4, least * len(own)) else ""


def _in_another_language(gist: str, page: str) -> bool:
    there = language(page) if language(gist) else ""
    return bool(there) and not is_in(gist, there)


def _shares_enough(gist: str, page: str, own: Terms, there: Terms) -> bool:
    common = shared(own, there)
    if sum(not any(map(str.isdigit, term)) for term in there) < _FEW:  # figures, or no words at all
        return common > 0 or sum(term.isdigit() for term in there) < _FEW
    least, share = (2, _SHARED_SHORT) if count_words(page) <= _SHORT_PAGE else (3, _SHARED)
    return common >= max(least, share * len(own)) or quotes(gist, page) or _same_ideograms(gist, page)


def _same_ideograms(gist: str, page: str) -> bool:
    """Return whether a gist in Chinese or Japanese has many characters of its page, if not the same words."""
    own, there = ideograms(gist), ideograms(page)
    return len(own) >= 6 and len(own & there) >= _IDEOGRAMS * len(own)


def _is_copy(gist: str, page: str) -> bool:
    """Return whether all sentences of a gist are in its page word for word, but for a few words."""
    there = "".join(page.split()).casefold()
    own = [("".join(one.split()).casefold(), count_words(one)) for one in sentences(gist)]
    return sum(words for text, words in own if text in there) >= _VERBATIM * sum(words for _, words in own)


def _loops(text: str) -> bool:
    words = text.casefold().split()
    return len(words) >= 24 and len(set(words)) < _LOOPING * len(words)


def _lists(text: str) -> bool:
    """Return whether a text is a list of words that come back, without a sentence."""
    words = text.casefold().split()
    return len(words) >= 8 and len(set(words)) <= _LISTING * len(words) and not any(map(is_function_word, words))
