"""First names that are common in English, German, French, Italian, Spanish and Russian texts, in small letters.

Those that are ordinary words or towns as well, such as Mark, Rose and Florence, are left out.
"""

from __future__ import annotations

import re

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
