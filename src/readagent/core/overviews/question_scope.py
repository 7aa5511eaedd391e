"""Which part of a text a question is about, by its wording: the whole text, or a chapter."""

from __future__ import annotations

import re

from readagent.core.asking.position import named_place
from readagent.core.memory import GistMemory
from readagent.core.overviews.date_words import ORDINALS
from readagent.core.overviews.entries import Span
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question
from readagent.errors import UsageError

TEXTS = (
    "book|novel|story|text|document|paper|article|report|thesis|play|script|transcript|meeting|contract|essay"
    "|file|e-?book"
    "|buch|roman|geschichte|dokument|artikel|bericht|vertrag|livre|texte|roman|histoire|article|rapport|contrat"
    "|libro|texto|documento|historia|novela|artículo|informe|contrato"
)
THIS = (
    r"(?:(?:this|the|that|these|those|all|my|whole|entire|dieses?|diesem|das|dem|den|der|des|die|ce|ces|cette"
    r"|le|la|les"
    r"|du|de|este|esta|estos|estas|el|los|las|del)\s+)*"
    rf"(?:{TEXTS})e?s?"
)
_END = (  # what may follow: a length, a reader, or nothing
    r"(?:[\s,]+(?:please|briefly|for me|bitte|s'il (?:te|vous) pla[iî]t|por favor|so far|kurz"
    r"|(?:in|with|using|for|within|to|up to|as|en|auf|mit|für|pour|para|bis)\s+[^?]{1,60}))*\W*$"
)
POLITE = (
    r"^\W*(?:(?:please|can you|could you|would you|kindly|tell me|bitte|kannst du|können sie|sag mir|peux-tu"
    r"|pouvez-vous"
    r"|dis-moi|puedes|dime)[ ,:]+)*"
)
WANT = (
    r"(?:(?:give|write|make|provide|create|show|i (?:need|want|would like)|i'd like|gib|schreib\w*|erstell\w*|fais"
    r"|faites|donne\w*|haz|escribe|dame|hazme)(?:[ -](?:me|mir|moi|us|uns|nous|nos))?\s+)?"
)
NOUN = (
    r"(?:(?:an?|the|une?|eine?|un|una|der|die|das|le|la|el)\s+)?(?:[\w-]+\s+){0,2}"
    r"(?:summary|overview|synopsis|recap|zusammenfassung|überblick|résumé|resumen|sinopsis)"
)
_SUMMARIZE = (
    r"(?:summari[sz]e|sum up|recap|fass\w*|r[ée]sume[sz]?|resume|what(?:'s| is| was)|what happens in"
    r"|worum geht(?:'s| es) in"
    rf"|de quoi parle|de qu[ée] trata|{WANT}{NOUN}\s+(?:of|von|über|de|du|del))"
)
SUMMARY = lazy_pattern(
    rf"{POLITE}(?:(?:summari[sz]e|sum up|recap)(?:\s+(?:it|this|{THIS}))?|tl;?dr"
    rf"|fass\w*\s+(?:(?:es|das|{THIS})\s+)?(?:kurz\s+)?zusammen"
    rf"|r[ée]sume[sz]?\s+{THIS}|resume\s+{THIS}|{WANT}{NOUN}(?:\s+(?:of|von|über|de|du|del)?\s*(?:it|this"
    rf"|{THIS}))?"
    rf"|what(?:'s| is| was) (?:this|it|{THIS}) (?:all )?about|what happens in (?:this|it|{THIS})"
    r"|(?:what(?:'s| is| was)|tell me|summari[sz]e|describe|explain|outline)\s+the\s+(?:main\s+"
    r"|basic\s+)?(?:plot|storyline"
    rf"|story ?line|gist)(?:\s+(?:of|in)\s+(?:it|this|{THIS}))?|what(?:'s| is) the story(?:\s+(?:about|here))?"
    rf"|(?:was|wie) (?:ist|lautet) die (?:handlung|geschichte)(?:\s+(?:von|in|des|der)?\s*{THIS})?"
    rf"|was passiert in {THIS}|quelle est l['’](?:intrigue|histoire)(?:\s+(?:de\s+)?{THIS})?"
    rf"|que se passe-t-il dans {THIS}"
    rf"|cu[áa]l es (?:la trama|el argumento|la historia)(?:\s+{THIS})?|qu[ée] (?:pasa|sucede|ocurre) en {THIS}"
    rf"|worum geht(?:'s| es)(?: (?:hier|in {THIS}))?|wovon handelt {THIS}|de quoi (?:parle|traite) {THIS}"
    rf"|de qu[ée] (?:trata|va) (?:esto|{THIS})){_END}",
    re.I,
)
_MAIN = r"(?:main|central|key|major|overall|core|principal|most important|recurring|common|overarching|leading|chief)"
_SUBJECTS = (
    r"(?:themes?|ideas?|points?|arguments?|messages?|topics?|take-?aways?|findings?|conclusions?|motifs?"
    r"|claims?|issues?"
    r"|decisions|conflicts?|lessons?|morals?|thesis|subjects?|questions?)"
)
THEME = lazy_pattern(
    rf"{POLITE}(?:what(?:'s|'re| are| is| were| was) the (?:{_MAIN}\s+(?:\w+ )?{_SUBJECTS}|themes?|take-?aways?|moral"
    rf"|message|thesis|point of {THIS}|tone|mood)(?:\s+(?:of|in|from|on)\s+(?:it|this|{THIS}))?"
    rf"|(?:what|which) themes\b[^?]{{0,60}}"
    rf"|who(?:'s|'re| are| is| were| was) (?:all )?the (?:{_MAIN} (?:characters?|people|persons?|figures?"
    rf"|players?|protagonists?)"
    rf"|characters|protagonists?|antagonists?|hero(?:es|ine)?|narrator|villains?)(?:\s+(?:of|in)\s+(?:it|this"
    rf"|{THIS}))?"
    r"|(?:was (?:sind|ist)|wie lauten|welche[rs]? (?:sind|ist)) (?:die|das|der) (?:\w+ )?(?:haupt|kern|zentral\w* )?"
    rf"(?:themen|thema|aussagen?|ideen?|erkenntnisse|punkte|motive?)(?:\s+(?:von|in|des|der)?\s*{THIS})?"
    r"|wer (?:sind|ist) (?:die|der) (?:wichtigsten |zentralen )?(?:haupt)?(?:personen|figuren|charaktere|person|figur"
    rf"|protagonist(?:en|in)?)(?:\s+(?:von|in|des|der)?\s*{THIS})?"
    r"|quels? (?:sont|est) (?:les?|la) (?:(?:principaux|principal|grands?) )?(?:th[èe]mes?|id[ée]es?"
    r"|conclusions?|messages?)"
    rf"(?:\s+principa(?:ux|les?|l))?(?:\s+{THIS})?"
    rf"|qui sont les (?:principaux )?(?:personnages|protagonistes)(?:\s+principaux)?(?:\s+{THIS})?"
    r"|cu[áa]l(?:es)? (?:son|es) (?:los|las|el|la) (?:principal(?:es)? )?(?:temas?|ideas?|conclusi[óo]n(?:es)?"
    r"|mensajes?)"
    rf"(?:\s+principal(?:es)?)?(?:\s+{THIS})?"
    rf"|qui[ée]n(?:es)? (?:son|es) (?:los|las|el|la) (?:principales )?(?:personajes?"
    rf"|protagonistas?)(?:\s+principal(?:es)?)?"
    rf"(?:\s+{THIS})?)"
    rf"{_END}|^\W*how (?:does|do|did) [^?]{{3,80}}\b(?:change|develop|evolve|shift)s?"
    r"(?:\s+(?:over|throughout|through|across|during|in the course|as|from)\b[^?]*)?\W*$",
    re.I,
)
_PLURAL = (  # of what is listed: its last word before what says which, or the end
    r"list (?:me )?(?:of )?the\s+(?:[\w'’-]+\s+){0,3}?(?!(?:news|status|address|process|access|business|basis"
    r"|bus|gas|class"
    r"|analysis)\b)(?:[\w-]{2,}s(?<!ss)(?<!us)(?<!is)|people|men|women|children|persons|criteria|data)"
    r"(?=\s*(?:$|[,.;:?!]|\b(?:of|in|on|at|by|for|from|with|that|who|which|where|when|whose|and|or|mentioned"
    r"|named|used"
    r"|made|given|involved|discussed|described|to|between|during)\b))"
)
LIST = lazy_pattern(
    rf"{POLITE}(?:(?:list|name|enumerate|find|show|collect|give|mention|identify)(?: me)? (?:every|all|each)\b"
    r"|(?:in )?(?:which|what) (?:chapters|parts|sections|pages|scenes|places|passages)\b"
    rf"|(?:make|give me|write|create) a list of\b|{_PLURAL}|how many times\b|how often (?:did|has|have|had|was"
    rf"|were)\b|how often (?:is|are) .{{1,60}}\b(?:mentioned|named|quoted|cited|referred|described|repeated)\b"
    r"|how often (?:does|do) (?:he|she|they|we|i|anyone|anybody|somebody|someone|the (?:author|narrator|speaker)s?"
    r"|(?-i:[A-Z])\w+)\b"
    r"|(?:what|which|who) (?:are|were) all (?:the|of)\b|(?:liste|nenne|zähle)\b.{0,20}\b(?:alle|jede[nsr]?)\b"
    r"|wie oft (?:hat|haben|ist|sind|wird|werden|wurde|kommt|besucht|(?-i:[a-z])\w+t (?:er|sie))\b|combien de fois\b"
    r"|cu[áa]ntas veces\b|(?:liste|énumère|enumère|cite)\w*\s+(?:tou(?:te)?s|chaque)\b"
    r"|(?:enumera|lista|nombra)\w*\s+(?:tod[oa]s|cada)\b)",
    re.I,
)
_EVENTS = r"(?:(?:the|all|main|key|major|most important|wichtigsten|principaux)\s+)*(?:events?|ereignisse|événements)"
TIMELINE = lazy_pattern(
    rf"{POLITE}(?:what(?:'s| is)\s+)?{WANT}(?:(?:an?|the|eine?|une|una|die|la)\s+)?(?:[\w-]+\s+)?"
    r"(?:timeline|chronology|zeitleiste|zeittafel|chronologie|cronología)"
    rf"(?:\s+(?:of|von|der|des|de|de los|del|du)\s+(?:{_EVENTS}|(?:los\s+)?eventos|it|this|{THIS})"
    rf"(?:\s+(?:of|in|from)\s+(?:it|this|{THIS}))?)?(?:[\s,]+(?:please|bitte))?\W*$",
    re.I,
)
_NAMED = lazy_pattern(
    rf"{POLITE}(?:(?:what(?:'s| is) the plot of|who are the main characters (?:in|of)"
    rf"|what are the (?:main )?themes (?:in|of))"
    rf"\s+(?P<other>[^?]{{2,120}}?)|{_SUMMARIZE}\s+(?P<name>[^?]{{2,120}}?)(?:\s+(?:(?:all )?about"
    rf"|zusammen))?){_END}",
    re.I,
)
_WORD = lazy_pattern(r"\w+")
_SMALL = frozenset(
    "the a an of by das der die le la les l el los book novel story play roman buch livre libro and".split()
)


