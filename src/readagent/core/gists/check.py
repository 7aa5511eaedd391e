"""Check that a gist is about its page, in any language, and remove introductions and closing remarks around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readagent.core.failure_text import find_failure
from readagent.core.languages import (
    Terms,
    all_terms,
    ideograms,
    is_function_word,
    is_in,
    language,
    languages_named,
    quotes,
    says,
    shared,
    terms,
)
from readagent.core.patterns import lazy_pattern
from readagent.core.task_talk import task_talk
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


_SHORT = r"shortened|shorter|condensed|summari[sz]ed|abridged|summary|gist"
_WILLING = (
    r"sure|certainly|of course|gerne?|natürlich|selbstverständlich|klar|bien sûr|certainement|avec plaisir|¡?claro"
    r"|¡?por supuesto|certo|certamente|com certeza|конечно|разумеется|好的|当然(?:可以)?|はい|もちろん(?:です)?"
    r"|承知しました|かしこまりました"
)
_LABELS = (  # before a colon, or on a line of their own
    r"(?:the )?(?:shortened|condensed|abridged) (?:passage|text|version)|(?:the )?passage, shortened|summary|gist",
    r"(?:die |der |das )?(?:zusammenfassung|kurzfassung|kurz zusammengefasst"
    r"|gekürzte[rs]? (?:fassung|version|passage|text|abschnitt))",
    r"(?:le |la )?(?:résumé|(?:version|passage|texte|extrait) (?:abrégée?|raccourcie?|condensée?|résumée?))",
    r"(?:el |la )?(?:en resumen|resumen|(?:versión|texto|pasaje|fragmento) (?:abreviad|acortad|resumid|condensad)[oa])",
    r"(?:il |la )?(?:riassunto|sintesi|(?:versione|testo|brano) (?:abbreviat|accorciat|ridott|condensat)[oa])",
    r"(?:o |a )?(?:resumo|(?:versão|texto|trecho|passagem) (?:abreviad|encurtad|resumid|condensad)[oa])",
    r"краткое содержание|краткий пересказ|резюме|сокращ[её]нн\w+ (?:вариант|текст|отрывок|версия)",
    r"摘要|总结|總結|概要|缩写|(?:缩短|缩写|精简)(?:后|版)?的?(?:文本|版本|内容|段落)?",
    r"要約|短縮版|(?:短縮|要約)した(?:文章|もの)",
)
_LABEL = "|".join(_LABELS)
_HERE = (
    rf"(?:hier ist|voici|aquí (?:está|tiene[ns]?)|ecco|aqui está|вот) (?:\w+ )?(?:{_LABEL}|text|abschnitt|texte|passage"
    rf"|texto|pasaje|testo|brano|trecho|текст|отрывок)(?: (?:des|du|de la?|del|della?|do|da) (?:textes|abschnitts|texte"
    rf"|passage|texto|pasaje|testo|brano|trecho))?|(?:以下|这|这里|下面)是(?:{_LABEL})"
    rf"|(?:以下|次|こちら)(?:は|が)(?:{_LABEL})(?:です|になります)?"
)
_ENGLISH = lazy_pattern(
    r"^[\W_]{0,20}(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n:]{0,80}[:!.]\s*)?"
    r"(?:(?:here(?:'|’)?s|here is|here are|below is|this is|the following is)?[^\n:.]{0,60}"
    rf"\b(?:{_SHORT})\b[^\n:]{{0,60}}:|"
    r"(?:sure|certainly|of course|okay)\b[^\n]{0,60}[:!.][ \t]*\n"
    rf"|note: [^\n]{{0,80}}\bhere(?: is|['’]s)\b[^\n]{{0,40}}\b(?:{_SHORT})\b[^\n]{{0,30}}[.:][ \t]*\n)[*_\s]*",
    re.I,
)
_OTHERS = lazy_pattern(
    rf"^[*_#【\s]{{0,20}}(?:(?:{_WILLING})[*_\s]{{0,9}}[!.,！。，、][*_#【\s]{{0,20}})?"
    rf"(?:(?:{_LABEL}|{_HERE})(?:[*_ ]*[:：]|[*_】 ]*\n)"
    r"|(?:以下(?:が|に|、))?(?:要約|短縮)[^\n。：:]{0,12}(?:です|ます)[。：:][ \t]*\n)[*_\s]*",
    re.I,
)
_LINE = lazy_pattern(  # a first line about shortening, before a colon or what is said about the reply
    r"^[^\n\d:：。]{0,60}(?:gekürzt|zusammen(?:gefasst|fassung)|kurzfassung|abrég|raccourci|résum|condens|abrevi|acortad"
    r"|resum|encurtad|abbrevia|accorcia|riassun|più breve|сокращ|кратк|缩写|缩短|摘要|总结|要約|短縮)[^\n\d:：。]{0,30}"
    r"(?:[:：]|で(?:す|ございます)。|ます。)[*_ \t]*\n[*_\s]*",
    re.I,
)
_REMARKS = (  # at the beginning of the last line
    r"note:|let me know|i hope (?:this|that)|would you like|word count|is there anything|feel free",
    r"(?:ca\. |etwa |about |environ |около |约|共|約)?\d+ ?(?:words|wörter|mots|palabras|parole|palavras|слов\w*|字"
    r"|文字|語)[)\]）.]*$",
    r"ich hoffe,? (?:das|dies|es)\b.{0,40}(?:hilf|geholfen)|lass(?:en sie)? (?:es )?mich wissen|(?:hinweis|anmerkung):"
    r"|(?:möchten sie|möchtest du|soll ich)\b.{0,80}\?|(?:wortzahl|wörter):|bei (?:weiteren )?fragen\b"
    r"|wenn (?:sie|du)\b.{0,30}, kann ich\b",
    r"n['’]hésite[sz]? pas|j['’]espère que (?:cela|ceci|ça)|(?:souhaitez|voulez)-vous que je|(?:note|remarque) ?:"
    r"|nombre de mots|si vous\b.{0,30}, (?:je peux|n['’]hésitez)",
    r"¿(?:deseas?|quieres?|te gustaría|le gustaría) que (?:lo|la|te|le|haga)\b|espero que (?:esto|te|le)\b.{0,40}"
    r"(?:ayud|útil|sirv)|(?:si\b.{0,30}, )?no dudes? en\b|(?:avísame|házmelo saber|nota:|número de palabras)",
    r"spero che (?:questo|ti|sia)\b.{0,40}(?:aiut|util)|fammi sapere|(?:vuoi|desidera|vorresti) che (?:lo|la)\b",
    r"espero que (?:isto|isso)\b.{0,40}(?:ajud|útil)|(?:deseja|quer|gostaria) que eu\b|me avise|observação:",
    r"надеюсь,? (?:это|что)\b.{0,40}(?:помо|полез)|(?:дайте|сообщите) (?:мне )?знать|хотите,? чтобы я|примечание:"
    r"|если (?:вам|у вас)\b.{0,60}(?:обращайтесь|дайте|сообщите)",
    r"希望.{0,16}(?:帮助|幫助|帮到)|(?:如果|如有|如需).{0,30}(?:告诉|告知|随时|請|请)|(?:您)?需要我.{0,20}吗|注[：:]",
    r"ご(?:不明|質問).{0,30}(?:ください|下さい)|.{0,16}(?:お役に立て|参考になれ).{0,8}幸い|注[：:]",
)
_CLOSING = lazy_pattern(rf"\n[ \t]*[*_(（\[]*(?:{'|'.join(_REMARKS)})[^\n]*$", re.I)

_FORM = lazy_pattern(  # what the prompts show in place of a gist
    r"^[*_\s]*(?:<[^<>\n]{1,12}>[*_\s]*)?the (?:page|passage)(?:,? shortened| in fewer words)\b"
    r"[*_\s]*[.:]?[*_\s]*",
    re.I,
)
_LONGEST = 300  # characters of a closing remark


def without_form(text: str) -> str:
    """Return a gist without the words of the prompt that show where it belongs: "The page, shortened."."""
    return _FORM.sub("", text)


def is_form(text: str) -> bool:
    """Return whether a reply is nothing but these words."""
    return bool(_FORM.fullmatch(text.strip()))


def unwrapped(text: str) -> str:
    """Return a gist without an introduction and without closing remarks; a remark has a line of its own."""
    found = _OTHERS.match(text) or _LINE.match(text) or _ENGLISH.match(text)
    text = text[found.end() :].strip() if found else text.strip()
    while closing := _CLOSING.search(text, max(0, len(text) - _LONGEST)):
        text = text[: closing.start()].rstrip()
    return text
