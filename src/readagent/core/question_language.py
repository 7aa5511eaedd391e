"""The language of a question or passage, where it is certain enough to be named."""

from __future__ import annotations

from functools import cache

from readagent.core.languages import FUNCTION_WORDS, SAMPLE, WORD, hits
from readagent.core.patterns import lazy_pattern

_QUESTION_WORDS = {
    "en": "who whom whose what where when why how which does did name describe explain list summarize summarise tell",
    "de": "wer wen wem wessen was wo wann warum wieso weshalb wie welche welcher welches welchen woher wohin wozu "
    "worum hatte heißt",
    "fr": "qui quoi où quand pourquoi comment quel quelle quels quelles combien",
    "es": "qué quién quiénes dónde cuándo cómo cuál cuáles cuánto cuántos cuánta cuántas",
    "it": "chi cosa dove quando perché come quale quali quanto quanti quante",
    "pt": "quem onde quando como qual quais quanto quantos quantas porquê",
    "nl": "wie wat waar wanneer waarom hoe welke hoeveel",
    "pl": "kto kogo co gdzie kiedy dlaczego jak jaki jaka jakie ile",
    "sv": "vem vad var när varför hur vilken vilket vilka",
    "tr": "kim kimin ne nerede neden niçin nasıl hangi kaç",
    "ru": "кто кого кому что чем где когда почему зачем как какой какая какие каким сколько чей куда откуда",
    "uk": "хто кого що де коли чому навіщо як який яка які скільки чий куди звідки",
    "cs": "kdo koho co kde kdy proč jak jaký jaká jaké kolik",
    "hu": "ki kit mi mit hol mikor miért hogyan melyik mennyi hány",
    "fi": "kuka kenen mikä mitä missä milloin miksi miten kuinka",
    "vi": "ai gì đâu sao nào mấy",
    "id": "siapa apa mana kapan mengapa bagaimana berapa",
    "ro": "cine ce unde când cum care cât câți",
    "da": "hvem hvad hvor hvornår hvorfor hvordan hvilken hvilke",
}
_NEIGHBOURS = (  # languages that are not recognised elsewhere, and would be taken for one that is
    # Norwegian
    "og i at det som en på er av for med til den har de ikke om et han men var jeg seg fra vi så kan man når eller nå "
    "hun hadde skulle ved mot ut etter der ble være også bare hva hvem hvor hvordan hvorfor hvilken hvilke hvilket",
    # Catalan
    "de la que el en i a els les un una per amb no és se del dels al als va van com més o però seu seva si sobre "
    "aquest aquesta ja entre quan tot són dos també era molt fins des està qui què on quin quina quins quines l d s n",
    # Galician
    "de a o que e do da en un unha para é con non os no se na por máis as dos como pero foi ao el ela das ten súa ou "
    "ser cando moi hai xa está eu tamén quen onde cal cales canto cantos",
    # Latin
    "et in non est ad ut cum quis quid ubi quando cur quae qui quod sed ex de per si a ab se me te nos erat sunt",
    # Afrikaans
    "die van en het in is dat sy hy te met vir nie op aan was om as wat wie waar wanneer hoekom hoe watter n sal kan "
    "deur uit ook maar hulle ek ons",
    # Slovak
    "a sa v na je to že s z do o si i ale ako po k už vo pre by som čo kto ktorý ktorá ktoré bol bola bolo jeho jej sú "
    "alebo keď od za zo tak nie len aj až pri podľa medzi kde kedy prečo aký aká aké koľko koho",
    # Croatian, Serbian, Slovene
    "i u je na se da su za od s a ne što šta tko ko kdo gdje gde kje kada kdaj kako zašto zakaj koji koja koje bio "
    "bila bilo iz ili ali kao po do v in so nije samo već koga",
    # Malay
    "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke kerana ada mereka sudah boleh kita "
    "adalah atau oleh telah seperti dia anda kami tetapi selepas lebih banyak hanya ia siapa apa mana bila "
    "mengapa bagaimana berapa",
    # Estonian
    "ja on ei see ta et oli kes mis kus millal miks kuidas aga kui ka ning või kelle oma olid tema",
    # Azerbaijani
    "və bir bu da də üçün ilə çox daha nə ki kimi o olan qədər var sonra ən amma mən sən biz hər kim harada niyə necə",
    # Bulgarian
    "и в не на аз че той с как това но по към от у за тя така то всички или до само беше ако когато вече още е бил "
    "била са защо кой коя кое кои къде колко какво какъв каква се го му да ще",
    # Serbian
    "и у не на ја да он са као то али по од за она све или до само је био била су када већ још зашто ко шта где како "
    "који која које колико се га му",
    # Belarusian
    "і ў не на я што ён з як гэта але па да у за яна так то усё яго ад пра быў мы для вы ты яе іх або толькі было калі "
    "ўжо яшчэ ёсць была былі каб хто дзе чаму які якая",
)
_ONLY_IN = {  # what a text in a language that shares its script with others must have, and what it must not have
    "ar": (
        lazy_pattern(r"[ةأإى]|\bال|\b(?:في|من|هل|هو|هي|ما|ماذا|متى|كيف)\b"),
        lazy_pattern("[پچژگکیٹڈڑںےہھۆێڕڵۇەڭېۍځڅ]"),
    ),
    "hi": (
        lazy_pattern(r"(?<!\w)(?:है|हैं|था|थी|थे|क्या|क्यों|कहाँ|कहां|में|और|नहीं)(?!\w)"),
        lazy_pattern(r"ळ|आहे|छ(?!\w)"),
    ),
    "zh": (lazy_pattern("[么麼吗嗎呢谁哪怎这這们們什没沒说說吧她你为]"), lazy_pattern("[\u3040-\u30ff]")),
}
_ENOUGH = 2  # known words, which are also a third of all; of fewer words, half