def names_the_text(question: str, title: str) -> str:
    """Return what a question asks for that has the title of the text in it: "summary" or "theme"; "" if it does not."""
    match = _NAMED.match(question)
    if match is None or not title:
        return ""
    named = {word for word in _WORD.findall((match["name"] or match["other"]).casefold()) if word not in _SMALL}
    known = {word for word in _WORD.findall(title.casefold()) if word not in _SMALL}
    if not named or not known or not (known <= named or (named <= known and 2 * len(named) >= len(known))):
        return ""
    extra = named - known
    if extra and not _by_author(match["name"] or match["other"], extra):
        return ""
    return "theme" if match["other"] and "plot" not in question.casefold() else "summary"


def _by_author(named: str, extra: set[str]) -> bool:
    """Whether the words besides the title are those of "by" somebody."""
    after = re.split(r"\b(?:by|von|de|par)\b", named.casefold())[-1]
    return extra <= set(_WORD.findall(after)) and after != named.casefold()


_PART = (
    r"chapters?|ch\.|parts?|books?|sections?|acts?|scenes?|cantos?|volumes?|letters?"
    r"|kapitels?|teil|chapitres?|cap[íi]tulos?"
)
_CARDINALS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty".split()
)
_NUMBER = rf"\d{{1,4}}|[ivxlc]+|{'|'.join(_CARDINALS)}"
_NTH = rf"{'|'.join(sorted(ORDINALS, key=len, reverse=True))}|\d{{1,4}}(?:st|nd|rd|th|\.)"
_CHAPTER = (
    rf"(?:(?:the|das|le|la|el)\s+)?(?:(?P<nth>{_NTH})\s+(?P<kind>{_PART})|(?P<part>{_PART})\s+(?P<first>{_NUMBER})"
    rf"(?:\s*(?:-|–|to|through|and|bis|und|à|et|a|y)\s*(?:chapter\s+)?(?P<last>{_NUMBER}))?)"
    rf"(?:\s+(?:of|in|from|von|aus|de|du|des|del)?\s*(?:it|this|{THIS}))?"
)
_ABOUT = _CHAPTER.replace("?P<", "?P<about_")
_CHAPTER_END = (  # a length, or nothing
    r"(?:[\s,]+(?:please|briefly|for me|bitte|kurz|s'il (?:te|vous) pla[iî]t|por favor"
    r"|in (?:(?:about|around|at most)\s+)?[\w-]+ (?:words?|sentences?|paragraphs?|lines?|wörtern|sätzen)"
    r"|en [\w-]+ (?:mots|phrases|palabras|frases)))*\W*$"
)
_ASKED = lazy_pattern(
    rf"{POLITE}(?:(?:summari[sz]e|sum up|recap|r[ée]sume[sz]?|fass\w*|what happens in|was passiert in|worum geht es in"
    rf"|que se passe-t-il dans|qu[ée] (?:pasa|sucede) en|{WANT}{NOUN}\s+(?:of|von|de|du|del))"
    rf"\s+{_CHAPTER}(?:\s+zusammen)?|what(?:'s| is| was)\s+{_ABOUT}\s+(?:all\s+)?about){_CHAPTER_END}",
    re.I,
)


