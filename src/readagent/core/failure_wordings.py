"""The wordings of refusals, error messages, requests and offers, as patterns for ``readagent.core.failure_text``."""

from __future__ import annotations

import re
from typing import NamedTuple

from readagent.core.patterns import lazy_pattern

DECLINING = lazy_pattern(
    r"\W*(?:(?:i(?:'|’)?m|i am) (?:so |very |really )?(?:sorry|afraid|unable|not able)|sorry|unfortunately|apologies"
    r"|i apologi[sz]e|(?:i(?:'|’)?m|i am) not going to (?:do|help)|i (?:can(?:'|’)?t|cannot|can not|won(?:'|’)?t"
    r"|will not|must decline)"
    r"|as an? (?:ai|(?:large )?language model|assistant))\b",
    re.I,
)
BY_THE_MODEL = lazy_pattern(r".{0,100}?\b(?:i|we|you|request|content|prompt)\b", re.S | re.I)
DECLINED = lazy_pattern(
    r".{0,160}?"
    r"\b(?:can(?:'|’)?t|cannot|unable|not able|decline|help|assist|comply|fulfil?l?|provide|process|complete|shorten"
    r"|summari[sz]e|reproduce|continue|outside (?:of )?what i|ai|language model)\b",
    re.S | re.I,
)
REFUSALS = (  # an apology, "I cannot", and what then cannot be done, or "as a language model"
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
        r"как (?:языковая модель|ии\b)|не люблю менять тему",
    ),
    (r"вибачте|на жаль|перепрошую", r"не (?:можу|можемо)", r"допомогти|виконати", ""),
    (r"üzgünüm|maalesef|özür dilerim", r"\w+(?:mıyorum|miyorum|muyorum|müyorum|amam|emem)\b", r"yardımcı", ""),
    (
        r"(?:很|非常)?(?:抱歉|对不起|對不起|遗憾|遺憾|不好意思)",
        r"(?<![他她它们])我?(?:无法|無法|不能|不便)",
        r"协助|協助|帮助|幫助|处理|處理|提供|回答|完成|继续|满足|總結|总结",
        r"作为(?:一个|一名|一款)?.{0,4}(?:语言模型|人工智能|AI)|让我们换个话题|.{0,4}我?无法给[到出]相关",
    ),
    (
        r"(?:大変)?(?:申し訳|すみません|恐れ入り|残念ながら|ごめんなさい)",
        r"でき(?:ません|ない)|かねます|(?:応え|答え)(?:られ)?ません",
        "お手伝い",
        "ご質問.{0,12}お答えできません",
    ),
    (r"(?:정말 )?(?:죄송|미안|유감)", r"수 (?:없습니다|없어요|없네요)|못합니다|어렵습니다", "도와", ""),
    (
        r"(?:أنا )?(?:آسف|عذرا|عذرًا|أعتذر|معذرة|للأسف|نأسف)",
        r"لا (?:أستطيع|يمكنني|نستطيع)|لن أ|غير قادر",
        r"مساعد|المساعدة|تلخيص",
        "",
    ),
    (r"(?:אני )?(?:מצטער|מצטערת)|סליחה|לצערי", r"(?:לא|איני|אינני) (?:יכול|אוכל|מסוגל)|לא ניתן", r"לעזור|לסייע", ""),
    (r"(?:मुझे )?(?:क्षमा|माफ़|माफ|खेद)", r"नहीं .{0,8}सकत|असमर्थ", "मदद", ""),
    (r"(?:ต้อง)?ขออภัย|ขอโทษ|เสียใจ", r"ไม่(?:สามารถ|อาจ)|ช่วย.{0,20}ไม่ได้", "ช่วย", ""),
    (r"(?:rất )?(?:xin lỗi|tiếc)", r"tôi không (?:thể|được phép)|không thể", r"giúp|hỗ trợ", ""),
    (r"(?:mohon )?maaf", r"(?:saya )?tidak (?:dapat|bisa)", r"membantu", ""),
    (r"λυπάμαι|συγγνώμη|δυστυχώς", r"δεν μπορώ", r"βοηθήσω|απαντήσω", ""),
    (r"sajn(?:álom|os)|elnézést", r"nem tud(?:ok|om)|nem áll módomban", r"segíteni", ""),
    (r"promiňte|omlouvám se|je mi líto|bohužel|lituji", r"nemohu|nemůžu|nedokážu", r"pomoci|pomoct", ""),
    (r"متأسفم|متاسفم|ببخشید|با عرض پوزش", r"نمی.?توانم", r"کمک", ""),
    (r"দুঃখিত|ক্ষমা", r"পারছি না|পারি না|পারব না|অক্ষম", r"সাহায্য", ""),
    (r"anteeksi|pahoittelen|valitettavasti", r"en (?:voi|pysty)", r"auttaa", ""),
    (
        r"(?:jeg )?beklager|desværre|dessverre",
        r"jeg kan (?:desværre |dessverre )?ikke|kan jeg ikke",
        r"hj(?:æ|e)lpe",
        "",
    ),
    (r"îmi pare rău|din păcate|scuze", r"nu pot", r"ajuta", ""),
)
ERRORS = (
    r"<(?:!doctype|html|head|body)\b",
    r"[\[{].{0,120}?\"(?:error|errors|detail|fault|status_?code)\"\s*:",
    r"\W*(?:[\w.]{0,40}(?:error|exception|fehler|erreur|ошибка)|错误|エラー)\s*(?:code\s*)?[:：#(\d]",
    r"\W*traceback \(most recent call",
    r"\W*(?:http\W{0,3}[\d.]*\s*)?[45]\d\d\W{1,3}(?:bad|internal|service|too many|forbidden|gateway|not found)",
    r"\W*(?:internal server error|bad gateway|gateway time-?out|quota exceeded|forbidden\W*$)",
    r"\W*too many requests\b(?! for)",
    r"\W*(?:the )?(?:model|server|service) (?:is )?(?:currently |temporarily )?(?:overloaded|unavailable|loading)",
    r"\W*(?:upstream )?(?:rate limit|request timed out|connection (?:refused|reset|timed out))\b",
    r"\W*upstream connect error|\W*something went wrong\W+(?:if|please|try)",
    r"\W*(?:an? )?(?:\w+ )?error (?:has )?occurred\b(?:.{0,40}(?:\.|please|try)|\W*$| (?:during|while) \w+ing\b)",
    r"\W*no healthy upstream\b|\W*(?:the )?model(?: was)? not found\W*$|\W*サーバーが.{0,6}混(?:み合|雑)",
    r"\W*insufficient (?:balance|quota|credits?)\b",
    r"\W*(?:your |the )?(?:api key|access token)\b.{0,30}\b(?:valid|invalid|missing|incorrect|expired|wrong"
    r"|required)\b",
    r"\W*(?:invalid|incorrect|missing|expired|no) (?:api key|access token)\b",
    r"\W*you(?:(?:'|’)ve| have)? (?:run out of|used (?:up )?all|reached|exceeded)\b.{0,40}\b(?:messages|credits"
    r"|quota|limit)\b",
    r"\W*your (?:subscription|trial|plan|account|credits?) (?:has|have|is|was)\b.{0,20}\b(?:expired|ended|suspended"
    r"|used up)",
    r"\W*(?:the )?model\W{1,3}[\w./:-]{1,60}\W{1,3}(?:is )?(?:currently )?(?:loading|overloaded|unavailable"
    r"|not found)\b",
    r"\W*(?:this|your) (?:content|request|prompt|message) (?:may|might|could|appears to)? ?violates?\b",
    r"\W*(?:diese|ihre|deine) anfrage verstößt",
    r"\W*(?:ein|es ist ein) fehler ist aufgetreten|\W*es ist ein fehler aufgetreten",
    r"\W*(?:une erreur|il y a eu une erreur).{0,30}(?:produite|survenue)",
    r"\W*(?:se )?(?:ha )?(?:producido|ocurrido|produjo) un error|\W*si è verificato un errore|\W*ocorreu um erro",
    r"\W*произошла ошибка|\W*сталася помилка|\W*wystąpił błąd|\W*bir hata oluştu|\W*er is een fout opgetreden",
    r"\W*(?:发生|出现|出)了?(?:错误|异常)|\W*(?:网络|系统|服务器?)(?:异常|错误|繁忙|超时|出错)",
    r"\W*エラーが発生|\W*오류가 발생",
    r"\W*(?:您的)?(?:免费)?(?:额度|余额|次数).{0,6}(?:已用完|不足|用尽)|\W*当前(?:访问|使用|请求)",
)
LATER = (  # in any place of a short text
    r"(?:please )?(?:try|retry)(?: your request)? again (?:later|in (?:a |\d|some))",
    r"versuchen? sie es (?:später|noch)|versuche? es später|bitte später (?:noch|erneut)",
    r"(?:veuillez |merci de )?réessayer (?:plus tard|ultérieurement)|inténtelo (?:de nuevo )?más tarde"
    r"|riprova più tardi",
    r"tente novamente mais tarde|повторите (?:попытку|запрос)|попробуйте (?:позже|ещё раз позже)"
    r"|spróbuj ponownie później",
    r"请?稍[后候]再?(?:试|重试)|(?:请|后)重试"
    r"|(?:しばらくしてから)?もう一度お試しください|後(?:で|ほど)(?:もう一度|再度)|나중에 다시|다시 시도해",
    r"contact (?:us|support|our support)(?: team)? (?:through|at|via|if)",
)
_TEXT = r"(?:text|passage|content|document|page|article|input|excerpt)"
_INPUT = r"(?:text|passage|content|input|excerpt)"
REQUESTS = (
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
    r"(?:natürlich|gerne|klar|sicher)\W+bitte (?:füge?n?|schicke?n?|sende?n?|gib|geben)\b.{0,20}\btext",
    r"bien sûr\W+(?:pouvez-vous|peux-tu|pourriez-vous).{0,20}\btexte",
    r"(?:好的|当然)\W*请.{0,16}(?:发|给|提供|粘贴)",
    r"(?:sure|of course|certainly|okay)\W+(?:here(?:'|’)?s|here is|i(?:'|’)d be (?:happy|glad)|i(?:'|’)ll"
    r"|i can help)\b",
    r"here(?:'|’)?s (?:a|the) (?:shortened|summari[sz]ed) (?:passage|text|version)|the user (?:wants|asks"
    r"|is asking) me\b",
    r"understood\W+i(?:'|’)?m ready|shorten the passage below|reply with the shortened passage|break ?point\W{0,3}<?\d",
    r"(?:the )?(?:passage, shortened|shortened passage)\W*$",
)
OFFERS = (  # in the last sentence of a text
    r"(?:what|how|which|is there|are there|anything|do|would|could|can|may|shall|should)\b.{0,90}"
    r"\b(?:would you like|do you want|you (?:would|(?:'|’)d) like|you need|do with (?:it|this)|you want me|clarify"
    r"|(?:assist|help) you|help (?:you )?with|paste|share it)\b.{0,80}\?",
    r"what(?: is|(?:'|’)s) your question\b|what would you like to know\b",
    r"(?:would you like|do you want|could you (?:clarify|share|tell me|specify|provide|paste))\b.{0,120}\?",
    r"(?:please )?(?:let me know|feel free to (?:ask|reach|share)|just ask)\b",
    r"i(?:'|’)?m (?:ready|happy|here|glad) (?:when|to (?:help|assist))\b",
    r"(?:wie|womit|was) kann ich (?:dir|ihnen|für)\b|(?:möchten sie|möchtest du|soll ich|willst du),?\b.{0,80}\?",
    r"lass(?:en sie)? mich wissen|sag(?:en sie)? mir (?:bitte )?bescheid",
    r"(?:souhaitez-vous|voulez-vous|veux-tu) que je|n['’]hésitez pas|comment puis-je vous|que puis-je faire pour",
    r"(?:te gustaría|quieres|desea) que|no dud(?:es|e) en|en qué puedo ayudar|come posso aiutar|como posso ajudar",
    r"чем (?:я )?могу (?:вам |тебе )?помочь|хотите,? чтобы я|дайте (?:мне )?знать",
    r"(?:有什么|有何).{0,8}(?:可以|能).{0,4}帮|(?:请|随时)告诉我|您(?:希望|想要?|需要)我|需要我.{0,12}吗",
    r"(?:お手伝い|お役に立て).{0,12}(?:ますか|しょうか)|(?:お知らせ|お申し付け)ください|무엇을 도와",
)
EMPTY = (
    r"\W*(?:this|the) (?:passage|text|author|document|article)(?: \w+)? (?:discusses|describes|covers|is about"
    r"|explores)"
    r" (?:various|several|different|many|a number of|a (?:situation|person) (?:in which|who))\b"
    r"|\W*(?:der|dieser) (?:text|abschnitt) (?:handelt von|beschreibt|behandelt) (?:verschieden|mehrer|einige)"
    r"|\W*(?:le|ce) (?:texte|passage) (?:parle|traite) de (?:divers|plusieurs|différent)"
    r"|\W*(?:el|este) (?:texto|pasaje) (?:habla|trata) (?:de|sobre) (?:vari[oa]s|diversos|diferentes)"
)
CANNOT_SHORTEN = (
    r"\bi (?:can(?:'|’)?t|cannot|can not|won(?:'|’)?t|am (?:unable|not able) to) "
    r"(?:(?:shorten|summari[sz]e|condense|reproduce|rewrite|process) (?:it|this|the|that|your)\b"
    r"|(?:answer|discuss) (?:it|this|that)(?: (?:topic|question|request))?\W*$)"
)
DISCLAIMER = r"\W*i(?:'|’| a)m not (?:a|an|your) (?:\w+ )?(?:lawyer|doctor|expert|professional|attorney|advisor)\b"


