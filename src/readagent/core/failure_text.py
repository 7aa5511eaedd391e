"""Recognise replies that are no replies: refusals, error messages of servers, and requests for the text."""

from __future__ import annotations

import re

_SHOWS = 400  # characters; a failure can be recognised within these

_DECLINING = re.compile(
    r"\W*(?:(?:i(?:'|’)?m|i am) (?:so |very |really )?(?:sorry|afraid|unable|not able)|sorry|unfortunately|apologies"
    r"|i apologi[sz]e|i (?:can(?:'|’)?t|cannot|can not|won(?:'|’)?t|will not|must decline)"
    r"|as an? (?:ai|(?:large )?language model|assistant))\b",
    re.I,
)
_DECLINED = re.compile(
    r".{0,160}?\b(?:(?:i|we|you|me|ai|language model|request|content|prompt)\b.{0,60}?)"
    r"\b(?:can(?:'|’)?t|cannot|unable|not able|decline|help|assist|comply|fulfil?l?|provide|process|complete|shorten"
    r"|summari[sz]e|reproduce|continue|ai|language model)\b",
    re.S | re.I,
)
_REFUSALS = tuple(
    re.compile(rf"\W*(?:{pattern})", re.S | re.I)
    for pattern in (
        # German, Dutch, Swedish
        r"(?:es )?tut (?:mir|uns) (?:sehr )?leid.{0,40}\b(?:ich|wir|dies\w*)\b.{0,80}\bnicht\b"
        r"|(?:leider|entschuldigung)\b.{0,20}\b(?:kann|darf|können) (?:ich|wir)\b.{0,80}\bnicht\b"
        r"|(?:ich|wir) (?:kann|können) .{0,60}\bnicht (?:helfen|beantworten|bearbeiten|erfüllen|zusammenfassen|nachkommen)"
        r"|als (?:ki\b|(?:großes )?sprachmodell|künstliche intelligenz)",
        r"(?:het )?spijt me\b.{0,60}\bniet\b|ik kan .{0,40}\bniet (?:helpen|verwerken)",
        r"(?:jag är ledsen|tyvärr|förlåt)\b.{0,40}\bkan (?:jag )?(?:tyvärr )?inte\b|jag kan inte (?:hjälpa|bearbeta)",
        # French, Spanish, Italian, Portuguese
        r"(?:je suis )?(?:désolée?|navrée?)\b.{0,60}\b(?:je|nous) ne (?:peux|puis|pouvons)"
        r"|(?:malheureusement|je regrette)\b.{0,40}\bje ne (?:peux|puis)"
        r"|je ne (?:peux|puis) pas (?:aider|vous aider|répondre|traiter|résumer|accéder|continuer|fournir)"
        r"|en tant qu(?:e modèle|['’]ia|['’]assistant)",
        r"(?:lo siento|lamento|lamentablemente|disculpa|perdón)\b.{0,40}\bno (?:puedo|podemos|es posible)"
        r"|no puedo (?:ayudar|asistir|procesar|cumplir|resumir|continuar|proporcionar|atender|responder|completar)"
        r"|como (?:modelo de lenguaje|una? (?:ia|inteligencia))",
        r"(?:mi dispiace|purtroppo|spiacente)\b.{0,40}\bnon (?:posso|possiamo|sono in grado)"
        r"|non posso (?:aiutar|elaborare|riassumere|fornire|soddisfare)|come (?:modello linguistico|ia\b)",
        r"(?:desculpe|lamento|sinto muito|infelizmente)\b.{0,40}\bnão (?:posso|podemos|consigo)"
        r"|não posso (?:ajudar|processar|resumir|fornecer|atender)|como (?:um )?modelo de linguagem",
        # Polish, Russian, Ukrainian, Turkish
        r"(?:przykro mi|przepraszam|niestety)\b.{0,40}\bnie (?:mogę|możemy|jestem w stanie)",
        r"(?:извините|простите|прошу прощения|к сожалению|сожалею|мне жаль)\b.{0,60}\bне (?:могу|можем|в состоянии)"
        r"|я не могу (?:помочь|выполнить|обработать|ответить|сократить|продолжить)|как (?:языковая модель|ии\b)",
        r"(?:вибачте|на жаль|перепрошую)\b.{0,60}\bне (?:можу|можемо)",
        r"(?:üzgünüm|maalesef|özür dilerim)\b.{0,80}\w*(?:mıyorum|miyorum|muyorum|müyorum|amam|emem)\b",
        # Chinese, Japanese, Korean
        r"(?:很|非常)?(?:抱歉|对不起|對不起|遗憾|遺憾|不好意思).{0,20}(?:无法|無法|不能|不便)"
        r"|我(?:无法|無法|不能)(?:协助|協助|帮助|幫助|处理|處理|提供|回答|完成|继续|满足|總結|总结)"
        r"|作为(?:一个|一名|一款)?.{0,4}(?:语言模型|人工智能|AI)",
        r"(?:大変)?(?:申し訳|すみません|恐れ入り|恐縮|残念ながら|ごめんなさい).{0,80}(?:できません|ません|かねます|できない)",
        r"(?:정말 )?(?:죄송|미안|유감).{0,60}(?:없습니다|없어요|못합니다|어렵습니다|않습니다)",
        # Arabic, Hebrew, Hindi
        r"(?:أنا )?(?:آسف|عذرا|عذرًا|أعتذر|معذرة|للأسف|نأسف).{0,60}(?:لا |لن |غير قادر)|لا (?:أستطيع|يمكنني) (?:مساعد|المساعدة|تلخيص)",
        r"(?:אני )?(?:מצטער|מצטערת|סליחה|לצערי).{0,60}(?:לא|איני)",
        r"(?:मुझे )?(?:क्षमा|माफ़|माफ|खेद).{0,60}(?:नहीं|असमर्थ)",
    )
)
_ERROR = re.compile(
    r"\s*(?:<(?:!doctype|html|head|body)\b"
    r"|[\[{].{0,120}?\"(?:error|errors|detail|fault|status_?code)\"\s*:"
    r"|\W*(?:[\w.]{0,40}(?:error|exception|fehler|erreur|ошибка)|错误|エラー)\s*(?:code\s*)?[:：#(\d]"
    r"|\W*traceback \(most recent call"
    r"|\W*(?:http\W{0,3}[\d.]*\s*)?[45]\d\d\W{1,3}(?:bad|internal|service|too many|forbidden|gateway|unauthori|not found"
    r"|payment|request)"
    r"|\W*(?:internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|forbidden\W*$"
    r"|too many requests|(?:upstream )?(?:rate limit|request timed out|connection (?:refused|reset|timed out))"
    r"|(?:the )?(?:model|server) is (?:currently )?(?:overloaded|unavailable|loading)|quota exceeded)\b)",
    re.S | re.I,
)
_TEXT = r"(?:text|passage|content|document|page|article|input|excerpt)"
_ASKING = re.compile(
    rf"\W*(?:(?:sure|of course|certainly|okay|hello|hi)\b[^.!\n]{{0,60}}[.!,]\s*)?(?:"
    rf"(?:please|kindly|could you|can you|would you)\b.{{0,30}}\b(?:provide|share|paste|send|include|upload|give me)\b"
    rf".{{0,40}}\b{_TEXT}"
    rf"|(?:the |your )?{_TEXT}\b.{{0,40}}\b(?:is|was|appears to be|seems to be|appears|seems) "
    rf"(?:empty|missing|blank|not (?:provided|included|attached))"
    rf"|(?:there (?:is|was) )?no {_TEXT} (?:was |has been |is |were )?(?:provided|given|supplied|included|attached|found)"
    rf"|(?:i (?:do not|don(?:'|’)t) see|it (?:looks like|seems|appears)|you (?:have not|haven(?:'|’)t|did not|didn(?:'|’)t))"
    rf"\b.{{0,60}}\b(?:any|no|the|a|your) {_TEXT}"
    rf"|bitte (?:geben|stellen|senden|fügen|schicken) sie .{{0,40}}\btext|veuillez (?:fournir|coller|envoyer) .{{0,30}}texte"
    rf"|por favor.{{0,20}}(?:proporcion|envíe|pegue|forneça|envie).{{0,30}}text|пожалуйста.{{0,20}}(?:предоставьте|пришлите|"
    rf"вставьте).{{0,30}}текст|请(?:您)?(?:提供|发送|粘贴|输入).{{0,20}}(?:文本|内容|段落|文章)"
    rf"|.{{0,20}}(?:テキスト|文章|本文)を.{{0,10}}(?:提供|入力|送信)|يرجى (?:تقديم|إرسال|تزويد).{{0,20}}نص)",
    re.S | re.I,
)
_PLACEHOLDER = re.compile(r"\W*(?:null|undefined|nan|\[object object\]|lorem ipsum dolor.*)?\W*", re.S | re.I)


def failure_in(text: str) -> str:
    """Return why a text is no reply but the message of a failure; "" if it may be a reply."""
    beginning = text[:_SHOWS]
    if is_refusal(beginning):
        return "the model refused"
    if _ERROR.match(beginning):
        return "it was an error message"
    if _ASKING.match(beginning):
        return "it asked for the text"
    return "it had no content" if _PLACEHOLDER.fullmatch(text) else ""


def is_refusal(text: str) -> bool:
    """Return whether a reply declines to answer."""
    beginning = text[:_SHOWS]
    if declining := _DECLINING.match(beginning):
        at = 0 if declining[0].strip().lower().startswith(("i", "as ")) else declining.end()
        return bool(_DECLINED.match(beginning, at))
    return any(refusal.match(beginning) for refusal in _REFUSALS)


def may_be_failure(text: str) -> bool:
    """Return whether the beginning of a reply, while it arrives, may turn out to be the message of a failure."""
    return len(text) < _SHOWS and (bool(_DECLINING.match(text)) or bool(failure_in(text)))