def chapter_asked_for(question: Question, memory: GistMemory) -> Span | None:
    """Return the start and end of the chapter, or of the chapters, whose content a question asks for, if there is one.

    A number that several chapters have, such as the first of each part, means none.
    """
    match = _ASKED.match(question.text.partition("\n(")[0].strip().replace("’", "'"))
    if question.kind != "free" or match is None:
        return None
    told = {name.removeprefix("about_"): value for name, value in match.groupdict().items() if value}
    kind = (told.get("kind") or told["part"]).casefold()
    kind = "chapter" if kind == "ch." else kind.removesuffix("s")
    first, last = told.get("nth") or told["first"], told.get("last")
    try:
        begin = _place(memory, kind, first)
        end = _place(memory, kind, last) if last else begin
    except UsageError:
        return None
    return (begin[0], end[1]) if begin and end and begin[0] < end[1] else None


def _place(memory: GistMemory, kind: str, number: str) -> Span | None:
    named = named_place(memory, f"{kind} {_digits(number)}")
    translated = kind in ("kapitel", "chapitre", "capítulo", "capitulo")  # of a text in English
    return named or (named_place(memory, f"chapter {_digits(number)}") if translated else None)


def _digits(number: str) -> str:
    word = re.sub(r"\s+", " ", number.casefold())
    if word in ORDINALS or word in _CARDINALS:
        return str(ORDINALS[word] if word in ORDINALS else _CARDINALS.index(word) + 1)
    return re.sub(r"(?<=\d)(?:st|nd|rd|th|\.)$", "", word)
