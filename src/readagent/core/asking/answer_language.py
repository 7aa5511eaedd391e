"""The language of an answer: that of the question, which is named in a prompt only where the model could mistake it."""

from __future__ import annotations

from readagent.core.languages import language, language_name
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.question_languages import certain_language, may_be_english

_SAMPLED, _CHARACTERS = 12, 300  # gists that show the language of a memory, and characters of each
_OF_QUESTION = "the language of the question"
_NOT_IN_TEXT = {
    "de": "Der Text sagt dazu nichts.",
    "fr": "Le texte ne le dit pas.",
    "es": "El texto no lo dice.",
    "it": "Il testo non lo dice.",
    "pt": "O texto não o diz.",
    "nl": "De tekst zegt daar niets over.",
    "pl": "Tekst nic o tym nie mówi.",
    "sv": "Texten säger inget om det.",
    "da": "Teksten siger ikke noget om det.",
    "fi": "Teksti ei kerro sitä.",
    "cs": "Text o tom nic neříká.",
    "hu": "A szöveg erről nem ír.",
    "ro": "Textul nu spune acest lucru.",
    "tr": "Metinde bu belirtilmiyor.",
    "ru": "В тексте об этом не сказано.",
    "uk": "У тексті про це не сказано.",
    "el": "Το κείμενο δεν το αναφέρει.",
    "ar": "النص لا يذكر ذلك.",
    "he": "הטקסט אינו מציין זאת.",
    "hi": "पाठ में यह नहीं बताया गया है।",
    "vi": "Văn bản không nói đến điều đó.",
    "id": "Teks tidak menyebutkannya.",
    "zh": "文中没有提到。",
    "ja": "本文には書かれていません。",
    "ko": "본문에는 나와 있지 않습니다.",
}
NOT_IN_TEXT = "The text does not say."


def answer_language(question: Question, memory: GistMemory) -> str:
    """Return the language to answer in, as a prompt names it; "" if question and text are in English.

    The prompts are in English, so nothing has to be said then, and nothing is said if neither can be recognised. A
    language is named only if it is certain.
    """
    of_text = _language_of(memory)
    if may_be_english(question.text) and not memory.plan.gist_language and of_text in ("", "en"):
        return ""
    code = certain_language(question.text, of_text)
    return language_name(code) if code else _OF_QUESTION


def not_in_text(question: Question) -> str:
    """Return the sentence that the text does not say, in the language of the question if it is certain."""
    return _NOT_IN_TEXT.get(certain_language(question.text), NOT_IN_TEXT)


def _language_of(memory: GistMemory) -> str:
    gists = memory.gists[:: max(1, len(memory.gists) // _SAMPLED)]
    return language("\n".join(gist.text[:_CHARACTERS] for gist in gists))
