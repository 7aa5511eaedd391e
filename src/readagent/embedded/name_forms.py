"""The names of people in a text by rule: every form in which they are written, with how often and in which company."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from readagent.core.words import sentences

MALE = frozenset(
    "mr mister sir lord captain capt colonel col general gen major lieutenant lt sergeant sgt admiral king prince count"
    " duke baron emperor monsieur herr don señor father uncle brother reverend rev bishop pope graf".split()
)
FEMALE = frozenset(
    "mrs ms miss lady queen princess countess duchess baroness empress madame mme mademoiselle mlle frau fräulein doña"
    " dona señora señorita aunt mother sister nurse gräfin".split()
)
EITHER = frozenset(
    "dr doctor prof professor judge president senator minister chancellor governor mayor inspector hon phd".split()
)
TITLES = MALE | FEMALE | EITHER
RANKS = frozenset(  # of one person, not of a family
    "captain capt colonel col general gen major lieutenant lt sergeant sgt admiral dr doctor prof professor judge"
    " president senator minister chancellor governor mayor inspector reverend rev bishop".split()
)
WIVES = frozenset("mrs mme madame frau señora".split())
WITH_FIRST_NAME = frozenset(
    "sir lady king queen prince princess emperor father mother sister brother uncle aunt don doña pope nurse".split()
)
PARTICLES = "de la|de las|de los|de|del|della|di|da|dos|van der|van den|van|von der|von|zu|du|la|le|ten|ter|bin|ibn|al"

HE = frozenset("he him his himself".split())
SHE = frozenset("she her hers herself".split())

SPEAKING = (
    "said says asked asks replied replies cried cries answered answers exclaimed whispered murmured muttered added"
    " continued returned observed remarked repeated shouted called inquired rejoined began interrupted demanded"
    " suggested declared sagte fragte rief antwortete dit demanda répondit dijo preguntó respondió сказал сказала"
)
DOING = (
    "thought felt saw smiled laughed nodded looked turned told knew wished spoke walked sat stood hoped heard wondered"
    " shook blushed listened stared sighed hesitated paused smiled wrote read took gave married died lived loved hated"
    " wanted tried remembered understood believed kept left went came ran rose entered watched waited who"
)
OWNED = (
    "face eyes eye hand hands voice head mother father sister brother sisters wife husband heart arm arms lips mind"
    " feelings manner manners daughter son aunt uncle friend shoulder hair mouth opinion temper house room"
)
PLACED = (
    "in at near into through around across towards toward throughout within outside visit visited left leave leaving"
    " reach reached street county town village city"
)
NOBODY = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday"
    " thursday friday saturday sunday god lord heaven heavens providence christ jesus christmas easter michaelmas"
    " english french german russian italian spanish latin greek american british european chapter part volume book"
    " letter act scene page oh ah yes no well madam ma'am papa mamma mama mom dad internet bible note ok"
    " okay hello hi hey yeah true false none null look listen copyright media sorry thanks please".split()
)

NEVER_A_SURNAME = frozenset(  # the last word of names of places and organisations
    "parsonage rectory vicarage hotel avenue road square island islands abbey cathedral station college"
    " university school academy hospital inn county river ocean sea mountains valley peninsula motors electric"
    " dynamics foods assembly league baseball football corporation corp company inc ltd llc gmbh museum palace"
    " library theatre theater airport army navy party society committee department ministry parliament congress"
    " empire kingdom republic union association institute foundation agency office bureau board council majesty"
    " majesties highness highnesses excellency excellencies lordship ladyship honour honor europe asia africa"
    " america australia england scotland ireland wales france germany italy spain portugal russia china india"
    " japan canada mexico brazil austria poland turkey egypt greece sweden norway denmark frenchmen englishmen".split()
)
ORGANISATIONS = frozenset(
    "motors electric dynamics foods assembly league corporation corp company inc ltd llc gmbh army navy party society"
    " committee department ministry parliament congress union association institute foundation agency office bureau"
    " board council university college academy school".split()
)
RARELY_A_SURNAME = frozenset(  # last words of places that are surnames, too
    "street lane hall house park church bridge hill court lake castle forest mill mills bank banks field gate lodge"
    " garden gardens green grove heath manor cottage farm bay beach point port club press times post".split()
)
NUMERALS = frozenset("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split())
CROWNED = frozenset("king queen prince princess emperor empress pope".split())  # without a surname
PERSONAL = frozenset("mr mister mrs ms miss dr doctor sir lady monsieur madame herr frau señor señora".split())

NICKNAMES = {
    "lizzy": "elizabeth", "lizzie": "elizabeth", "eliza": "elizabeth", "beth": "elizabeth", "betsy": "elizabeth",
    "bill": "william", "billy": "william", "will": "william", "dick": "richard", "bob": "robert", "jim": "james",
    "jimmy": "james", "tom": "thomas", "tommy": "thomas", "harry": "henry", "ned": "edward", "ted": "edward",
    "jack": "john", "nick": "nicholas", "sam": "samuel", "joe": "joseph", "mike": "michael", "fred": "frederick",
    "charlie": "charles", "maggie": "margaret", "peggy": "margaret", "sophy": "sophia", "kate": "katherine",
    "kitty": "catherine", "cathy": "catherine", "molly": "mary", "polly": "mary", "sally": "sarah", "jenny": "jane",
}  # fmt: skip


_WOMEN = (
    "abigail ada adelaide adele agatha agnes aileen alexandra alice alicia alison amanda amelia amy ana anastasia"
    " andrea angela anita anna annabel anne annette annie antonia antonina arina astrid audrey augusta barbara"
    " beatrice beatrix bernadette bertha bethany betty blanche bridget brigitte camille carla carmen carol caroline"
    " carolyn catalina caterina catherine cecilia celia chiara christina christine claire clara clarissa claudia"
    " concepción constance cordelia cornelia cynthia daphne daria deborah delia denise diana dolores dora doris"
    " dorothea dorothy edith edna eileen elaine eleanor elena elinor elisabeth elise eliza elizabeth ella ellen"
    " eloise elsa elsie emilia emily emma erica esmeralda esther ethel eugenia eva eve eveline evelyn fanny felicity"
    " fiona frances francesca françoise frieda gabriele gabriella genevieve georgiana geraldine gertrude gisela"
    " giulia gladys gloria greta gretchen gwendolen hannah harriet heidi helen helena helga henrietta hilda"
    " hildegard ida inez ingrid irene irina isabel isabella isabelle jacqueline jane janet jeanne jennifer jessica"
    " joan joanna jocelyn johanna josephine joséphine judith julia juliana juliet juliette karen karin katarina"
    " katerina katharina katherine kathleen katrin laura leonora leticia lidia lilian liza lizaveta lois lorraine"
    " louisa louise lucia lucille lucinda lucy ludmila luisa lydia lyudmila mabel madeleine margaret margarete"
    " margarita margery maria marian marianne marie marina marion marjorie marlene marta martha mary marya mathilde"
    " matilda maud maureen mavis melanie melissa mercedes michelle mildred minnie miranda miriam monica monika"
    " muriel myra myrtle nadezhda nancy naomi natalia natalie natalya natasha nathalie nicole nina nora norma"
    " octavia olga olivia ophelia pamela patricia paula pauline penelope petra philippa phoebe phyllis polina"
    " priscilla rachel ramona raquel raisa rebecca regina renata renate roberta rosa rosalie rosalind rosamond"
    " rosemary ruth sabine sabrina samantha sandra sara sarah selma serafina sheila shirley silvia simone sofia"
    " sofya sonia sonya sophia sophie stella stephanie susan susanna suzanne sybil sylvia tamara tania tanya tatiana"
    " tatyana teresa thelma theodora theresa tracy ulrike ursula valentina valeria vanessa varvara vera veronica"
    " viola violet virginie vivian vivien wanda wilhelmina winifred yelena yolanda yvette yvonne zenaida zinaida zoe"
)
_MEN = (
    "aaron abraham adam adolf adrian alan alastair albert aleksandr aleksei alessandro alexander alexandre alexei"
    " alexey alfred alfredo algernon allan allen alphonse alyosha ambrose anatole anatoly andrea andreas andrei"
    " andrew andrey andré angus anthony antoine anton antonio antony archibald armand arnold arthur augustin"
    " augustus axel balthazar barnaby bartholomew basil benedict benjamin bernard bernhard bertram bertrand boris"
    " brian bruno cecil cedric charles christian christoph christopher clarence claude clemens clement clifford"
    " clive conrad constantine cornelius cuthbert cyril daniel david denis dennis derek dieter dietrich diego"
    " dimitri dmitri dmitry dominic donald dorian douglas duncan dwight eberhard edgar edmond edmund eduard edward"
    " edwin emanuel emil emile enrico enrique ephraim eric erich ernest ernst erwin eugene eustace evelyn ezra felix"
    " ferdinand fernando filippo francesco francis francisco françois frank franz frederic frederick friedrich fritz"
    " fyodor gabriel gareth gaston gavrila gennady geoffrey georg george georges gerald gerard gerhard gideon"
    " gilbert giles giovanni giuseppe godfrey gordon gottfried graham gregor gregory grigory guillaume gustav guy"
    " hans harald harold hector heinrich heinz helmut henri henry herbert herman hermann hieronymus homer horace"
    " horatio howard hubert hugh hugo humphrey ian ignatius igor ilya immanuel isaac isaiah isidore ivan jacob"
    " jacques jakob james jaroslav jasper jean jeffrey jeremiah jeremy jerome jesse joachim joaquin johann johannes"
    " john jonas jonathan jorge josef joseph joshua josiah josé juan jules julian julius jürgen karl kaspar keith"
    " kenneth klaus konrad konstantin kurt lars laurence lawrence lazarus leo leon leonard leonid leopold leslie lev"
    " lionel lloyd lorenzo louis lucas lucien ludwig luigi luis luke magnus makar malcolm manfred manuel marcel"
    " marco marcus mario marmaduke martin marvin matthew matthias maurice max maxim maximilian melvin michael michel"
    " miguel mikhail miles mitrofan montague mordecai mortimer moritz moses nathan nathaniel neil nestor neville"
    " nicholas nicolas nigel nikita nikolai nikolay noah norbert norman oleg oliver orlando oscar oskar oswald otto"
    " pablo patrick paul pavel pedro percival percy peter petr philip philippe pierre platon porfiry pyotr quentin"
    " rafael ralph ramón randolph raphael raymond reginald reinhard reinhold richard robert roberto roderick rodion"
    " rodrigo roger roland rolf roman ronald rory rudolf rudolph rupert ruslan samuel sancho saul sebastian sergei"
    " sergey siegfried sigmund silas simon solomon stanislav stanley stefan stepan stephen steven stuart sven"
    " sylvester terence thaddeus theobald theodor theodore thomas timothy timofey titus tobias ulrich ulysses uriah"
    " valentin vasili vasily victor viktor vincent vincenzo vladimir vyacheslav waldemar wallace walter werner"
    " wilfred wilhelm william winston wolfgang xavier yakov yevgeny yuri zachary"
)
GIVEN = frozenset(f"{_WOMEN} {_MEN}".split())
_PATRONYMIC = re.compile(r"[A-ZА-ЯЁ]\w+(?:[oe]v(?:ich|itch|na)|[yi]ich|ович|евич|[оеё]вна|ичн?а?)$")


def is_full_name(words: list[str]) -> bool:
    """Return whether several words are a first name and others, such as "Ivan Petrovich"."""
    if len(words) < 2 or any(word.isupper() and len(word) > 2 for word in words):  # "Marianne WAS right"
        return False
    return words[0].lower() in GIVEN or _PATRONYMIC.match(words[1]) is not None


_UPPER = "A-ZÀ-ÖØ-ÞŁŚŠŽА-ЯЁ"
_GAP = r"(?:[^\S\n]{1,3}\n?|\n)[^\S\n]{0,8}"  # bounded, like the initials: any text must be searched in linear time
_TITLE = rf"(?:{'|'.join(sorted((one.capitalize() for one in TITLES), key=len, reverse=True))}|PhD)(?![^\W\d_])"
_WORD = rf"(?!{_TITLE})(?:(?:St|Ste|Mt)\.\s+)?[{_UPPER}](?:['’][{_UPPER}])?[^\W\d_]+(?:-[^\W\d_]+)*"
_OPENING = (
    "She|He|The|It|They|We|But|And|In|On|At|His|Her|Their|Then|When|After|Before|This|That|There|A|An|As|So|If|For"
)
_INITIAL = rf"(?![IVX]\.\s+(?:{_OPENING})\b)[{_UPPER}]\.(?={_GAP}[{_UPPER}])"
_NUMERAL = rf"(?:{_GAP}(?:[VX]|(?:[IVX]{{2,5}})|I(?=['’.,;:)]|\s+(?:of|was|died|reigned)\b))(?![^\W\d_]))?"  # of a king
_FORM = re.compile(
    rf"(?<![\w’'])(?:{_TITLE}\.?{_GAP}){{0,3}}(?:[{_UPPER}]\.(?:{_GAP})?){{0,4}}{_WORD}"
    rf"(?:(?:{_GAP}(?:{PARTICLES})){{0,1}}{_GAP}(?:{_INITIAL}|{_WORD}))*{_NUMERAL}"
)
_LEADING_TITLE = re.compile(rf"{_TITLE}\.?$")
_INITIAL_AFTER = re.compile(rf"\s{{1,3}}[{_UPPER}]\.")
_SMALL = re.compile(r"(?<![\w’'])[^\W\d_A-ZÀ-Þ][^\W\d_]+")
_STARTS = re.compile(r"(?:^|[.!?…:;]['’\"”»)\]*_]*\s+|[\"“‘«(\[*_]|--|[—–-]\s*|\n\s*\n\s*)$")
_SPOKE_BEFORE = re.compile(rf"\b(?:{SPEAKING.replace(' ', '|')})\s+$")
_DOES = re.compile(
    rf",?\s+(?:(?:had|has|then|only|just)\s+)?(?:{SPEAKING.replace(' ', '|')}|{DOING.replace(' ', '|')})\b"
)
_OWNS = re.compile(rf"['’]s?\s+(?:[a-z]+\s+)?(?:{OWNED.replace(' ', '|')})\b")
_CALLED = re.compile(r"(?:,\s+@[.!?,]*[\"”’]|[\"“‘]@[,!])")  # "Nick, come!" or "Come, Nick!"; @ is the name
_PLACED = re.compile(rf"\b(?:{PLACED.replace(' ', '|')})\s+(?:the\s+)?$", re.I)
_LOOKED = re.compile(  # "at" before a person
    r"\b(?:look|star|gaz|glanc|glar|smil|laugh|nod|wink|shout|bow|frown|wav|point|peer|scowl|sneer|angry|vexed|amazed|aim)"
    r"(?:e|ed|es|s|ing|led|ting|ded)?(?:\s+(?:up|back|down|out|again|hard|\w+ly))?\s+at\s+$"
)
_THE = re.compile(r"\b(?:the|a|an)\s+$", re.I)
_SAINT = ("St", "Ste", "Mt")
_SPEAKER = re.compile(
    rf"^\s*([{_UPPER}][\w.’'-]{{0,40}}(?:[ \t]{{1,3}}[{_UPPER}][\w.’'-]{{0,40}}){{0,4}})[ \t]?:\s", re.M
)
_PRONOUN = re.compile(r"[a-z]+")
_CONTEXT = 40  # characters around a name that are looked at
_SPEAKERS = 6  # lines with a speaker that make a text a transcript


@dataclass(slots=True)
class Form:
    """A name as it is written: its words with titles, and how often it stands where people, places or things do."""

    text: str
    count: int = 0
    human: int = 0
    placed: int = 0
    with_article: int = 0
    he: int = 0
    she: int = 0
    sentences: set[int] = field(default_factory=set)

    @property
    def title(self) -> str:
        """Its first title in small letters; "" if it has none."""
        first = self.text.split()[0].rstrip(".").lower()
        return first if first in TITLES and " " in self.text else ""

    @property
    def words(self) -> list[str]:
        """Its words without titles and particles."""
        words = self.text.split()
        while len(words) > 1 and words[0].rstrip(".").lower() in TITLES:
            words = words[1:]
        words = [word for word in words if word[0].isupper()]
        while len(words) > 2 and words[-1].isupper():  # letters after a name, such as MP
            words = words[:-1]
        return words

    @property
    def is_full(self) -> bool:
        """Whether it begins with a common first name, or has a patronymic: "Emma Woodhouse", "Ivan Petrovich"."""
        return is_full_name(self.words)


def forms_in(text: str) -> dict[str, Form]:
    """Return the forms of names in a text."""
    small = Counter(_SMALL.findall(text))
    inside = Counter(word for at, one in _found(text) for word in _inside(text, at, one))
    forms: dict[str, Form] = {}
    for number, sentence in enumerate(sentences(text)):
        if sentence.isupper():  # a heading
            continue
        for at, one in _found(sentence):
            if name := _trimmed(one, _begins(sentence, at), small, inside):
                start, last = one.index(name.split()[0]), name.split()[-1]
                end = one.rindex(last) + len(last)
                if " " not in name and _INITIAL_AFTER.match(sentence, at + end):  # James B. (“Rot-Gut”) Ferret
                    continue
                _note(forms.setdefault(name, Form(name)), sentence, at + start, at + end, number)
    for label, count in _speakers(text).items():
        form = forms.setdefault(label, Form(label))
        form.count, form.human = max(form.count, count), form.human + count
    return forms


def _found(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _FORM.finditer(text)]


def _inside(text: str, at: int, form: str) -> list[str]:
    """Return the words of a form that are not capitalised because a sentence begins there."""
    words = form.split()
    return words[1:] if _begins(text, at) and not _LEADING_TITLE.match(words[0]) else words


def _begins(text: str, at: int) -> bool:
    """Whether a sentence may begin at an offset."""
    return at == 0 or bool(_STARTS.search(text, max(0, at - 12), at))


def _trimmed(form: str, begins: bool, small: Counter[str], inside: Counter[str]) -> str:
    """Return a form without the words at its ends that are no names; "" if nothing is left."""
    words = form.split()

    def is_name(word: str) -> bool:
        plain = word.strip(".")
        lower = plain.lower()
        if len(plain) < 2 or plain in _SAINT:
            return word.endswith(".")
        given = lower in GIVEN and not small[lower]
        return lower not in NOBODY and (given or inside[plain] > small[lower])

    def stressed(word: str) -> bool:  # "Marianne WAS tired"
        return len(word) > 2 and word.isupper() and small[word.lower()] > 0

    while begins and words and not (_LEADING_TITLE.match(words[0]) or is_name(words[0]) or is_full_name(words)):
        words = words[1:]
    while words and (words[-1].lower() in NOBODY or stressed(words[-1])):
        words = words[:-1]
    if not any(map(is_name, words)):
        return ""
    proper = [word for word in words if not _LEADING_TITLE.match(word) and len(word.strip(".")) > 1]
    return " ".join(words) if proper else ""


def _note(form: Form, sentence: str, at: int, end: int, number: int) -> None:
    """Count one place of a form and what stands around it."""
    before, after = sentence[max(0, at - _CONTEXT) : at], sentence[end : end + _CONTEXT]
    form.count += 1
    called = _CALLED.search(f"{before[-2:]}@{after[:3]}")
    form.human += bool(called or _SPOKE_BEFORE.search(before) or _DOES.match(after) or _OWNS.match(after))
    placed = _PLACED.search(before) and not _LOOKED.search(before)
    form.placed += bool(placed) and not re.match(r"['’]", after)
    form.with_article += bool(_THE.search(before))
    form.sentences.add(number)
    pronoun = next((word for word in _PRONOUN.findall(sentence[end : end + 3 * _CONTEXT]) if word in HE | SHE), "")
    form.he += pronoun in HE
    form.she += pronoun in SHE


def _speakers(text: str) -> Counter[str]:
    """Return the speakers of a transcript, and how often each speaks; nobody if the text is none."""
    labels = Counter(" ".join(label.split()) for label in _SPEAKER.findall(text))
    repeated = Counter({label: count for label, count in labels.items() if count > 1})
    return repeated if repeated.total() >= _SPEAKERS and len(repeated) > 1 else Counter()
