"""Recognise short replies that talk about the task in place of doing it, whatever else they mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from readagent.core.failure_text import REFUSED, own_words
from readagent.core.failure_wordings import POLICY
from readagent.core.languages import language, possible_languages
from readagent.core.patterns import lazy_pattern


class Wordings(NamedTuple):
    """That one cannot do something; to shorten; to do other things for a user; words for a text; to ask for it."""

    cannot: str
    shorten: str
    serve: str
    text: str
    ask: str


COPYRIGHT = (
    r"copyright|urheberrecht|droits? d['’]auteur|derechos de autor|diritt\w+ d['’]autore|direitos autorais"
    r"|авторск\w+ прав|版权|版權|著作権|저작권|حقوق (?:النشر|الطبع|المؤلف)|telif|praw\w* autorsk"
    r"|auteursrecht|upphovsrätt|szerzői jog"
)
SPACED = {
    "en": Wordings(
        r"i (?:can(?:not|['’]t| not)|won['’]t|will not|(?:must|have to) decline|refuse to)"
        r"|unable to|not able to|can(?:not|['’]t| not) be"
        r"|could not be|not possible|impossible|i(?:['’]m| am) not comfortable|(?:do|does) not (?:let|allow|permit) me",
        r"shorten|summari[sz]|abridg|condens|paraphras|summary",
        r"continu|provid|process|reproduc|help|assist|fulfil|comply|retell|rewrite|access|discuss",
        r"passage|text|stor(?:y|ies)|content|excerpt|document|file|chapter|request|material|page|topic",
        r"(?:please|kindly|could you|can you)\b.*(?:provide|send|share|paste|include|upload|supply|attach)"
        r"|(?:was|were|is|are) not (?:provided|included|attached|supplied)|i(?:['’]d| would)? need (?:to see)?"
        r"|(?:was|were|is|seems|appears) (?:to be )?(?:cut off|missing|empty|truncated|incomplete)",
    ),
    "de": Wordings(
        r"(?:ich|wir) (?:kann|können|darf|möchte|werde)\b.*\bnicht|(?:kann|können|darf) (?:ich|wir)\b.*\bnicht"
        r"|nicht möglich|nicht in der lage|nicht imstande|außerstande|unmöglich"
        r"|(?:ich muss|muss ich)\b.*\b(?:ablehnen|verweigern)",
        r"kürz|gekürzt|zusammenf|zusammenzuf|zusammengef",
        r"fortsetz|fortfahr|bearbeit|verarbeit|helfen|bereitstell|wiedergeb|erstell",
        r"text|passage|abschnitt|geschichte|erzählung|inhalt|auszug|anfrage|seite|frage",
        r"(?:bitte|könnten sie|kannst du)\b.*(?:send|schick|stell|gib|geben|füge|übermittel|lade|teile)"
        r"|nicht (?:übermittelt|mitgeliefert|angegeben|beigefügt)|abgeschnitten|(?:benötige|brauche) (?:ich )?",
    ),
    "nl": Wordings(
        r"(?:ik|wij) (?:kan|kunnen|mag)\b.*\bniet|kan ik\b.*\bniet|niet mogelijk|niet in staat|onmogelijk",
        r"samen(?: te )?vat|in(?: te )?kort|verkort",
        r"helpen|verwerken|doorgaan|verstrekken",
        r"tekst|passage|verhaal|inhoud|fragment|verzoek|pagina|vraag",
        r"(?:stuur|geef|plak|wilt u|kunt u|kun je)\b.*(?:tekst|passage|fragment)"
        r"|niet (?:meegestuurd|opgegeven|verstrekt|bijgevoegd)",
    ),
    "sv": Wordings(
        r"jag kan\b.*\binte|kan jag\b.*\binte|inte möjligt|omöjligt",
        r"sammanfatt|förkort|korta (?:ner|ned)",
        r"hjälpa|fortsätta|bearbeta",
        r"text|stycke|berättelse|innehåll|avsnitt|begäran|fråga",
        r"(?:vänligen|var vänlig|kan du|skicka|klistra)\b.*(?:text|stycke|avsnitt)|inte bifogat|inte skickats",
    ),
    "da": Wordings(
        r"jeg kan\b.*\bikke|kan jeg\b.*\bikke|ikke mulig|umulig",
        r"sammenfat|opsummer|oppsummer|forkort",
        r"hj[æe]lpe|fortsætte|fortsette|behandle",
        r"tekst|afsnit|avsnitt|histori|indhold|innhold|anmodning|forespørsel|spørgsmål|spørsmål",
        r"(?:venligst|vennligst|send|indsæt|kan du)\b.*(?:tekst|afsnit|avsnitt)|ikke vedlagt",
    ),
    "fr": Wordings(
        r"(?:je|nous) ne (?:peux|puis|pouvons|suis pas)|ne m['’]est|pas possible|impossible|pas en mesure"
        r"|je (?:dois (?:décliner|refuser)|refuse de)|ne me permett",
        r"résum|raccourc|abrég|condens|synthétis",
        r"aider|poursuiv|continuer|traiter|fournir|reprodui",
        r"texte|passage|histoire|récit|contenu|extrait|demande|question",
        r"(?:veuillez|merci de|pouvez-vous|pourriez-vous|peux-tu)\b.*(?:fourn|envo|coll|partag|transm|communiqu)"
        r"|n['’]a pas été (?:fourni|transmis|inclus)|(?:j['’]ai|j['’]aurais) besoin",
    ),
    "es": Wordings(
        r"no (?:la |lo |me |se )?(?:puedo|podemos|puede|es posible)|imposible|debo (?:negarme|declinar)|no me permit"
        r"|no estoy autorizad",
        r"resum|acort|abrevi|condens|sintetiz",
        r"ayud|continu|proces|proporcion|reproduc",
        r"texto|pasaje|historia|relato|cuento|contenido|fragmento|solicitud|pregunta",
        r"(?:por favor|podrías?)\b.*(?:proporcion|env[ií]|peg|compart|adjunt|facilit)|necesito ver"
        r"|no (?:se )?(?:ha|fue)\b.{0,12}(?:proporcion|inclu|envi)",
    ),
    "it": Wordings(
        r"non (?:posso|possiamo|sono in grado|mi è possibile|è possibile|riesco)|impossibile|devo (?:rifiut|declin)"
        r"|non mi (?:permett|consent)|non sono autorizzat",
        r"riassu|accorci|abbrevi|condens|sintetizz",
        r"aiutar|continuar|elaborar|fornir|riprodur",
        r"testo|brano|storia|racconto|contenuto|estratto|richiesta|domanda",
        r"(?:per favore|si prega|puoi|può|potresti)\b.*(?:forni|invi|incoll|condivid)"
        r"|non è stat\w (?:fornit|inclus|inviat)|ho bisogno di",
    ),
    "pt": Wordings(
        r"não (?:posso|podemos|consigo|me é possível|é possível)|impossível|devo recusar|não me permit",
        r"resum|encurt|abrevi|condens|sintetiz",
        r"ajudar|continuar|processar|fornecer|reproduzir",
        r"texto|passagem|história|conto|conteúdo|trecho|pedido|pergunta",
        r"(?:por favor|poderia|você pode)\b.*(?:forne[çc]|envi|col[ea]|compartilh)"
        r"|não foi (?:fornecid|incluíd|enviad)|preciso ver",
    ),
    "ro": Wordings(
        r"nu (?:pot|putem|este posibil|sunt în măsură)|imposibil",
        r"rezum|scurt|prescurt|sintetiz|conden",
        r"ajut|continu|proces|furniz",
        r"text|pasaj|povest|conținut|fragment|cerere|întrebare",
        r"(?:te rog|vă rog|vă rugăm)\b.*(?:furniz|trimi|lipi|ofer|partaj)|nu a fost (?:furniz|inclus|trimis)",
    ),
    "pl": Wordings(
        r"nie (?:mogę|możemy|jestem w stanie|da się)|niemożliwe",
        r"streśc|streszcz|skróc|skrót|skrac|podsumow",
        r"pomóc|kontynuow|przetworz|udostępni",
        r"tekst|fragment|histori|opowiad|treś|opowieś|pytani|spraw",
        r"(?:proszę|czy możesz|czy mógłbyś)\b.*(?:poda|przesła|prześl|wklej|wysła|udostępni)"
        r"|nie został\w* (?:podan|dołącz|przesłan)",
    ),
    "cs": Wordings(
        r"nemohu|nemůžu|nedokážu|nelze|není možné",
        r"zkrát|zkrac|shrn",
        r"pomoc|pokračov|zpracov|poskytnout",
        r"text|pasáž|příběh|obsah|úryv|žádost|otázk",
        r"prosím\b.*(?:pošl|poskytn|vlož|zašl|sdíl)|nebyl\w* (?:poskytnut|přilož|zaslán)",
    ),
    "ru": Wordings(
        r"не (?:могу|можем|в состоянии|удастся|получится)|невозможно|вынужден\w* отказ|мне нельзя",
        r"сократ|сокращ|резюм|переска",
        r"помочь|продолж|обработ|предостав|обсужда",
        r"текст|отрыв|рассказ|истори|содержан|фрагмент|запрос|тем[уы]|вопрос",
        r"(?:пожалуйста|прошу|не могли бы)\b.*(?:предостав|пришл|отправ|встав|покаж|дайте)"
        r"|не (?:был\w* )?(?:предоставлен|приложен|прислан)|мне нуж\w+ (?:увидеть|сам)",
    ),
    "uk": Wordings(
        r"не (?:можу|можемо|в змозі)|неможливо",
        r"скорот|скороч|перека|резюм|підсум",
        r"допомог|продовж|обробит|надати",
        r"текст|урив|розповід|оповід|істор|вміст|запит|питання",
        r"(?:будь ласка|прошу)\b.*(?:надай|надішл|встав)|не (?:був |було )?надан",
    ),
    "el": Wordings(
        r"δεν (?:μπορώ|μπορούμε|είναι δυνατ|είμαι σε θέση)|αδύνατ",
        r"συντομ|περίληψ|περιλήψ|συνοψ",
        r"βοηθ|συνεχί|επεξεργ|παρέχ|παράσχ",
        r"κείμενο|κειμένου|απόσπασμα|ιστορία|διήγημα|περιεχόμεν|αίτημα|ερώτηση",
        r"παρακαλώ\b.*(?:δώσ|στείλ|επικολλ|παρέχ|παράσχ|μοιρα)",
    ),
    "tr": Wordings(
        r"\w+[ae]m[ıi]yorum|\w+(?:amam|emem)\b|mümkün değil|imkânsız|imkansız",
        r"kısalt|özet",
        r"yardım|devam|sağla",
        r"met(?:in|ni)|hikâye|hikaye|öykü|içeri|bölüm|iste[kğ]|pasaj|soru",
        r"lütfen\b.*(?:gönder|paylaş|sağla|yapıştır|verin)|verilmemiş|görmem gerek",
    ),
    "hu": Wordings(
        r"nem (?:tud(?:ok|om|juk)|áll módomban|lehetséges|vagyok képes)|képtelen",
        r"rövidít|lerövidít|összefoglal|összegez",
        r"segít|folytat|feldolgoz",
        r"szöveg|részlet|történet|tartal|kérés|kérdés|ügy",
        r"(?:kérem|kérlek)\b.*(?:küld|adja|ossza|illessz)",
    ),
    "fi": Wordings(
        r"en (?:voi|pysty|saa)\b|ei ole mahdollista|mahdotonta",
        r"lyhen|tiivist|yhteenve",
        r"auttaa|jatkaa|käsitel",
        r"teksti|tekstin|katkelm|tarina|kertomu|sisäl|pyyntö|kysymy",
        r"(?:ole hyvä ja|pyydän|voisitko)\b.*(?:lähet|anna|liit|jaa)",
    ),
    "vi": Wordings(
        r"không thể|không được phép|không có khả năng",
        r"tóm tắt|rút gọn|rút ngắn",
        r"giúp|hỗ trợ|tiếp tục|xử lý|cung cấp",
        r"văn bản|đoạn văn|đoạn trích|câu chuyện|nội dung|yêu cầu|câu hỏi",
        r"(?:vui lòng|hãy|xin)\b.*(?:cung cấp|gửi|dán|chia sẻ|nhập)|chưa được cung cấp",
    ),
    "id": Wordings(
        r"tidak (?:dapat|bisa|mampu|mungkin)",
        r"meringkas|ringkas|mempersingkat|memendekkan|merangkum",
        r"membantu|melanjutkan|memproses|menyediakan",
        r"teks|cerita|kisah|konten|permintaan|pertanyaan|kutipan",
        r"(?:silakan|tolong|mohon|harap)\b.*(?:kirim|berikan|tempel|sertakan|bagikan)|tidak disertakan",
    ),
}
UNSPACED = {
    "zh": Wordings(
        r"无法|無法|不能|没有办法|沒有辦法|没办法|不便|难以|我(?:必须|要)?拒绝|不允许我",
        r"缩写|縮寫|缩短|縮短|摘要|概括|总结|總結|概述|精简",
        r"协助|協助|处理|處理|提供|继续|满足",
        r"文本|文章|段落|内容|內容|故事|请求|請求|原文|片段|问题",
        r"请.{0,8}(?:提供|发送|粘贴|输入|补充|上传)|未提供|没有提供|需要先看",
    ),
    "ja": Wordings(
        r"できません|できない|かねます|不可能|お断り|控えさせて",
        r"要約|短縮|縮約|短くする",
        r"手伝|対応|処理|提供|続け",
        r"文章|テキスト|本文|物語|内容|話|リクエスト|依頼|箇所|質問",
        r"(?:提供|入力|送信|貼り付け|お送り|共有).{0,8}(?:ください|下さい|いただ)|提供されていま?せん",
    ),
    "ko": Wordings(
        r"수 없|못합니다|어렵습니다|불가능",
        r"요약|축약|줄일|줄여",
        r"도와|도움|처리|제공|계속",
        r"텍스트|본문|글을|글은|이야기|내용|지문|요청|질문",
        r"(?:제공|보내|입력|붙여|공유).{0,8}(?:주세요|주십시오|바랍니다)|제공되지 않",
    ),
    "th": Wordings(
        r"ไม่สามารถ|ไม่อาจ|เป็นไปไม่ได้", r"ย่อ|สรุป", r"ช่วย|ดำเนินการ", r"ข้อความ|เนื้อหา|เรื่อง|บทความ|คำขอ|คำถาม",
        r"(?:กรุณา|โปรด).{0,20}(?:ส่ง|ให้|วาง|ระบุ)",
    ),
    "ar": Wordings(
        r"لا (?:أستطيع|يمكنني|نستطيع|أقدر)|لست قادر|غير قادر|لن أتمكن|يتعذر|غير ممكن|لا يمكن",
        r"تلخيص|اختصار|ألخص|أختصر|ملخص",
        r"مساعد|متابعة|معالجة|تقديم|توفير",
        r"نص|قصة|حكاية|محتوى|مقطع|فقرة|طلب|سؤال",
        r"(?:يرجى|رجاء|من فضلك|الرجاء).{0,20}(?:تقديم|إرسال|تزويد|لصق|مشاركة|إدخال)|لم يتم (?:تقديم|إرفاق|تزويد)",
    ),
    "he": Wordings(
        r"(?:לא|איני|אינני) (?:יכול|מסוגל|אפשר)|לא ניתן|אי אפשר",
        r"לקצר|תקציר|לסכם|סיכום|קיצור",
        r"לעזור|לסייע|להמשיך|לעבד|לספק",
        r"טקסט|קטע|סיפור|תוכן|בקשה|שאלה",
        r"(?:אנא|בבקשה|נא).{0,20}(?:ספק|שלח|הדבק|שתף|לספק|לשלוח)|לא סופק",
    ),
    "fa": Wordings(
        r"نمی.?(?:توانم|توانیم|شود)|ممکن نیست|قادر نیستم", r"خلاصه|کوتاه", r"کمک|ادامه|پردازش|ارائه",
        r"متن|داستان|محتوا|درخواست|سؤال", r"لطفا.{0,20}(?:ارسال|ارائه|بفرست|وارد)",
    ),
    "hi": Wordings(
        r"नहीं .{0,8}सकत|असमर्थ|संभव नहीं", r"संक्षेप|संक्षिप्त|सारांश|छोटा", r"मदद|सहायता|जारी",
        r"पाठ|अंश|कहानी|सामग्री|अनुरोध|प्रश्न", r"कृपया.{0,30}(?:दें|भेजें|प्रदान|साझा)",
    ),
    "bn": Wordings(
        r"পারছি না|পারি না|পারব না|অক্ষম|সম্ভব নয়", r"সংক্ষিপ্ত|সংক্ষেপ|সারাংশ", r"সাহায্য",
        r"পাঠ|লেখা|গল্প|অনুচ্ছেদ|অনুরোধ|প্রশ্ন", r"(?:দয়া করে|অনুগ্রহ করে).{0,30}(?:দিন|পাঠান|প্রদান)",
    ),
}  # fmt: skip


_LONGEST = 300  # characters; a longer reply has content, whatever it begins with
_STEM = 5  # letters that the forms of a word have in common
_SENTENCES = lazy_pattern(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_TO_USER = lazy_pattern(r"\bi(?:['’]d| would| am|['’]m)? (?:be )?(?:glad|happy) to\b|\bthe user (?:wants|asks)\b", re.I)
_DONE = lazy_pattern(r"\b(?:text|passage)\b.{0,60} (?:was|has been|is) (?:shortened|summari[sz]ed|condensed)\b", re.I)
_SAME_SCRIPT = {"ar": ["ar", "fa"]}  # languages that are known by their script only
_COPYRIGHT = lazy_pattern(COPYRIGHT, re.I)
_POLICY = lazy_pattern("|".join(POLICY), re.I)


def task_talk(reply: str, text: str) -> str:
    """Return why a short reply only talks about the task; "" if it does not, or if the text speaks of such a thing."""
    reply = own_words(reply.strip())
    if len(reply) > _LONGEST:
        return ""
    return next((problem for problem, words in _found(reply) if not _speaks_of(text, words)), "")


def _found(reply: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a reply, with the words that show it."""
    protected = _COPYRIGHT.search(reply)
    if words := _POLICY.search(reply):
        yield REFUSED, words[0]
    patterns = [_patterns(code) for code in _languages(reply)]
    for sentence in _SENTENCES.split(reply):
        for cannot, shorten, serve, text, ask in patterns:
            about_text = text.search(sentence)
            if cannot.search(sentence):
                words = shorten.search(sentence) or (about_text and serve.search(sentence)) or protected
                if words:
                    yield REFUSED, words[0]
            if about_text and (words := ask.search(sentence)):
                yield "it asked for the text", words[0]
        if words := _TO_USER.search(sentence):
            yield "it spoke to the user", words[0]
        if words := _DONE.search(sentence):
            yield "it had no content", words[0]


def _speaks_of(text: str, words: str) -> bool:
    """Return whether all of these words, or beginnings of words, are in a text."""
    folded = text.casefold()
    return all(word[:_STEM] in folded for word in re.findall(r"\w\w+", words.casefold()))


def _languages(reply: str) -> Iterable[str]:
    """Return the languages whose wordings a reply may have: English and its own, or all if that is not known."""
    if not language(reply):
        return (*SPACED, *UNSPACED)
    own = possible_languages(reply)
    return {code for one in ("en", *own) for code in _SAME_SCRIPT.get(one, [one]) if code in SPACED or code in UNSPACED}


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a language, in the order of ``Wordings``."""
    if code in SPACED:
        return tuple(lazy_pattern(rf"(?<!\w)(?:{one})", re.I) for one in SPACED[code])
    return tuple(lazy_pattern(one, re.I) for one in UNSPACED[code])
