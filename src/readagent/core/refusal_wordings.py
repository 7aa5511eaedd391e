"""The wordings of refusals that are the whole of a reply, or that talk of policies, in several languages."""

from __future__ import annotations

from typing import NamedTuple


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