class Refusing(NamedTuple):
    """An apology before it; that one cannot or will not; what is not done; and what about."""

    sorry: str
    cannot: str
    done: str
    about: str


REFUSING = (
    Refusing(
        r"(?:i(?:['’]m| am) )?(?:very )?sorry|unfortunately|(?:my )?apologies|i regret",
        r"i (?:must|have to|need to) (?:respectfully |politely )?decline(?: to)?|i respectfully decline(?: to)?"
        r"|i (?:can(?:not|['’]t| not)|won['’]t|will not|may not)"
        r"|i(?:['’]m| am) (?:unable|not (?:able|allowed|permitted|authori[sz]ed)) to"
        r"|i(?:['’]d| would) (?:rather not|prefer not to)",
        r"answer|respond|reply|comment|help|assist|discuss|engage|comply|process|fulfil",
        r"(?:(?:to|with|on|about) )?(?:you|(?:this|that|these|your|such)"
        r"(?: (?:question|request|topic|matter|content|subject|prompt|query)s?)?)",
    ),
    Refusing(
        r"(?:es )?tut (?:mir|uns) (?:sehr )?leid|leider|entschuldigung|ich bedaure",
        r"(?:dazu|darauf|hierzu|dabei|darüber|das|dies|(?:auf |zu )?diese[rn]? \w+)"
        r" (?:kann|darf|möchte|werde) ich(?: \w+){0,3} (?:nicht|nichts|keine)"
        r"|ich (?:kann|darf|möchte|werde)(?: \w+){0,4} (?:nicht|nichts|keine)",
        r"äußern|antworten|beantworten|eingehen|auskunft geben|weiterhelfen|kommentieren|stellung nehmen|verarbeiten",
        "",
    ),
    Refusing(
        r"(?:je suis )?(?:désolée?|navrée?)|malheureusement|je regrette",
        r"je ne (?:peux|puis)(?: malheureusement)? pas|je ne suis(?: malheureusement)? pas"
        r" (?:en mesure de|autorisée? à|capable de)|il m['’]est(?: malheureusement)? impossible de"
        r"|je (?:dois|préfère) (?:refuser de|ne pas)",
        r"répondre|(?:vous |t['’])?aider|traiter|commenter|(?:y )?accéder|me prononcer|m['’]exprimer",
        r"(?:(?:à|sur|avec|dans) )?(?:cela|ça|(?:cette|votre|ta|ce)"
        r" (?:question|demande|requête|contenu|sujet|point|texte))",
    ),
    Refusing(
        r"lo siento(?: mucho)?|lamentablemente|lamento|disculp\w+|perdón",
        r"no (?:puedo|podemos|me es posible|estoy autorizad[oa] (?:a|para)|soy capaz de)|lamento no poder"
        r"|me es imposible|debo negarme a|prefiero no",
        r"responder|contestar|ayudar(?:te|le)?|procesar|comentar|atender|opinar",
        r"(?:(?:a|con|sobre|de|en) )?(?:es[ao]|est[aeo]|ese|tu|su|la)"
        r"(?: (?:pregunta|solicitud|petición|contenido|tema|cuestión|consulta))?",
    ),
    Refusing(
        r"mi dispiace|purtroppo|spiacente|scusa\w*",
        r"non (?:posso|possiamo|sono in grado di|mi è possibile|sono autorizzat[oa] a)|mi è impossibile"
        r"|devo rifiutar(?:e|mi) di|preferisco non",
        r"rispondere|risponderti|aiutar\w+|elaborare|commentare|trattare|soddisfare",
        r"(?:(?:a|con|su|di|in) )?(?:ciò|quest[oa]|tale|la (?:tua|sua))(?: (?:domanda|richiesta|contenuto|argomento))?",
    ),
    Refusing(
        r"desculp\w+|lamento|sinto muito|infelizmente",
        r"não (?:posso|podemos|consigo|me é possível|estou autorizad[oa] a)|lamento não poder|é-me impossível"
        r"|devo recusar(?:-me a)?|prefiro não",
        r"responder|ajudar|processar|comentar|atender|tratar",
        r"(?:(?:a|com|sobre|n?ess[ae]|n?est[ae]|d?ess[ae]|à) ?)*(?:sua |tua )?"
        r"(?:pergunta|pedido|solicitação|conteúdo|tema|assunto|questão|isso)?",
    ),
    Refusing(
        r"извините|простите|к сожалению|сожалею|мне жаль",
        r"я не (?:могу|можем|вправе|буду|стану)|(?:я )?не могу|(?:я )?вынужден\w* отказаться|мне нельзя",
        r"ответить|отвечать|помочь|обсуждать|обработать|выполнить|комментировать",
        r"(?:(?:на|с|по|об) )?(?:эт\w+|ваш\w*|данн\w+)(?: (?:вопрос\w*|запрос\w*|тем\w|просьб\w|содержание))?",
    ),
)
WHOLE = (
    r"i (?:must|have to) (?:respectfully |politely )?decline(?: (?:this|that|your) (?:question|request))?",
    r"(?:(?:很|非常)?(?:抱歉|对不起|對不起)[，,]?(?:但是?)?)?我(?:无法|無法|不能|不便|拒绝)(?:为您|对此|就此)?"
    r"(?:回答|回复|处理|讨论|评论|协助)(?:(?:这|该|此|您的?|你的?)[^，。！]{0,4}(?:问题|请求|内容|话题|要求))?",
    r"(?:(?:大変)?(?:申し訳|恐れ入り)[^、。]{0,12}、)?(?:(?:その|この|ご|こちらの)*(?:質問|件|内容|要望|依頼|リクエスト)"
    r"に(?:は|ついては|関しては)?、?)?(?:ご?回答|お答え|お応え|お手伝い|ご?対応|コメント)(?:する(?:こと)?[はが])?"
    r"(?:いた)?(?:し?かねます|できません|できかねます)",
)
POLICY = (  # in short replies about anything that the text does not have in these words
    r"\b(?:violat\w+|against|block\w+|filtered|rejected|refused|breach\w*|due to|under)\b[^.]{0,30}"
    r"\b(?:our|my|usage|content|community) (?:\w+ )?(?:polic(?:y|ies)|guidelines)\b|\bcontent filter(?:ed)?\b"
    r"|\bmy guidelines\b|\bour safety (?:system|filter|policy)\b|\bwhat i am allowed to\b",
    r"\bas an? (?:ai|(?:large )?language model|ai (?:language model|assistant)), i (?:do|may|can|must|am|will)\b",
    r"(?:^|[.:;,] ?)i must decline\b|\bi (?:would rather not (?:write|comment)|prefer to say nothing) (?:about|on)\b",
    r"\bi won['’]t be (?:shortening|summari[sz]ing)\b|\bno summary (?:is|can be) (?:given|provided|possible)\b",
    r"\bcopyright reasons\b|\burheberrechtlichen gründen\b|\braisons de droits? d['’]auteur\b"
    r"|\b(?:motivos|razones) de derechos de autor\b|\bmotivi di diritto d['’]autore\b|\bсоображениям авторского прав"
    r"|版权原因|著作権上の理由",
    r"\b(?:unsere|meine)\w* (?:\w+ )?\w*richtlinien\b|\bnutzungsrichtlinien\b|\binhaltsfilter\b",
    r"\b(?:ich bin|als) ein(?:e)? ki\b|\bmöchte ich (?:mich )?lieber (?:nichts?|nicht) (?:schreiben|äußern)\b"
    r"|\bgebe ich keine zusammenfassung\b",
    r"\b(?:notre|nos|mes) (?:règles|politiques?|directives)\b|\bfiltre de contenu\b"
    r"|\bje préfère ne rien (?:écrire|dire)\b|\bje dois refuser de (?:résumer|répondre)\b",
    r"\b(?:nuestr[oa]s?|mis) (?:políticas?|normas|directrices)\b|\bfiltro de contenido\b"
    r"|\bprefiero no escribir sobre\b",
    r"\b(?:nostr[ae]|mie) (?:norme|politic(?:a|he)|linee guida)\b|\bfiltro dei contenuti\b|\bpreferisco non scrivere\b",
    r"\b(?:nossas?|minhas) (?:políticas?|normas|diretrizes)\b|\bfiltro de conteúdo\b|\bprefiro não escrever\b",
    r"\bнарушает (?:наши |мои )?правила\b.{0,20}\bзаблокирован|\bфильтр\w* (?:содержан|контент)"
    r"|\bкак языковая модель\b|\b(?:мои|наши) правила не позволя",
    r"(?:我|我们)的(?:准则|政策|规定)|违反了?(?:我们的|使用|内容)(?:政策|规定|准则)|内容(?:过滤|审核)|作为(?:一个)?(?:人工智能|AI|语言模型)",
    r"(?:ポリシー|ガイドライン|規約)に(?:違反|反|より|よって)|コンテンツ(?:フィルター|ポリシー)|私はAI|コメントを差し控え|何も(?:書か|述べ)ないこと(?:にし|にいた|といた)",
)
