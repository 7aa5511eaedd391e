"""Words that tell names of people from other capitalised words: titles, particles, verbs of people, places."""

from __future__ import annotations

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
