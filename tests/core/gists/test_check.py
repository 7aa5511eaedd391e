"""A gist is checked against its page: failure texts and other texts are found, and good gists pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.gists.passages import BY_LANGUAGE, ENGLISH, ERRORS, FAILURES, NOTHING, REFUSALS, REQUESTS, SAMPLES, Sample
from readagent.core.failure_text import failure_in
from readagent.core.gists.check import Check
from readagent.core.gists.repeats import repeats
from readagent.core.gists.shorten import gist_page, judge_gist
from readagent.core.memory import Gist, Page
from readagent.core.model import Reply
from readagent.core.plan import Plan
from readagent.core.words import count_words
from sessions import make_session, run


def problem(text: str, page: str, wishes: str = "") -> str:
    check = Check(wishes)
    return judge_gist(Reply(text), count_words(page), None, lambda gist: check.problem(gist, page))[1]


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_no_failure_text_is_a_gist_of_any_page(language: str) -> None:
    assert len(FAILURES) > 60
    assert [text for text in FAILURES if not problem(text, BY_LANGUAGE[language].page)] == []


def test_a_gist_of_another_page_is_found() -> None:
    for one in SAMPLES[:10]:
        for other in SAMPLES[:10]:
            if one is not other:
                assert [text for text in other.gists if not problem(text, one.page)] == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_good_gists_pass(sample: Sample) -> None:
    assert {text: problem(text, sample.page) for text in sample.gists if problem(text, sample.page)} == {}


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.translated])
def test_another_language_passes_only_if_it_is_asked_for(sample: Sample) -> None:
    for wish, text in sample.translated:
        assert problem(text, sample.page, wish) == ""
        assert problem(text, sample.page) == "it was not in the language of the passage"
        assert problem(REFUSALS[0], sample.page, wish)


def test_the_wish_for_a_language_comes_from_the_plan() -> None:
    wish, text = ENGLISH.translated[0]
    page = Page(0, 0, len(ENGLISH.page), count_words(ENGLISH.page))
    for plan in (Plan(instructions=wish), Plan(task=wish)):
        assert run(gist_page(make_session([text], plan), page, ENGLISH.page)).text == text
    assert run(gist_page(make_session([text, text], Plan()), page, ENGLISH.page)).origin == "lead"


def test_a_page_that_tells_of_a_refusal_may_have_a_gist_that_does() -> None:
    page = (
        "I am sorry, wrote the keeper of the archive, I cannot help you with the shipping lists of 1911, for the"
        " river took them. He enclosed a map of the cellar, with the height of the water marked in red, and asked me to"
        " return it before Easter, since the bishop wished to see how close the flood had come to the baptismal books."
    )
    text = "I am sorry, wrote the keeper, I cannot help with the lists of 1911: the river took them. He sent a map."
    assert problem(text, page) == ""


def test_two_pages_cannot_share_a_gist_unless_they_are_alike() -> None:
    gist, page = Gist(ENGLISH.gists[0], 20), ENGLISH.page
    half = f"{' '.join(page.split()[:90])} {SAMPLES[12].page}"
    assert repeats([page, page.replace("tomato", "potato"), half], [gist] * 3) == [2]
    assert repeats([half, page, half], [gist] * 3) == [1]
    assert repeats([page, half], [gist, replace(gist, origin="lead")]) == []
    assert Check(unlike=gist.text).problem(gist.text, page) == "it was the gist of another page"
    assert Check(unlike=gist.text).problem(ENGLISH.gists[1], page) == ""


def test_pages_of_figures_and_of_code_are_not_compared_word_by_word() -> None:
    assert problem("A dump of the first bytes of the file, all hexadecimal.", "0a f3 9c 00 77 1e b2 4d " * 20) == ""
    assert problem(REFUSALS[0], "0a f3 9c 00 77 1e b2 4d " * 20) == "the model refused"


@pytest.mark.parametrize("text", [*REFUSALS, *ERRORS, *REQUESTS, *NOTHING])
def test_failure_texts_are_no_answers(text: str) -> None:
    assert failure_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "Yes", "1894", "No.", "None.", "The text does not say.", "A", "(B)", "42 %", "是", "はい", "Да.", "500 kilograms of salt",
        "Unfortunately, the expedition could not continue, and they turned back.", "An error in the scale: 200 g.",
        "I cannot tell, says Ann, but the narrator explains it later.", "He cannot help her: the bridge is closed.",
        "Leider kann Anna nicht kommen.", "Es tut ihm leid.", "Lamento que murió.", "Je ne sais pas, dit-elle.",
        "Она не могла уйти.", "他无法回家。", "彼は行けませんでした。", "Please, she says, give me the document back.",
        "The page was missing from the ledger.", "Too many requests for loans had come in.", "Error bars show the spread.",
        "As an AI, Klara observes people through the shop window.", "Nan is the grandmother.", "404 sailors",
    ],
)  # fmt: skip
def test_short_and_sad_answers_are_answers(text: str) -> None:
    assert failure_in(text) == ""


GERMAN_PAGE = (
    "Am Morgen nach dem Sturm lag der Kutter quer in der Hafeneinfahrt, und kein anderes Schiff kam hinaus. Der alte"
    " Harms stand auf der Mole und zählte die Planken, die fehlten. Seine Tochter Wiebke hatte ihm am Abend zuvor noch"
    " gesagt, er solle die zweite Leine festmachen, doch er hatte nur gelacht und war ins Wirtshaus gegangen. Nun kam"
    " der Hafenmeister und sagte, bis Mittag müsse die Einfahrt frei sein, sonst werde der Schlepper aus Emden bestellt,"
    " und der koste achthundert Mark. Harms hatte keine achthundert Mark. Wiebke ging ohne ein Wort zum Pfandleiher und"
    " brachte die Uhr ihrer Mutter hin, und niemand am Hafen fragte sie danach."
)
IN_OTHER_LANGUAGES = {
    "После бури катер Хармса загородил гавань; денег нет, и дочь закладывает часы матери.":
        ["Write in Russian.", "Пиши по-русски.", "на русском языке", "auf Russisch", "用俄语"],
    "Fırtınadan sonra Harms'ın teknesi limanı kapatır; kızı annesinin saatini rehin bırakır.":
        ["in Turkish", "Türkçe", "Türkçe özetle."],
    "Після бурі катер загородив гавань; грошей немає, і дочка заставляє материн годинник.":
        ["in Ukrainian", "українською"],
    "بعد العاصفة سدّ القارب مدخل الميناء، فرهنت ابنته ساعة أمها.": ["in Arabic", "بالعربية", "لخص باللغة العربية"],
    "폭풍이 지난 아침 배가 항구 입구를 막았다. 딸이 어머니의 시계를 저당 잡힌다.": ["in Korean", "한국어로"],
    "A vihar után a hajó elzárja a kikötőt; lánya zálogba adja anyja óráját.": ["in Hungarian", "magyarul"],
    "Sau cơn bão, con tàu chặn lối vào cảng; con gái đem cầm đồng hồ của mẹ.": ["in Vietnamese", "bằng tiếng Việt"],
    "Myrskyn jälkeen kutteri tukkii sataman, ja tytär panttaa äitinsä kellon.": ["in Finnish", "suomeksi"],
    "אחרי הסערה חוסמת הסירה את הנמל, ובתו ממשכנת את שעון אמה.": ["in Hebrew", "בעברית"],
    "Po bouři blokuje kutr přístav, a tak dcera zastaví matčiny hodinky.": ["in Czech", "česky"],
    "Baada ya dhoruba mashua yaziba bandari; binti aweka rehani saa ya mama.": ["Write in Swahili."],
}  # fmt: skip


@pytest.mark.parametrize("text", IN_OTHER_LANGUAGES)
def test_a_gist_in_the_language_asked_for_need_not_share_a_word(text: str) -> None:
    assert problem(text, GERMAN_PAGE)
    assert {wish: problem(text, GERMAN_PAGE, wish) for wish in IN_OTHER_LANGUAGES[text]} == dict.fromkeys(
        IN_OTHER_LANGUAGES[text], ""
    )
    assert problem(text, GERMAN_PAGE, "Write in Greek.")


PRIEST = (
    "I cannot help you, said the priest, and I will not pretend that I can. You came here for permission, and I have none"
    " to give. The law of the parish forbids a second marriage while the first husband is not proven dead, and a rumour"
    " from a sailor is not proof. I am sorry for you, Marta. Go to Trieste. Find the sailor. Bring me a paper with a seal."
)
RUSSIAN_PAGE = (
    "Когда поезд остановился на маленькой станции, Надежда Петровна вышла на платформу и сразу увидела брата. Он"
    " постарел, ссутулился, и пальто на нём было чужое. Они не виделись одиннадцать лет, с тех пор как продали дом. И"
    " только у самых ворот он вдруг остановил лошадь и сказал, что письмо о болезни матери написал он сам, что мать"
    " умерла ещё осенью, а он боялся, что сестра не приедет."
)
CHINESE_PAGE = (
    "第二天一早，老王就挑着担子进了城。告示前围满了人，原来是县里要修水渠，每户出一个劳力，不出的要交三斗米。老王家里只有他和一个七岁的"
    "孙子。里长却说规矩就是规矩，谁也不能例外。老王最后决定自己去修渠，让孙子到李嫂家吃饭。一个月后水渠修好了，老王的腿却瘸了。村里人"
    "凑了些钱给他请了大夫。"
)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            PRIEST,
            "I cannot help you, says the priest; I am sorry. Without proof of death no second marriage. Go to Trieste.",
        ),
        (
            GERMAN_PAGE,
            "Weil ihr Vater leichtsinnig war und das Schiff nicht sicherte, muss die Tochter etwas verpfänden.",
        ),
        (RUSSIAN_PAGE, "Сестра приезжает в гости; брат сознаётся во лжи, чтобы заманить её: матери давно нет."),
        (CHINESE_PAGE, "为修渠征发劳力，老人只得亲自去，结果瘸了腿。"),
        (
            "O captain my captain our fearful trip is done the ship has weathered every rack the prize we sought is won the"
            " port is near the bells I hear the people all exulting while follow eyes the steady keel",
            "The voyage over, the crew nears port and cheering crowds.",
        ),
    ],
)
def test_free_paraphrases_pass(page: str, text: str) -> None:
    assert problem(text, page) == ""


LICENCE = (
    "The licences for most software and other practical works are designed to take away your freedom to share and change"
    " the works. By contrast, this General Public License is intended to guarantee your freedom to share and change all"
    " versions of a program, to make sure it remains free software for all its users. When we speak of free software, we"
    " are referring to freedom, not price. You can apply the terms and conditions to your programs too. The source code"
    " of the program must be made available to everyone who receives a copy of the work, together with the licence text"
    " and a notice of copyright, and everyone may modify the program and distribute copies of it under the same terms."
)


@pytest.mark.parametrize(
    "text",
    [
        "You've shared a licence text about the terms of free software. What would you like me to do with this passage?",
        "Thank you for sharing the terms of the licence. If you have any questions about the program, feel free to ask!",
        "This text is part of the General Public License. I can help you summarize it. Let me know how to proceed!",
        "The text is part of a software licence regarding source code and copies; do you want a summary of the terms?",
        "Is there anything specific about the terms of this software licence that you would like to know?",
        "I'm not a lawyer and cannot give advice about the licence, the program or the copyright of the work.",
        "The licence says that everyone may share and change the program, but I cannot shorten the text.",
        "Dies ist ein Lizenztext über freie Software. Möchten Sie, dass ich ihn zusammenfasse?",
    ],
)
def test_chat_about_a_page_is_no_gist(text: str) -> None:
    assert problem(text, LICENCE)


def test_a_gist_may_end_with_a_question_that_the_page_asks() -> None:
    text = (
        "Everyone may share and change the program under the same terms. What would you like me to do with the source?"
    )
    assert problem(text, LICENCE) == "it spoke to the user"
    assert problem(text, f"{LICENCE} What would you like me to do with the source? he asked.") == ""


SONNET = (
    "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\nRough winds do shake the darling"
    " buds of May,\nAnd summer's lease hath all too short a date;\nSometime too hot the eye of heaven shines,\nAnd often"
    " is his gold complexion dimm'd;\nAnd every fair from fair sometime declines,\nBy chance or nature's changing course"
    " untrimm'd;\nBut thy eternal summer shall not fade,\nNor lose possession of that fair thou ow'st;\nNor shall death"
    " brag thou wander'st in his shade,\nWhen in eternal lines to time thou grow'st:\nSo long as men can breathe or eyes"
    " can see,\nSo long lives this, and this gives life to thee."
)
ERLKING = (
    "Wer reitet so spät durch Nacht und Wind? Es ist der Vater mit seinem Kind; er hat den Knaben wohl in dem Arm, er faßt"
    " ihn sicher, er hält ihn warm. Mein Sohn, was birgst du so bang dein Gesicht? Siehst, Vater, du den Erlkönig nicht?"
    " Den Erlenkönig mit Kron und Schweif? Mein Sohn, es ist ein Nebelstreif. Dem Vater grausets, er reitet geschwind, er"
    " hält in Armen das ächzende Kind, erreicht den Hof mit Mühe und Not; in seinen Armen das Kind war tot."
)
OZYMANDIAS = (
    "I met a traveller from an antique land, who said: Two vast and trunkless legs of stone stand in the desert. Near them,"
    " on the sand, half sunk a shattered visage lies, whose frown, and wrinkled lip, and sneer of cold command, tell that"
    " its sculptor well those passions read which yet survive, stamped on these lifeless things. And on the pedestal,"
    " these words appear: My name is Ozymandias, King of Kings; look on my works, ye Mighty, and despair! Nothing beside"
    " remains. Round the decay of that colossal wreck, boundless and bare, the lone and level sands stretch far away."
)


def test_a_short_page_may_be_told_freely() -> None:
    poem = (
        "The beloved outshines a summer's day, which is brief and inconstant; the poem keeps that beauty alive as long"
    )
    ride = "Bei einem nächtlichen Ritt erlebt ein kranker Junge, wie ihn ein Geist lockt; sein Vater beschwichtigt ihn."
    assert problem(f"{poem} as people can read it.", SONNET) == ""
    assert problem(ride, ERLKING) == ""
    assert problem(poem, ERLKING)
    assert problem(ride, SONNET)


def test_a_gist_that_shares_hardly_a_word_is_accepted_if_the_model_says_the_same_again() -> None:
    first = "A wanderer describes the broken monument of a proud ruler, of whose power only rubble is left."
    again = "A wanderer tells of a proud ruler's broken monument: rubble is all that his power has left in the desert."
    other = (
        "The committee of the desert railway chose new brakes, a cheaper timetable and another caterer for its guests."
    )
    free = "it shares too few words with the passage"
    check = Check()
    assert check.problem(first, OZYMANDIAS) == free
    assert check.problem(first, OZYMANDIAS) == free, "the same words again show nothing"
    assert check.problem(again, OZYMANDIAS) == ""
    unlike = Check()
    assert [unlike.problem(one, OZYMANDIAS) for one in (first, other)] == [free, free]
    elsewhere = Check()
    assert [elsewhere.problem(first, OZYMANDIAS), elsewhere.problem(again, ERLKING)][1]
