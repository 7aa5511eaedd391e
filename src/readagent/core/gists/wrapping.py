"""Remove introductions and closing remarks around a gist, in several languages."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern

_SHORT = r"shortened|shorter|condensed|summari[sz]ed|abridged|summary|gist"
_WILLING = (
    r"sure|certainly|of course|gerne?|natürlich|selbstverständlich|klar|bien sûr|certainement|avec plaisir|¡?claro"
    r"|¡?por supuesto|certo|certamente|com certeza|конечно|разумеется|好的|当然(?:可以)?|はい|もちろん(?:です)?"
    r"|承知しました|かしこまりました"
)
_LABELS = (  # before a colon, or on a line of their own
    r"(?:the )?(?:shortened|condensed|abridged) (?:passage|text|version)|(?:the )?passage, shortened|summary|gist",
    r"(?:die |der |das )?(?:zusammenfassung|kurzfassung|kurz zusammengefasst"
    r"|gekürzte[rs]? (?:fassung|version|passage|text|abschnitt))",
    r"(?:le |la )?(?:résumé|(?:version|passage|texte|extrait) (?:abrégée?|raccourcie?|condensée?|résumée?))",
    r"(?:el |la )?(?:en resumen|resumen|(?:versión|texto|pasaje|fragmento) (?:abreviad|acortad|resumid|condensad)[oa])",
    r"(?:il |la )?(?:riassunto|sintesi|(?:versione|testo|brano) (?:abbreviat|accorciat|ridott|condensat)[oa])",
    r"(?:o |a )?(?:resumo|(?:versão|texto|trecho|passagem) (?:abreviad|encurtad|resumid|condensad)[oa])",
    r"краткое содержание|краткий пересказ|резюме|сокращ[её]нн\w+ (?:вариант|текст|отрывок|версия)",
    r"摘要|总结|總結|概要|缩写|(?:缩短|缩写|精简)(?:后|版)?的?(?:文本|版本|内容|段落)?",
    r"要約|短縮版|(?:短縮|要約)した(?:文章|もの)",
)
_LABEL = "|".join(_LABELS)
_HERE = (
    rf"(?:hier ist|voici|aquí (?:está|tiene[ns]?)|ecco|aqui está|вот) (?:\w+ )?(?:{_LABEL}|text|abschnitt|texte|passage"
    rf"|texto|pasaje|testo|brano|trecho|текст|отрывок)(?: (?:des|du|de la?|del|della?|do|da) (?:textes|abschnitts|texte"
    rf"|passage|texto|pasaje|testo|brano|trecho))?|(?:以下|这|这里|下面)是(?:{_LABEL})"
    rf"|(?:以下|次|こちら)(?:は|が)(?:{_LABEL})(?:です|になります)?"
)
_ENGLISH = lazy_pattern(
    r"^[\W_]{0,20}(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n:]{0,80}[:!.]\s*)?"
    r"(?:(?:here(?:'|’)?s|here is|here are|below is|this is|the following is)?[^\n:.]{0,60}"
    rf"\b(?:{_SHORT})\b[^\n:]{{0,60}}:|"
    r"(?:sure|certainly|of course|okay)\b[^\n]{0,60}[:!.][ \t]*\n"
    rf"|note: [^\n]{{0,80}}\bhere(?: is|['’]s)\b[^\n]{{0,40}}\b(?:{_SHORT})\b[^\n]{{0,30}}[.:][ \t]*\n)[*_\s]*",
    re.I,
)
_OTHERS = lazy_pattern(
    rf"^[*_#【\s]{{0,20}}(?:(?:{_WILLING})[*_\s]{{0,9}}[!.,！。，、][*_#【\s]{{0,20}})?"
    rf"(?:(?:{_LABEL}|{_HERE})(?:[*_ ]*[:：]|[*_】 ]*\n)"
    r"|(?:以下(?:が|に|、))?(?:要約|短縮)[^\n。：:]{0,12}(?:です|ます)[。：:][ \t]*\n)[*_\s]*",
    re.I,
)
_LINE = lazy_pattern(  # a first line about shortening, before a colon or what is said about the reply
    r"^[^\n\d:：。]{0,60}(?:gekürzt|zusammen(?:gefasst|fassung)|kurzfassung|abrég|raccourci|résum|condens|abrevi|acortad"
    r"|resum|encurtad|abbrevia|accorcia|riassun|più breve|сокращ|кратк|缩写|缩短|摘要|总结|要約|短縮)[^\n\d:：。]{0,30}"
    r"(?:[:：]|で(?:す|ございます)。|ます。)[*_ \t]*\n[*_\s]*",
    re.I,
)
_REMARKS = (  # at the beginning of the last line
    r"note:|let me know|i hope (?:this|that)|would you like|word count|is there anything|feel free",
    r"(?:ca\. |etwa |about |environ |около |约|共|約)?\d+ ?(?:words|wörter|mots|palabras|parole|palavras|слов\w*|字"
    r"|文字|語)[)\]）.]*$",
    r"ich hoffe,? (?:das|dies|es)\b.{0,40}(?:hilf|geholfen)|lass(?:en sie)? (?:es )?mich wissen|(?:hinweis|anmerkung):"
    r"|(?:möchten sie|möchtest du|soll ich)\b.{0,80}\?|(?:wortzahl|wörter):|bei (?:weiteren )?fragen\b"
    r"|wenn (?:sie|du)\b.{0,30}, kann ich\b",
    r"n['’]hésite[sz]? pas|j['’]espère que (?:cela|ceci|ça)|(?:souhaitez|voulez)-vous que je|(?:note|remarque) ?:"
    r"|nombre de mots|si vous\b.{0,30}, (?:je peux|n['’]hésitez)",
    r"¿(?:deseas?|quieres?|te gustaría|le gustaría) que (?:lo|la|te|le|haga)\b|espero que (?:esto|te|le)\b.{0,40}"
    r"(?:ayud|útil|sirv)|(?:si\b.{0,30}, )?no dudes? en\b|(?:avísame|házmelo saber|nota:|número de palabras)",
    r"spero che (?:questo|ti|sia)\b.{0,40}(?:aiut|util)|fammi sapere|(?:vuoi|desidera|vorresti) che (?:lo|la)\b",
    r"espero que (?:isto|isso)\b.{0,40}(?:ajud|útil)|(?:deseja|quer|gostaria) que eu\b|me avise|observação:",
    r"надеюсь,? (?:это|что)\b.{0,40}(?:помо|полез)|(?:дайте|сообщите) (?:мне )?знать|хотите,? чтобы я|примечание:"
    r"|если (?:вам|у вас)\b.{0,60}(?:обращайтесь|дайте|сообщите)",
    r"希望.{0,16}(?:帮助|幫助|帮到)|(?:如果|如有|如需).{0,30}(?:告诉|告知|随时|請|请)|(?:您)?需要我.{0,20}吗|注[：:]",
    r"ご(?:不明|質問).{0,30}(?:ください|下さい)|.{0,16}(?:お役に立て|参考になれ).{0,8}幸い|注[：:]",
)
_CLOSING = lazy_pattern(rf"\n[ \t]*[*_(（\[]*(?:{'|'.join(_REMARKS)})[^\n]*$", re.I)

_FORM = lazy_pattern(  # what the prompts show in place of a gist
    r"^[*_\s]*(?:<[^<>\n]{1,12}>[*_\s]*)?the (?:page|passage)(?:,? shortened| in fewer words)\b"
    r"[*_\s]*[.:]?[*_\s]*",
    re.I,
)
_LONGEST = 300  # characters of a closing remark


def without_form(text: str) -> str:
    """Return a gist without the words of the prompt that show where it belongs: "The page, shortened."."""
    return _FORM.sub("", text)


def is_form(text: str) -> bool:
    """Return whether a reply is nothing but these words."""
    return bool(_FORM.fullmatch(text.strip()))


def unwrapped(text: str) -> str:
    """Return a gist without an introduction and without closing remarks; a remark has a line of its own."""
    found = _OTHERS.match(text) or _LINE.match(text) or _ENGLISH.match(text)
    text = text[found.end() :].strip() if found else text.strip()
    while closing := _CLOSING.search(text, max(0, len(text) - _LONGEST)):
        text = text[: closing.start()].rstrip()
    return text
