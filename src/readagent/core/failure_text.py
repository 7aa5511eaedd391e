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
_BY_THE_MODEL = re.compile(r".{0,100}?\b(?:i|we|you|request|content|prompt)\b", re.S | re.I)
_DECLINED = re.compile(
    r".{0,160}?"
    r"\b(?:can(?:'|’)?t|cannot|unable|not able|decline|help|assist|comply|fulfil?l?|provide|process|complete|shorten"
    r"|summari[sz]e|reproduce|continue|ai|language model)\b",
    re.S | re.I,
)
_IN_OTHER_LANGUAGES = (  # an apology, "I cannot", and what then cannot be done, or "as a language model"
    (
        r"(?:es )?tut (?:mir|uns) (?:sehr )?leid|leider|entschuldigung|ich bedaure",
        r"(?:ich|wir) (?:kann|können|darf)\b.{0,60}?\bnicht|(?:kann|können|darf) (?:ich|wir)\b.{0,60}?\bnicht",
        r"helfen|beantworten|bearbeiten|erfüllen|zusammenfassen|kürzen|nachkommen",
        r"als (?:ki\b|(?:großes )?sprachmodell)",
    ),
    (r"(?:het )?spijt me|helaas|sorry", r"(?:ik kan|kan ik)\b.{0,40}?\bniet", r"helpen|verwerken|samenvatten", ""),
    (r"jag är ledsen|tyvärr|förlåt", r"(?:jag kan|kan jag) (?:tyvärr )?inte", r"hjälpa|bearbeta|sammanfatta", ""),
    (
        r"(?:je suis )?(?:désolée?|navrée?)|malheureusement|je regrette",
        r"(?:je|nous) ne (?:peux|puis|pouvons)(?: pas)?",
        r"aider|répondre|traiter|résumer|continuer|fournir",
        r"en tant qu(?:e modèle|['’]ia\b)",
    ),
    (
        r"lo siento|lamento|lamentablemente|disculp\w+|perdón",
        r"no (?:puedo|podemos|es posible)",
        r"ayudar|asistir|procesar|cumplir|resumir|continuar|proporcionar|atender|responder|completar",
        r"como (?:modelo de lenguaje|una (?:ia|inteligencia))\b",
    ),
    (
        r"mi dispiace|purtroppo|spiacente",
        r"non (?:posso|possiamo|sono in grado)",
        r"aiutar|elaborar|riassumer|fornire",
        "",
    ),
    (
        r"desculp\w+|lamento|sinto muito|infelizmente",
        r"não (?:posso|podemos|consigo)",
        r"ajudar|processar|resumir|fornecer",
        "",
    ),
    (r"przykro mi|przepraszam|niestety", r"nie (?:mogę|możemy|jestem w stanie)", r"pomóc|przetworzyć|streścić", ""),
    (
        r"извините|простите|прошу прощения|к сожалению|сожалею|мне жаль",
        r"не (?:могу|можем|в состоянии)",
        r"помочь|выполнить|обработать|ответить|сократить|продолжить",
        r"как (?:языковая модель|ии\b)",
    ),
    (r"вибачте|на жаль|перепрошую", r"не (?:можу|можемо)", r"допомогти|виконати", ""),
    (r"üzgünüm|maalesef|özür dilerim", r"\w+(?:mıyorum|miyorum|muyorum|müyorum|amam|emem)\b", r"yardımcı", ""),
    (
        r"(?:很|非常)?(?:抱歉|对不起|對不起|遗憾|遺憾|不好意思)",
        r"我?(?:无法|無法|不能|不便)",
        r"协助|協助|帮助|幫助|处理|處理|提供|回答|完成|继续|满足|總結|总结",
        r"作为(?:一个|一名|一款)?.{0,4}(?:语言模型|人工智能|AI)",
    ),
    (r"(?:大変)?(?:申し訳|すみません|恐れ入り|残念ながら|ごめんなさい)", r"ません|かねます|できない", "お手伝い", ""),
    (r"(?:정말 )?(?:죄송|미안|유감)", r"없습니다|없어요|못합니다|어렵습니다|않습니다", "도와", ""),
    (
        r"(?:أنا )?(?:آسف|عذرا|عذرًا|أعتذر|معذرة|للأسف|نأسف)",
        r"لا (?:أستطيع|يمكن\w*)|لن|غير قادر",
        r"مساعد|المساعدة|تلخيص",
        "",
    ),
    (r"(?:אני )?(?:מצטער|מצטערת)|סליחה|לצערי", r"לא|איני", r"לעזור|לסייע", ""),
    (r"(?:मुझे )?(?:क्षमा|माफ़|माफ|खेद)", r"नहीं|असमर्थ", "मदद", ""),
)


