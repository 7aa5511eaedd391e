"""Check that a free answer is one: no message of a failure, and not about something else. Courtesies are removed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from readagent.core.asking.absence import denies
from readagent.core.failure_text import find_failure, task_talk
from readagent.core.languages import Terms, all_terms, is_in, language, says, shared, terms
from readagent.core.patterns import lazy_pattern

_WILLING = (  # before an exclamation mark, or before another courtesy
    r"sure(?: thing)?|certainly|of course|okay|ok|gladly|with pleasure|no problem|(?:great|good) question"
    r"|natürlich|gerne|selbstverständlich|klar|sicher|bien sûr|certainement|avec plaisir|[¡]?claro(?: que sí)?"
    r"|[¡]?por supuesto|[¡]?desde luego|certo|certamente|com certeza|natuurlijk|zeker|конечно|разумеется"
    r"|jasne|oczywiście"
)
_HERE = (
    r"(?:(?:based on|according to|from) [^.:!?\n]{1,60}, ?)?(?:here(?:['’]s| is| are)|below is) "
    r"(?:(?:the|my|your|a|an)(?: \w+)? (?:answer|response|reply)|what (?:the|i|we|my)\b)[^.:!?\n]{0,80}"
    r"|hier ist (?:die|meine|ihre|deine)(?: \w+)? antwort[^.:!?\n]{0,60}"
    r"|voici (?:la|ma|votre|ta) réponse[^.:!?\n]{0,60}"
    r"|aquí (?:está|tienes?) (?:la|mi|tu|su) respuesta[^.:!?\n]{0,60}|ecco (?:la|una) risposta[^.:!?\n]{0,60}"
    r"|aqui está a resposta[^.:!?\n]{0,60}|hier is het antwoord[^.:!?\n]{0,60}|вот (?:мой |ваш )?ответ[^.:!?\n]{0,60}"
    r"|oto odpowiedź[^.:!?\n]{0,60}"
)
_OPENING = lazy_pattern(
    rf"[*_\s]*(?:(?:{_WILLING})(?:\s?!|(?=[,.]\s*(?:{_HERE}|i['’](?:d|ll)|let me\b))[,.])"
    rf"|(?:{_HERE})[*_]*\s?(?:[:：]|[.!](?=\s))|answer[*_]*\s?[:：]"
    r"|i(?:['’]d| would| am|['’]m)? (?:be )?(?:happy|glad) to (?:help|assist|answer)[^.!?:\n]{0,60}[.!]"
    r"|(?:thank you|thanks|danke|vielen dank|merci|gracias) (?:for|für|pour|por) (?:\w+ ){0,3}"
    r"(?:text|passage|question|memory|document|pages?|frage|texte|question|texto|pregunta)[.!]"
    r"|as an? (?:ai|(?:large )?language model|ai (?:language model|assistant)|assistant), "
    r"(?=i (?:read|see|found|find|note|understand|gather)\b|the\b|based\b|according\b)"
    r"|(?:好的|当然(?:可以)?)[！!，,。]|(?:以下是|这是)(?:我的|问题的)?(?:答案|回答)[：:。]"
    r"|(?:もちろん(?:です)?|承知しました|かしこまりました)[！!。]|(?:答え|回答)は(?:以下|次)の(?:とおり|通り)です[。：:]"
    r"|(?:물론(?:입니다|이죠)?|네, 알겠습니다)[!.])[*_]*\s*",
    re.I,
)
_BEGUN = lazy_pattern(rf"[*_\s]*(?:{_HERE})", re.I)
_CLOSING = (
    r"(?:i )?hope (?:this|that|it|these) (?:\w+ )?(?:helps?|answers?|is|clarifies|clears)\b[^.!?\n]{0,80}",
    r"(?:(?:please|and|so|just) )?(?:feel free to|do(?:n['’]t| not) hesitate to|let me know)\b[^.!?\n]{0,160}",
    r"if you (?:have|need|want|like|share|could|can|provide|would|['’]d)\b[^.!?\n]{0,120}\b(?:let me know|feel free|ask"
    r"|i can|i could|i will|i['’]ll|i['’]d|i would)\b[^.!?\n]{0,100}",
    r"(?:is there anything else|would you like me to|do you want me to|can i help)\b[^.!?\n]{0,120}",
    r"please (?:provide|share|send) (?:me )?(?:with )?(?:more|further|additional|the rest)\b[^.!?\n]{0,120}",
    r"i(?:['’]m| am| would be|['’]d be) (?:always )?(?:happy|glad) to (?:help|assist|answer|explain)\b[^.!?\n]{0,100}",
    r"ich hoffe,? (?:das|dies|es|dass)\b[^.!?\n]{0,60}\b(?:hilft|geholfen|hilfreich)\b[^.!?\n]{0,60}",
    r"(?:bitte )?lass(?:en sie)? (?:es )?mich (?:bitte |gerne? )?wissen\b[^.!?\n]{0,120}",
    r"(?:bei (?:weiteren )?fragen|(?:falls|wenn) (?:sie|du) (?:noch |weitere )?)[^.!?\n]{0,80}"
    r"\b(?:gern\w*|wissen|bescheid|fragen|melden)\b[^.!?\n]{0,80}",
    r"j['’]espère que (?:cela|ça|ceci)\b[^.!?\n]{0,80}|n['’]hésite(?:z)? pas\b[^.!?\n]{0,120}",
    r"espero (?:que|haber|ter)\b[^.!?\n]{0,40}\b(?:ayud|ajud|útil|sirva)\w*[^.!?\n]{0,60}",
    r"no dude?s? en\b[^.!?\n]{0,120}",
    r"spero (?:che|di)\b[^.!?\n]{0,40}\b(?:aiut|util)\w*[^.!?\n]{0,60}|fammi sapere\b[^.!?\n]{0,120}",
    r"надеюсь,?[^.!?\n]{0,40}(?:помо|полез)[^.!?\n]{0,60}|(?:дайте|сообщите)(?: мне)? знать[^.!?\n]{0,100}",
    r"если (?:у вас|вам)[^.!?\n]{0,80}(?:обращайтесь|спрашивайте|дайте|сообщите)[^.!?\n]{0,60}",
    r"希望[^。！？\n]{0,16}(?:帮助|幫助)[^。！？\n]{0,10}|如[果有][^。！？\n]{0,24}(?:请|随时|隨時)[^。！？\n]{0,24}",
    r"[^。！？\n]{0,16}(?:お役に立て|参考になれ)[^。！？\n]{0,6}幸いです"
    r"|[^。！？\n]{0,30}お気軽に[^。！？\n]{0,20}ください",
)
_ENDING = lazy_pattern(
    rf"(?:^|(?<=[.!?。！？\"”»)*_])\s*|\n)[*_\s]*(?:[¡]?(?:{'|'.join(_CLOSING)}))[.!?。！]*[*_\s😊🙂]*$", re.I
)
_LONGEST = 600  # characters of a courtesy at the end, with the space before it
_STARTS = (
    "i hope", "hope", "feel free", "please", "let me know", "don't hesitate", "do not hesitate", "just let", "if you",
    "is there anything", "would you like", "do you want", "can i help", "i'm", "i am", "i'd", "i would", "ich hoffe",
    "lass", "bitte", "bei", "falls", "wenn", "j'espère", "n'hésite", "espero", "no dud", "spero", "fammi", "надеюсь",
    "дайте", "сообщите", "если", "希望", "如",
)  # fmt: skip
_LAST = lazy_pattern(r"(?:[.!?。！？][\"”»)*_]*|\n)\s*([^.!?。！？\n]*[.!?。！]?[*_\s]*)$")


def without_courtesy(answer: str, in_text: Callable[[str], bool] = lambda words: False) -> str:
    """Return an answer without the courtesies before and after it; "" if it has nothing else.

    ``in_text`` says whether words are in the text: those are no courtesy.
    """
    text = without_opening(answer, in_text).strip()
    while (found := _ENDING.search(text, max(0, len(text) - _LONGEST))) and not in_text(found[0]):
        text = text[: found.start()].rstrip()
    return text


def without_opening(answer: str, in_text: Callable[[str], bool] = lambda words: False) -> str:
    """Return an answer without the courtesies before it."""
    text = answer.lstrip()
    while (found := _OPENING.match(text)) and not in_text(found[0]):
        text = text[found.end() :]
    return text


def may_begin_with_courtesy(beginning: str) -> bool:
    """Return whether the beginning of an answer, while it arrives, may turn out to be a courtesy."""
    return _BEGUN.fullmatch(beginning) is not None


def may_end_in_courtesy(text: str) -> int:
    """Return the offset from which the end of a text that still arrives may be a courtesy, or its length."""
    found = _LAST.search(text)
    last = found[1].casefold().replace("’", "'").lstrip("*_¡ ") if found else ""
    near = last and any(last.startswith(start) or start.startswith(last) for start in _STARTS)
    return found.start(1) if found and near else len(text)


_MANY, _LONG = 7, 300  # terms of an answer and of a text; with fewer, a paraphrase may share none
_SHARED = 0.15  # least share of an answer's terms that the text or the question has too
_TOLD = 0.5  # least share of the terms of an answer that quotes the words of a failure
_ANSWERED = 2  # terms in common with the text that an answer before an offer to the user has at least
_SYMBOLS, _MANY_SYMBOLS = lazy_pattern(r"[<>\[\]{}|\\]"), 0.15  # share of the characters from which a text may be noise
_LOOPING = 8, 0.25  # words of a text that may repeat itself, and the share of different ones below which it does
_PAGES = lazy_pattern(
    r"\W*(?:i (?:want|need) to (?:look up|open|see) )?(?:<?pages? ?\[?[\d, ]*\W*)+(?:to .{0,60})?", re.I
)
_ABOUT_PAGES = lazy_pattern(
    r"pag|seite|stron|sayfa|страниц|页|頁|ページ|페이지|쪽|صفح|עמוד|sid[ae]\b|trang|halaman|oldal", re.I
)
_FEW_PAGES = 200  # characters of a list of pages
_MISSING = lazy_pattern(r"\W*missing\s*:", re.I)
_NO_NUMBER = lazy_pattern(r"\W*(?:why|how(?! (?:many|much))|when|where)\b", re.I)


@dataclass(frozen=True)
class AnswerCheck:
    """Checks answers to a question against what was ``shown``."""

    question: str
    shown: str

    def problem(self, answer: str) -> str:
        """Return why a text cannot be the answer; "" if it can."""
        answer = without_opening(answer) or answer
        own = terms(answer)
        if failing := self._failure(answer, own):
            return failing
        if self._is_noise(answer):
            return "it had no content"
        if self._is_of_another_step(answer):
            return "it named pages in place of an answer"
        if denies(answer):
            return ""
        if talk := task_talk(answer, f"{self.shown}\n{self.question}"):
            return talk
        if len(own) < _MANY or len(self._there) < _LONG or not self._in_language_of_text(answer):
            return ""  # it may well be a paraphrase that shares no word
        return "" if shared(own, self._there) >= _SHARED * len(own) else "it had nothing to do with the text"

    def _failure(self, answer: str, own: Terms) -> str:
        """Return why an answer is the message of a failure; "" if it is none, or if it quotes one.

        An answer may end with an offer to the user.
        """
        failure = find_failure(answer)
        if failure is None or (own and self._says(failure.words) and shared(own, self._there) >= _TOLD * len(own)):
            return ""
        before = answer[: answer.rfind(failure.words)] if failure.offer else ""
        answered = shared(terms(before), self._there) >= _ANSWERED and find_failure(before) is None
        return "" if answered else failure.reason

    @cached_property
    def _text_language(self) -> str:
        return language(self.shown)

    @cached_property
    def _there(self) -> Terms:
        return all_terms(self.shown) | all_terms(self.question)

    def _says(self, words: str) -> bool:
        return says(self.shown, words) or says(self.question, words)

    def _is_of_another_step(self, answer: str) -> bool:
        """Return whether a reply only asks for pages or names them, and the question is not about pages."""
        quotes = any(mark in answer for mark in '"“„«「')
        pages = not quotes and len(answer) < _FEW_PAGES and _PAGES.fullmatch(answer)
        named = pages and not _ABOUT_PAGES.search(self.question)
        return bool(named or _MISSING.match(answer))

    def _is_noise(self, answer: str) -> bool:
        """Return whether a reply repeats itself or is full of brackets, and what was shown has no such thing.

        "None" answers how many, but not why.
        """
        words = answer.casefold().split()
        if answer.strip() == "None" and _NO_NUMBER.match(self.question):
            return True
        if len(words) >= _LOOPING[0] and len(set(words)) < _LOOPING[1] * len(words):
            return not self._says(" ".join(words[:4]))
        many = len(_SYMBOLS.findall(answer)) >= _MANY_SYMBOLS * len("".join(words))
        return many and not any(self._says(word) for word in re.findall(r"\w+", answer))

    def _in_language_of_text(self, answer: str) -> bool:
        return bool(language(answer)) and is_in(answer, self._text_language)