def question_languages(question: str) -> list[str]:
    """Return the languages that a question is in by most of its words: one, or several that cannot be told apart.

    The first line decides, since a passage in another language may follow. An empty list means that no word is known.
    """
    totals = _totals(_first_line(question))
    most = max(totals.values())
    return [code for code, total in totals.items() if total == most] if most else []


def certain_language(question: str, of_text: str = "") -> str:
    """Return the language that a question is certainly in; "" if it may be another, also one that is not known here.

    ``of_text`` is the language of the text that it is about: it decides between languages that cannot be told apart.
    """
    line, possible = _first_line(question), question_languages(question)
    if possible == ["zh"] and of_text in ("zh", "ja") and not _ONLY_IN["zh"][0].search(line):
        return of_text
    code = possible[0] if len(possible) == 1 else of_text if of_text in possible else ""
    if code not in FUNCTION_WORDS:
        return code if is_certain(line, code) else ""
    known, words = _totals(line)[code], len(WORD.findall(line))
    enough = 2 * known >= words or (known >= _ENOUGH and 3 * known >= words)
    return code if enough and is_certain(line, code) else ""


def is_certain(text: str, code: str) -> bool:
    """Return whether a text that was recognised as being in a language is not in one that is easily taken for it."""
    if code in _ONLY_IN:
        needed, excluded = _ONLY_IN[code]
        return bool(needed.search(text)) and not excluded.search(text)
    if code not in FUNCTION_WORDS or code == "en":
        return bool(code)
    text = text[:SAMPLE]
    return _in_neighbours(text) < _totals(text).get(code, 0)


def _first_line(question: str) -> str:
    return question.strip().partition("\n")[0]


def _totals(line: str) -> dict[str, int]:
    """Return how many words of a line each language has, as function words or as words of questions."""
    totals = dict(hits(line).totals)
    words = WORD.findall(line.lower())
    for code in totals.keys() & _QUESTION_WORDS.keys():
        more = set(_QUESTION_WORDS[code].split()) - set(FUNCTION_WORDS[code].split())
        totals[code] += sum(word in more for word in words)
    return totals


def _in_neighbours(text: str) -> int:
    """Return how many words of a text one of the neighbouring languages has at most."""
    words = WORD.findall(text.lower())
    return max(sum(word in other for word in words) for other in _neighbours())


@cache
def _neighbours() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(words.split()) for words in _NEIGHBOURS)