def _refusal(sorry: str, cannot: str, done: str, model: str) -> re.Pattern[str]:
    ways = [rf"(?:{sorry}).{{0,80}}?(?:{cannot})", rf".{{0,12}}(?:{cannot}).{{0,40}}?(?:{done})"]
    return re.compile(rf"\W*(?:{'|'.join([*ways, model] if model else ways)})", re.S | re.I)


_REFUSALS = tuple(_refusal(*row) for row in _IN_OTHER_LANGUAGES)
_ERRORS = (
    r"<(?:!doctype|html|head|body)\b",
    r"[\[{].{0,120}?\"(?:error|errors|detail|fault|status_?code)\"\s*:",
    r"\W*(?:[\w.]{0,40}(?:error|exception|fehler|erreur|ошибка)|错误|エラー)\s*(?:code\s*)?[:：#(\d]",
    r"\W*traceback \(most recent call",
    r"\W*(?:http\W{0,3}[\d.]*\s*)?[45]\d\d\W{1,3}(?:bad|internal|service|too many|forbidden|gateway|not found)",
    r"\W*(?:internal server error|bad gateway|gateway time-?out|quota exceeded|forbidden\W*$)",
    r"\W*too many requests\b(?! for)",
    r"\W*(?:the )?(?:model|server|service) (?:is )?(?:currently |temporarily )?(?:overloaded|unavailable|loading)",
    r"\W*(?:upstream )?(?:rate limit|request timed out|connection (?:refused|reset|timed out))\b",
)
_TEXT = r"(?:text|passage|content|document|page|article|input|excerpt)"
_INPUT = r"(?:text|passage|content|input|excerpt)"
_REQUESTS = (
    rf"(?:please|kindly|could you|can you)\b.{{0,30}}\b(?:provide|share|paste|send|include|upload)\b.{{0,40}}{_TEXT}",
    rf"(?:the |your )?{_INPUT}\b.{{0,40}}\b(?:is|appears|seems)(?: to be)? (?:empty|missing|blank|not provided)",
    rf"(?:there (?:is|was) )?no {_INPUT} (?:was |has been |is |were )?(?:provided|supplied|included|attached)",
    rf"(?:i (?:do not|don(?:'|’)t) see|you (?:haven(?:'|’)t|have not|didn(?:'|’)t|did not))\b.{{0,60}}\b{_TEXT}",
    rf"it (?:looks like|seems|appears)\b.{{0,20}}\b(?:you|no|there)\b.{{0,40}}\b{_TEXT}",
    r"bitte (?:geben|stellen|senden|fügen|schicken) sie .{0,40}\btext",
    r"veuillez (?:fournir|coller|envoyer) .{0,30}texte",
    r"por favor.{0,20}(?:proporcion|envíe|pegue|forneça|envie).{0,30}text",
    r"пожалуйста.{0,20}(?:предоставьте|пришлите|вставьте).{0,30}текст",
    r"请(?:您)?(?:提供|发送|粘贴|输入).{0,20}(?:文本|内容|段落|文章)",
    r".{0,20}(?:テキスト|文章|本文)を.{0,10}(?:提供|入力|送信)",
    r"يرجى (?:تقديم|إرسال|تزويد).{0,20}نص",
)
_ERROR = re.compile(rf"\s*(?:{'|'.join(_ERRORS)})", re.S | re.I)
_REQUEST = re.compile(
    rf"\W*(?:(?:sure|of course|certainly|okay|hello|hi)\b[^.!\n]{{0,60}}[.!,]\s*)?(?:{'|'.join(_REQUESTS)})",
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
    if _REQUEST.match(beginning):
        return "it asked for the text"
    return "it had no content" if _PLACEHOLDER.fullmatch(text) else ""


def is_refusal(text: str) -> bool:
    """Return whether a reply declines to answer, in any of several languages."""
    beginning = text[:_SHOWS]
    if declining := _DECLINING.match(beginning):
        rest = beginning[declining.end() :]
        sure = declining[0].strip().lower().startswith(("i", "as "))  # "unfortunately" may begin any sentence
        return bool(_DECLINED.match(rest)) and (sure or bool(_BY_THE_MODEL.match(rest)))
    return any(refusal.match(beginning) for refusal in _REFUSALS)


def may_be_failure(text: str) -> bool:
    """Return whether the beginning of a reply, while it arrives, may turn out to be the message of a failure."""
    return len(text) < _SHOWS and bool(_DECLINING.match(text) or failure_in(text))
