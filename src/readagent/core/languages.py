"""Recognise the language of a text by its script and its function words, and give languages one name each."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

from readagent.core.patterns import lazy_pattern

WORD = lazy_pattern(r"\b[^\W\d_]+\b")
_ASCII_WORD = lazy_pattern(r"\b[a-z]+\b", re.A)
SAMPLE = 4000  # characters that decide
_LEAST = 0.15  # share of function words, below which a text is a table, code or in a language not listed here
_DIFFERENT = 3  # function words that a text in a language has at least
_SCRIPTS = {"CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "THAI": "th", "GREEK": "el",
            "HEBREW": "he", "DEVANAGARI": "hi", "ARABIC": "ar", "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te",
            "GEORGIAN": "ka", "ARMENIAN": "hy"}  # fmt: skip
_KANA = 0.1  # share of kana from which a text in Chinese characters is Japanese

FUNCTION_WORDS = {
    "en": "the and of to a in is was it that he she his her him for with as had on at but not be they this from have i "
    "you were which one all there would their we so an or been said when who will more if no out what up then into "
    "them some could now than other about its only your our my me do did by are has can these those such should very "
    "after before over again because through while where being any how also even just like upon",
    "de": "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an er hat aus sie "
    "nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch "
    "man dann ich wir ihr ihn ihm seine seiner wurde kann diese dieser dieses wenn was mir mich sein keine werden",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont aux avec son "
    "cette ou ses mais comme on tout nous sa fait été aussi leur bien peut ces y elle était je vous dont lui deux qu "
    "être même très sans cet cela ils elles notre votre avait",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin "
    "sobre este ya entre cuando todo esta ser son dos también fue había era muy hasta desde está mi porque nos él "
    "ella eso esto estos usted",
    "it": "di e il la che in a per un è del una da non sono con le si dei i al come più della nel gli alla ha ma su lo "
    "anche o dal era se delle questo suo sua ci due essere stato loro nella questa quando dopo",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu "
    "sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos",
    "nl": "de het een en van ik te dat die in is op aan met als voor had er maar om hem dan zou of wat mijn men dit zo "
    "door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze u want nog zal me zij nu "
    "niet geen omdat worden werd was",
    "pl": "i w na z się nie to do że jest o jak ale po co tak za od jego przez jej dla był są czy już być go tym ich "
    "przed które który która było tylko może też oraz ma pan ja",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan man "
    "när år eller nu hon hade skulle vid mot ut efter där blev",
    "tr": "ve bir bu da de için ile çok daha ne ki olarak gibi o olan kadar var sonra en ama değil mi ben sen biz her "
    "ise şey diye onun bunu",
    "ru": "и в не на я что он с как это но по к из у же за она так то все его от о был бы мы для вы ты ее их или до "
    "только ни мне было если когда уже еще есть была были чтобы этот эта эти который которые может быть там где",
    "uk": "і в не на що я він з як це але по до у та за вона так то все його від про був би ми для ви ти її їх або "
    "тільки було якщо коли вже ще є була були щоб цей ця ці який які може бути там де",
    "cs": "a se v na je to že s z do o si i ale jak po k už jako ve pro by jsem co který která které byl byla bylo "
    "jeho její jsou nebo když od za ze tak není jen také až při podle mezi která proto tím ani však ještě nemá má",
    "hu": "a az és hogy nem is egy ez meg csak volt de mint már el ha vagy akkor majd kell még mert ki fel után lesz "
    "sem azt ezt aki ami amely között szerint ezért pedig alatt előtt nagyon így neki",
    "fi": "ja on ei se hän että oli ovat joka mutta kun niin ole tai kuin myös sen hänen mitä vain jo siitä sitä ne "
    "minä sinä me he tämä tämän jos jälkeen ennen kanssa ollut olla hänellä eivät sekä koska",
    "vi": "và của là có không được cho với một các những người đã này trong khi để đến từ như thì cũng ra nên ông bà "
    "anh tôi nó sẽ phải về sau trên vào hơn rất đó nhưng vì ở bị đang chỉ bằng",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada mereka sudah bisa kita "
    "adalah atau oleh telah seperti dia anda kami tetapi setelah dapat lebih banyak hanya ia para sebagai",
    "ro": "și în de a la cu pe nu că o un este din care pentru se mai au fost sau ca lui ei dar după ce prin era "
    "când dacă sunt această acest foarte între până fără ar fi",
    "da": "og i at det som en på er af for med til den har de ikke om et han men var jeg sig fra vi så kan man når "
    "eller nu hun havde skulle ved mod ud efter der blev være også kun",
}  # fmt: skip
_NAMES = {
    "en": "english|englisch|anglais|inglés|inglese|inglês|английск|英語|英语|英文",
    "de": "german|deutsch|allemand|alemán|tedesco|немецк|ドイツ語|德语|德文",
    "fr": "french|französisch|français|francés|francese|французск|フランス語|法语|法文",
    "es": "spanish|spanisch|espagnol|español|castellano|spagnolo|испанск|スペイン語|西班牙语|西班牙文",
    "it": "italian|italienisch|italien|italiano|итальянск|イタリア語|意大利语",
    "pt": "portuguese|portugiesisch|portugais|portugués|português|португальск|ポルトガル語|葡萄牙语",
    "nl": "dutch|niederländisch|néerlandais|nederlands|нидерландск|オランダ語|荷兰语",
    "pl": "polish|polnisch|polonais|polski|polsku|польск|ポーランド語|波兰语",
    "sv": "swedish|schwedisch|suédois|svenska|шведск|スウェーデン語|瑞典语",
    "tr": "turkish|türkisch|turc|türkçe|турецк|トルコ語|土耳其语",
    "ru": "russian|russisch|russe|ruso|русск|ロシア語|俄语|俄文",
    "uk": "ukrainian|ukrainisch|ukrainien|українськ|украинск|ウクライナ語|乌克兰语",
    "zh": "chinese|mandarin|chinesisch|chinois|chino|китайск|中国語|中文|汉语|漢語",
    "ja": "japanese|japanisch|japonais|japonés|японск|日本語|日语|日文",
    "ko": "korean|koreanisch|coréen|coreano|корейск|한국어|韓国語|韩语",
    "ar": "arabic|arabisch|arabe|árabe|арабск|العربية|アラビア語|阿拉伯语",
    "he": "hebrew|hebräisch|hébreu|hebreo|иврит|עברית",
    "hi": "hindi|हिन्दी|हिंदी",
    "el": "greek|griechisch|grec|griego|греческ|ελληνικά",
    "th": "thai|thailändisch|ภาษาไทย",
    "cs": "czech|tschechisch|tchèque|česk|češtin|чешск|捷克语",
    "hu": "hungarian|ungarisch|hongrois|magyar|венгерск|匈牙利语",
    "fi": "finnish|finnisch|finnois|suome|финск|芬兰语",
    "vi": "vietnamese|vietnamesisch|vietnamien|tiếng việt|вьетнамск|越南语",
    "id": "indonesian|indonesisch|indonésien|bahasa|индонезийск|印尼语",
    "ro": "romanian|rumänisch|roumain|român|румынск|罗马尼亚语",
    "da": "danish|dänisch|danois|dansk|датск|丹麦语",
    "bn": "bengali|bangla|বাংলা",
    "ta": "tamil|தமிழ்",
    "te": "telugu|తెలుగు",
    "ka": "georgian|georgisch|ქართულ",
    "hy": "armenian|armenisch|հայերեն",
}


class Hits(NamedTuple):
    """How many words of a text are function words of each language, how many different ones, and its words in all."""

    totals: dict[str, int]
    different: dict[str, int]
    words: int


def language(text: str) -> str:
    """Return the code of the language of a text, such as "de"; "" if it has too few words of a known language."""
    totals, different, words = hits(text)
    best = max(totals, key=totals.__getitem__)
    enough = totals[best] >= _LEAST * words and different[best] >= _DIFFERENT
    return best if enough or best not in FUNCTION_WORDS else ""


def hits(text: str) -> Hits:
    """Return the function words of the beginning of a text."""
    return _hits_in(text[:SAMPLE])


@lru_cache(maxsize=16)  # a page and its gist are looked at several times in a row
def _hits_in(sample: str) -> Hits:
    if sample.isascii():
        words, script = _ASCII_WORD.findall(sample.lower()), ""
    else:
        words = [word.lower() for word in WORD.findall(sample)]
        script = _script(words)
    counts = Counter(words)
    if script:
        return Hits({script: len(words)}, {script: len(counts)}, len(words))
    totals, different, languages = dict.fromkeys(FUNCTION_WORDS, 0), dict.fromkeys(FUNCTION_WORDS, 0), _languages()
    for word in counts.keys() & languages.keys():
        for code in languages[word]:
            totals[code] += counts[word]
            different[code] += 1
    return Hits(totals, different, len(words))


def language_name(code: str) -> str:
    """Return the English name of a language by its code: "de" is "German"."""
    return _NAMES[code].partition("|")[0].capitalize()


def language_named(given: str) -> str:
    """Return the English name of a language that is given by its code or by its name in any of several languages.

    "de", "de-AT" and "Deutsch" are "German". Other names, such as "Latin" or "Brazilian Portuguese", are unchanged.
    """
    given = " ".join(given.split())
    code = given.casefold().partition("-")[0]
    if code and code in _NAMES:
        return language_name(code)
    codes = [one for one, names in _NAMES.items() if code.startswith(tuple(names.split("|")))]
    return language_name(codes[0]) if codes and " " not in given else given


def _script(words: list[str]) -> str:
    """Return the language that a script implies, if most letters are of such a script."""
    counts = Counter(_SCRIPTS.get(_script_name(letter), "") for word in words for letter in word)
    usual, total = counts.pop("", 0), sum(counts.values())
    if not total or usual > 2 * total:
        return ""
    if counts["ja"] >= _KANA * (counts["ja"] + counts["zh"]) > 0:
        return "ja"
    return max(counts, key=lambda code: counts[code])


@cache
def _script_name(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


@cache
def _languages() -> dict[str, list[str]]:
    """Return the languages that have each function word."""
    found: dict[str, list[str]] = {}
    for code, words in FUNCTION_WORDS.items():
        for word in dict.fromkeys(words.split()):
            found.setdefault(word, []).append(code)
    return found
