"""Recognise answers which say that the text does not hold the answer, in the words that models use."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern

_SAY = (
    r"say|state|mention|tell|specify|give|provide|contain|indicate|reveal|explain|describe|include|answer|name"
    r"|identify"
    r"|address|discuss|clarify|make (?:it )?clear|hold|disclose|offer|record|have|cover"
)
_SAID = (
    r"stated|mentioned|said|told|specified|given|provided|indicated|revealed|explained|described|included|answered"
    r"|named|identified|addressed|discussed|known|clear|disclosed|contained|found|present|available|recorded"
    r"|determined|covered|learned"
)
_BARE = "stated|mentioned|specified|given|provided|indicated|revealed|disclosed|explained"
_TEXT = (
    r"(?:(?:provided |given |whole |entire )?(?:text|passage|document|pages?|story|book|novel|article|report"
    r"|transcript|memory|excerpts?|material|context"
    r"|author|narrator|source|information|gists?|chapters?)(?: (?:itself|above|shown|provided|given|here))?)"
)
_ENGLISH = (
    r"not in the (?:text|passage|document)(?! of\b)",
    rf"{_TEXT} (?:\w+ly )?(?:does|do|did)(?: not|n't) (?:\w+ ){{0,2}}(?:{_SAY})\b(?! (?:[\"“]))(?! that \w)",
    rf"{_TEXT} (?:\w+ )?never (?:\w+ )?(?:{_SAY})s?\b",
    rf"{_TEXT} (?:\w+ )?(?:{_SAY})s? (?:no|nothing)\b(?! was| is| were)",
    rf"{_TEXT} (?:is|are|remains?|stays?) silent|{_TEXT} leaves? (?:\w+ ){{1,3}}(?:open|un(?:mentioned|stated"
    rf"|answered|said"
    r"|specified|clear))\b",
    r"^\W*(?:we|the reader)(?: are| is|'re)?(?: not|n't| never) (?:told|informed)\b(?! (?:to|until)\b)"
    r"|^\W*we (?:are|is)n't told\b|^\W*the reader isn't told\b|^\W*we (?:are )?never (?:learn|find out|told"
    r"|hear)\b(?! to\b)",
    rf"^\W*(?:nowhere|at no point)\b.{{0,40}}\b(?:is|are|does|do|did)\b.{{0,40}}\b(?:{_SAY}|{_SAID})\b",
    rf"answer (?:is not|isn't) (?:\w+ )?in the {_TEXT}\b",
    r"there (?:is not|isn't|is|'s) (?:not )?(?:enough|insufficient|too little) (?:information|detail|context)",
    r"^\W*(?:insufficient|not enough) (?:information|data|context|detail)",
    rf"(?:it|this|that)(?: is|'s| remains) (?:unclear|unknown|uncertain|not clear)(?: from (?:the"
    rf"|this) {_TEXT})?[.!]*$",
    r"^\W*(?:that|this|the|such) (?:\w+ )?information (?:is not|isn't) (?:\w+ )?(?:available|provided|given|included"
    r"|present)",
    rf"{_TEXT} (?:mentions?|names?|describes?)\b[^.;]{{0,40}}, but not\b[^.;,]{{0,40}}[.!]*$",
    rf"{_TEXT} (?:talks?|speaks?|is|are) about\b.{{0,60}}\b(?:has|have|contains?|says?|mentions?) (?:no|nothing)\b",
    rf"(?:it|this|that) (?:is|'s)(?: not|n't)(?: \w+)? (?:{_SAID})\b(?! to\b)|(?:it|this|that) isn't (?:{_SAID})\b",
    rf"(?:is|are)(?: not|n't)(?: \w+)? (?:{_BARE})(?: (?:anywhere|here))?[.!\"']*$",
    rf"(?:is|are|was|were)(?: not|n't)(?: \w+)? (?:{_SAID})(?: \w+)? (?:in|by|on) (?:the|this"
    rf"|these) (?:\w+ )?{_TEXT}\b",
    r"there(?: is|'s) (?:no|not any)\b(?: \w+){0,3} (?:information|mention|indication|reference|details?)\b",
    rf"there(?: is|'s) nothing (?:about|on)\b|there(?: is|'s) nothing in (?:the|this) {_TEXT}\b",
    r"no (?:information|mention|indication|reference|details?) (?:\w+ ){0,3}(?:is|are|given|made|provided"
    r"|about|on|of)\b(?!.*\bto (?:the|him|her|them)\b)",
    rf"nothing (?:in|on|about)\b.{{0,30}}{_TEXT}\b.{{0,20}}(?:{_SAY})s?\b",
    r"can(?: ?not|'t) be (?:\w+ )?(?:determined|known|answered|established|inferred)",
    r"(?:it is|it's) (?:impossible|not possible) to (?:determine|say|tell|know|answer)",
    rf"\b(?:i|we) (?:could not|couldn't|can ?not|can't|did not|didn't|do not|don't) (?:find"
    rf"|see)\b.{{0,60}}(?:{_TEXT}|mention|information|reference)",
    r"\bi (?:do not|don't) know|^\W*i have no information\b|\b(?:i|we) (?:can ?not|can't) (?:tell|say|determine"
    r"|answer)",
    rf"(?:is|are) never (?:{_SAID})(?: (?:in|by) the {_TEXT})?[.!]*$",
    rf"(?:neither|none of the) {_TEXT} (?:{_SAY})s?\b|no answer (?:\w+ ){{0,3}}in the {_TEXT}",
    rf"^\W*not (?:{_SAID})(?: (?:in|by) the {_TEXT})?[.!\"']*$",
    r"^\W*(?:unknown|unspecified|n/a)[.!]*$",
    r"^\W*it (?:does not|doesn't) (?:say|specify|mention|tell)\b[^,;]*$",
)
_OTHERS = (
    # German, Dutch, Swedish
    r"\b(?:text|abschnitt|dokument|buch|autor\w*)\b(?: \w+){0,4} (?:nichts?|keine?\w*)\b"
    r"|\b(?:steht|wird|werden|ist|sind|gibt es|finde\w*)\b.{0,25}\b(?:nicht|nichts|keine\w*)\b.{0,15}"
    r"\b(?:text|erwähnt|gesagt|genannt|angegeben|angaben|information\w*|hinweis\w*|erklärt|beschrieben)"
    r"|^\W*(?:wird )?nicht (?:erwähnt|genannt|angegeben|im text|bekannt|gesagt)|im text (?:nicht|nichts|keine)"
    r"|^\W*keine angaben?\W*$|\bschweigt (?:sich )?(?:der|die|das) (?:text|buch|autor\w*)|^\W*unbekannt\W*$"
    r"|\bmacht der text keine\b",
    r"\b(?:tekst|document|verhaal)\b(?: \w+){0,4} (?:niets?|geen)\b|\b(?:wordt|staat|is)\b.{0,30}\bniet\b.{0,20}"
    r"\b(?:tekst|vermeld|genoemd|gezegd)|^\W*niet vermeld|geen informatie",
    r"\b(?:framgår|nämns|står|anges) inte\b|\btexten\b(?: \w+){0,3} (?:inte|inget|ingen)\b",
    # French, Spanish, Italian, Portuguese
    r"\b(?:texte|passage|document|récit|auteur)\b(?: \w+){0,2} n(?:e |['’])(?:\w+['’ ]){0,3}(?:pas|rien|aucune?"
    r"|jamais)\b"
    r"|(?:ce n['’]est|n['’]est|il n['’]est) pas (?:\w+ )?(?:précisé|mentionné|indiqué|dit|dans le texte"
    r"|spécifié|connu)"
    r"|on ne (?:le )?sait pas|aucune (?:information|mention|indication)|pas d['’]informations?"
    r"|^\W*non (?:précisé|mentionné)",
    r"\b(?:texto|pasaje|documento|autor|libro)\b(?: \w+)? no (?:\w+ )?(?:dice|menciona|indica|especifica|da"
    r"|contiene|explica"
    r"|proporciona|ofrece|revela|aclara)|\bno se (?:menciona|dice|indica|especifica|sabe|explica)|no hay (?:\w+ )?"
    r"(?:informaci[oó]n|menci[oó]n|datos)|\bno (?:está|aparece) en el texto|^\W*no consta\b|^\W*no (?:mencionado"
    r"|especificado)",
    r"\b(?:testo|brano|documento|libro|autore)\b(?: \w+)? non (?:\w+ )?(?:dice|menziona|indica|specifica"
    r"|fornisce|contiene|spiega"
    r"|riporta)|\bnon (?:è|viene) (?:\w+ )?(?:specificato|menzionat[oa]|indicato|detto|nel testo)|non si dice"
    r"|\bnel testo non\b"
    r"|non ci sono informazioni|nessuna informazione",
    r"\b(?:texto|documento|trecho|livro|autor)\b(?: \w+)? não (?:\w+ )?(?:diz|menciona|indica|especifica"
    r"|informa|contém|fornece|explica)"
    r"|\bnão (?:é|está|foi) (?:\w+ )?(?:mencionad[oa]|especificad[oa]|dito|no texto|indicad[oa])|não se (?:diz"
    r"|menciona|sabe)"
    r"|não há (?:\w+ )?(?:informaç\w+|menção)|nenhuma informação|^\W*não consta\b",
    # Russian, Ukrainian, Polish
    r"\bв (?:тексте|книге|отрывке)\b.{0,40}\b(?:не|нет)\b|^\W*неизвестно\W*$|\b(?:текст|автор"
    r"|документ)\b(?: \w+)? не \w+"
    r"|^\W*(?:это |об этом )?не (?:сказано|указан\w*|упомина\w+|упомянут\w*|говорится|сообщается|известно)"
    r"|нет (?:никакой |такой |никаких )?(?:информации|сведений|упоминани\w|данных)|\bиз текста\b.{0,30}\b(?:не"
    r"|неясно|непонятно)\b|\bу тексті\b.{0,30}\bне\b",
    r"\b(?:tekst\w*|autor|dokument\w*)\b(?: \w+){0,3} nie \w+|\bnie (?:podano|wspomniano|określono"
    r"|jest \w+ w tekście|ma (?:o \w+ )?informacji)|\bw tekście nie\b"
    r"|brak (?:informacji|wzmianki)",
    # Turkish, Arabic
    r"\bmetin(?:de)?\b.{0,40}(?:yok|değil|m[ıiuü]yor|bahsedilm|belirtilm|geçm)|\bbelirtilmem\w+|bilgi (?:yok|bulunm)",
    r"(?:لم|لا|لن)\b.{0,14}(?:ذكر|يُ?ذكر|يرد|تُ?ذكر|يوضح|يحدد|يقول|توجد معلومات)|النص.{0,12}(?:لا|لم)\b"
    r"|غير مذكور|لا توجد معلومات",
    # Chinese, Japanese, Korean
    r"(?:^\W*|(?:文中|文本|原文|本文|文章|书中|書中|文档|故事|作者|这里|其中).{0,8})(?:没有|沒有|未|并未"
    r"|並未)(?:明确|具体|直接)?"
    r"(?:提到|提及|提供|说明|說明|说|提|给出|指出|写|交代|相关信息|相关内容|有关信息|任何信息)"
    r"|(?:无法|无从)(?:从.{0,8})?(?:确定|得知|判断)|^\W*没有.{0,12}信息",
    r"(?:書かれて|述べられて|言及されて|記載されて|示されて|明記されて|触れられて|説明されて)い(?:ません|ない)"
    r"|記載(?:が|は)?(?:ありません|ない|なし)"
    r"|(?:情報|記述|言及)は?.{0,12}(?:ありません|ない)|(?:本文|テキスト|文章)(?:から"
    r"|では)は?.{0,12}(?:わかりません|分かりません|不明|判断できません)",
    r"(?:언급|설명|기술|명시|기록)되(?:어 있)?지 않|나와 있지 않|(?:정보|내용|언급)(?:가|이|은|는)? ?없"
    r"|(?:본문.{0,20}|^\W*)알 수 없(?:습니다|다|음)",
    r"उल्लेख नहीं",
)
_DENIAL = lazy_pattern("|".join((*(rf"(?:\b|^)(?:{one})" for one in _ENGLISH), *_OTHERS)), re.I)
_ALTHOUGH = lazy_pattern(
    r"^\W*(?:(?:yes|no|ja|nein|oui|sí|да|нет)\b\s*[,.;:]|although|though|while|even though|whereas|obwohl"
    r"|auch wenn|bien que|aunque|sebbene|embora|хотя|虽然|尽管)",
    re.I,
)
_CONTRAST = lazy_pattern(
    r"(?:[,;.:。，；]|^)\s*(?:but|however|yet|still|nevertheless|though|although|instead|aber|jedoch|doch|mais"
    r"|cependant"
    r"|pero|sin embargo|ma|tuttavia|mas|porém|но|однако|ale|maar|men|ama|fakat|لكن)\b|但|不过|然而|(?:が|けれど"
    r"|しかし)、|지만"
    r"|,\s*(?:so|and|which|therefore)\b|\b(?:because|weil|porque|parce que|потому что)\b|因为|\b(?:it"
    r"|which) (?:implies|suggests|follows)\b"
    r"|[,;]\s*(?:it|she|he|they) (?:calls?|was|were|is)\b",
    re.I,
)
_REPORTED = lazy_pattern(
    r"\b(?:said|says|told|tells|claim(?:s|ed)|wrote|writes|thought|thinks|believe[sd]|knew|knows|states|reports|repl(?:ies|ied)"
    r"|answer(?:s|ed)|explain(?:s|ed))(?: \w+)? that\b",
    re.I,
)
_DIRECTLY = lazy_pattern(
    r"\b(?:explicitly|directly|outright|expressly|exactly|in so many words|ausdrücklich|direkt|wörtlich|explicitement"
    r"|explícitamente|directamente|esplicitamente|explicitamente|прямо|явно)\b[^.;,:]*[;,:]\s*\w",
    re.I,
)  # what is not said in so many words, and is then said
_ELSEWHERE = lazy_pattern(  # a thing in the story in which something is not written
    r"^(?!.{0,10}(?:本文|テキスト|文章|文中|文書|作中|作品|物語|資料|ページ|본문|텍스트|글|지문|자료|이야기))"
    r"[^、。,.]{1,12}?(?:には|では|에는|에서는|에)[\s、]?"
)
_ONLY = lazy_pattern(
    r"\b(?:only|merely|just|nur|lediglich|seulement|solo|só|только|tylko|alleen)\b|只|仅|だけ"
    r"|만 ",
    re.I,
)
_ABOUT_TEXT = lazy_pattern(
    rf"^\W*(?:the|this) (?:\w+ )?{_TEXT} (?:only )?(?:mentions?|says?|describes?|tells?"
    rf"|names?)",
    re.I,
)
_FILLER = lazy_pattern(
    r"^\W*(?:i(?:'m| am) sorry|sorry|unfortunately|i (?:have )?(?:looked|searched|checked|read|went)|leider"
    r"|let me)",
    re.I,
)
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_OPENING = lazy_pattern(
    r"\W*(?:answer\W+)?(?:not\b|no (?:info|mention|detail|indic|refer)|nothing|unknown|unfort|sorry|i(?:'m| am"
    r"| could| can| do| did)"
    r"|it(?: is|'s)|th(?:is|at) is|there(?: is|'s)|(?:based|according|from)\b|in the|(?:the|this|these) \w*"
    r"|d(?:as|er|ie|arüber)\b|im\b|nicht|es (?:gibt|wird|steht)|le |ce |il |el |no |o |não |non |в |не |нет "
    r"|текст|文|本|原|没|未|"
    r"記|その|본문|텍스트|テキ|알 |पाठ|we |nowhere|at no|insuff|the reader|keine |dazu|w tekście"
    r"|de |dat |tekst|nie |metin|ل|ن|det )",
    re.I,
)
_NO_STATEMENT = (  # after "is" and the like: a denial may follow
    r"(?:not|no|never|nothing|nowhere|neither|none|un\w*|in\w*|im\w*|left|kept|silent|too|also|still|just|only|enough"
    r"|\w+ly|nicht\w*|nie|nirgend\w*|kein\w*|hier|leider|auch|nur)\b"
)
_STATES = lazy_pattern(
    rf"\W*(?:answer\W+)?(?:(?:the|this|these|it|that|there|der|die|das|es)\b(?! (?:\w+ )?{_TEXT}\b)"
    r"(?: (?!(?:who|that|which|where|when|whether|how|why)\b)[\w'-]+){0,8}?"
    rf" (?:is|are|was|were|has|had|ist|sind|war|waren|hat|hatte|wurde) (?!{_NO_STATEMENT})[\w'-]+\W"
    rf"|the (?!{_TEXT}\b)[\w'-]+ (?!(?:{_SAID})\b)\w+ed (?!(?:is|are|was|were)\b)\w+\W"
    rf"|the (?!{_TEXT}\b)[\w'-]+ (?!(?:{_SAID}|of|for|in|on|at|by|from|with|to|about|between|behind|and|or|under|over"
    r"|after|before|during)\b)\w+ (?:the|an?|his|her|its|their|him|them|into|to)\b"
    rf"|in the (?!(?:\w+ )?{_TEXT}\b)\w+\W)",
    re.I,
)  # a beginning that states something
_LONGEST = 1000  # characters of an answer in which a denial is looked for
HELD = 240  # characters after which an answer that is not yet a denial is none


def denies(text: str) -> bool:
    """Return whether some part of a text says that something is not in the text."""
    return bool(_DENIAL.search(text[:_LONGEST].replace("’", "'")))


def says_absent(answer: str) -> bool:
    """Return whether an answer is that the text does not say. An answer with a denial in it is an answer."""
    said = [
        one for one in _SENTENCE.split(answer.strip()[:_LONGEST].replace("’", "'")) if one and re.search(r"\w", one)
    ]
    while len(said) > 1 and _FILLER.match(said[0]) and not _DENIAL.search(said[0]):
        said.pop(0)
    if not said:
        return False
    first, rest = said[0], said[1:]
    if not _is_denial(first):
        return False
    return not rest or not _CONTRAST.match(rest[0]) or bool(_ONLY.search(rest[0]))


def _is_denial(sentence: str) -> bool:
    """Return whether a sentence denies and states nothing besides."""
    found = _DENIAL.search(sentence)
    if (
        found is None
        or _ALTHOUGH.match(sentence)
        or _DIRECTLY.search(sentence)
        or _ELSEWHERE.match(sentence)
        or _REPORTED.search(sentence, 0, found.end())
    ):
        return False
    after = _CONTRAST.search(sentence, found.end())
    if after and not _ONLY.search(sentence, after.start()) and not _DENIAL.search(sentence, after.end()):
        return False
    if ";" in sentence[: found.start()] and not _DENIAL.search(sentence.partition(";")[0]):
        return False
    before = _CONTRAST.search(sentence, 0, found.start())
    return before is None or bool(_ABOUT_TEXT.match(sentence) or _FILLER.match(sentence))


def may_say_absent(beginning: str) -> bool:
    """Return whether the beginning of an answer says, or may be about to say, that the text does not hold it."""
    if len(beginning) > HELD:
        return says_absent(beginning)
    sentences = _SENTENCE.split(beginning.lstrip())
    return says_absent(sentences[0]) if len(sentences) > 1 else _opens_denial(beginning)


def _opens_denial(beginning: str) -> bool:
    """Return whether a first sentence that is not complete may become a denial."""
    return bool(_OPENING.match(beginning)) and not _STATES.match(beginning.replace("’", "'"))
