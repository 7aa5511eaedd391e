"""Remove courtesies around an answer, such as "Sure! Here is the answer:" and "I hope this helps!"."""

from __future__ import annotations

import re
from collections.abc import Callable

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
