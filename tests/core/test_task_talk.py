"""Short replies that talk about the task are found although they name what the page is about; gists that only sound
alike pass."""

from __future__ import annotations

import pytest

from core.gists.passages import ARABIC, CHINESE, ENGLISH, GERMAN, JAPANESE, RUSSIAN, Sample
from readagent.core.gists.check import Check
from readagent.core.task_talk import task_talk

REFUSED, ASKED = "the model refused", "it asked for the text"
ABOUT_PAGES = [
    (GERMAN, REFUSED, "Leider kann ich die Geschichte von Konrad Weidlich und der Orgel in Altenburg nicht kürzen."),
    (GERMAN, REFUSED, "Eine Kürzung des Textes über den Orgelbauer Weidlich ist mir nicht möglich."),
    (GERMAN, ASKED, "Zu Weidlich und der Posaune fehlt mir der ganze Text; bitte senden Sie ihn noch einmal."),
    (RUSSIAN, REFUSED, "Сократить рассказ о Вере Андреевне и Фомине, к сожалению, не могу."),
    (RUSSIAN, ASKED, "Пришлите, пожалуйста, весь текст: прошу, дайте отрывок о школе в Липовке."),
    (CHINESE, REFUSED, "关于陈老板和怀表的内容，我没有办法进行缩写。"),
    (CHINESE, REFUSED, "陈老板修表的故事涉及版权，无法为您提供。"),
    (CHINESE, ASKED, "请提供陈老板和秋云故事的完整文本。"),
    (JAPANESE, REFUSED, "千代と源蔵の井戸の話については、要約を提供することができません。"),
    (JAPANESE, ASKED, "千代と井戸についての文章の続きをお送りください。"),
    (ARABIC, REFUSED, "يتعذر علي اختصار هذه الحكاية."),
    (ENGLISH, REFUSED, "Johanna, the clerk, the doctor: I'm unable to continue with this story."),
    (
        ENGLISH,
        REFUSED,
        "This story of Johanna and the ferry appears to be copyrighted, so a summary cannot be provided.",
    ),
    (ENGLISH, REFUSED, "Condensing the tale of Johanna, Aksel and the barge is not possible for me."),
    (ENGLISH, ASKED, "The passage about Johanna and Aksel was cut off. Please send the rest of the ferry story."),
    (ENGLISH, ASKED, "The text on the ferry was not provided. Please provide the text of the letter."),
    (ENGLISH, ASKED, "I'd be glad to shorten the text on the ferry to Skarholm, but I need to see the passage first."),
    (
        ENGLISH,
        "it had no content",
        "The text about the ferry was shortened as requested, in the same order and manner.",
    ),
    (
        ENGLISH,
        "it repeated itself",
        "Johanna ferry Aksel quay Johanna ferry Aksel quay letter barge ferry Johanna quay",
    ),
]
OF_POLICIES = [  # they name people of the page
    "This passage about Johanna Petersen, Karl and Momme violates our usage policy and has been blocked.",
    "As an AI language model, I may not write about Johanna Petersen, Karl and Momme.",
    "Johanna, Momme, Karl: I must decline.",
    "For copyright reasons, the passage on Johanna Petersen and old Momme cannot be reproduced here.",
    "To protect the privacy of Johanna Petersen and Karl, no summary is given.",
    "Content filtered: Johanna Petersen, Momme, Karl, lighthouse.",
    "Die Geschichte von Johanna, Karl und Momme verstößt gegen unsere Nutzungsrichtlinien und wurde gesperrt.",
    "Ich bin ein KI-Sprachmodell und darf zu Johanna Petersen und dem Wärter Momme nichts schreiben.",
    "Der Abschnitt über Johanna und Momme kann aus urheberrechtlichen Gründen nicht wiedergegeben werden.",
    "Ce contenu sur Johanna, Karl et Momme enfreint nos règles d'utilisation et a été bloqué.",
    "Pour des raisons de droits d'auteur, le passage sur Johanna et le vieux Momme ne peut pas être reproduit.",
    "El contenido sobre Johanna, Karl y el viejo Momme infringe nuestras políticas y ha sido bloqueado.",
    "Il contenuto su Johanna, Karl e Momme viola le nostre norme ed è stato bloccato.",
    "Содержание о Йоханне, Карле и Момме нарушает правила и было заблокировано.",
    "По соображениям авторского права рассказ о Йоханне и Момме не может быть воспроизведён.",
    "关于约翰娜、卡尔和莫默的内容违反了使用政策，已被屏蔽。",
    "The story of Johanna Petersen and Momme was flagged by our safety system and cannot be shown.",
    "My guidelines do not let me write about Johanna, Karl and the lighthouse keeper Momme.",
    "Ich muss es ablehnen, die Geschichte von Johanna und Momme zu kürzen.",
    "Je dois décliner la demande de résumer l'histoire de Johanna et de Momme.",
    "Debo negarme a resumir la historia de Johanna y Momme.",
    "Devo rifiutarmi di riassumere la storia di Johanna e Momme.",
    "Я вынужден отказаться от пересказа истории Йоханны и Момме.",
    "我必须拒绝总结约翰娜和莫默的故事。",
    "ヨハンナとモンメの話の要約はお断りします。",
    "私はAIなので、ヨハンナとモンメと灯台の話にはコメントを差し控えさせていただきます。",
]
IN_OTHER_LANGUAGES = [
    "Résumer l'histoire du gardien et du phare ne m'est malheureusement pas possible.",
    "No me es posible resumir el texto sobre la fábrica de hielo.",
    "Non mi è possibile riassumere il racconto della mugnaia.",
    "Não consigo resumir a história do barqueiro.",
    "Nie jestem w stanie skrócić opowiadania o zegarmistrzu.",
    "Příběh o mlynáři bohužel nemohu zkrátit.",
    "Saatçi Anton hakkındaki metni maalesef kısaltamıyorum.",
    "시계공의 이야기는 요약해 드릴 수 없습니다.",
    "Het verhaal over de molenaar kan ik helaas niet samenvatten.",
    "Berättelsen om mjölnaren kan jag tyvärr inte sammanfatta.",
    "A molnár történetét sajnos nem tudom összefoglalni.",
    "Tarinaa mylläristä en voi tiivistää.",
    "Tôi không thể tóm tắt câu chuyện về người thợ đồng hồ.",
    "Saya tidak dapat meringkas cerita tentang tukang arloji.",
    "איני יכול לקצר את הסיפור על השען.",
    "Lütfen saatçi hakkındaki metnin tamamını gönderin.",
    "Proszę podać tekst o zegarmistrzu.",
    "시계공에 관한 본문을 보내 주세요.",
]
TOLD = [
    (
        "The editor cannot shorten the poem without losing the rhyme, says Anna in her letter to the publisher. The"
        " printer in Leeds may set it smaller instead. The publisher agrees, but wants half the preface cut.",
        "Anna writes that the poem cannot be shortened; the publisher agrees, but wants half the preface cut.",
    ),
    (
        "In our tests on 300 news texts, model A said that it could not summarise the text in 12 cases, mostly because"
        " of copyright, and asked users to please provide the text in 5 cases although it was there. Model B never did.",
        "Model A could not summarise the text in 12 of 300 cases, citing copyright, and asked to please provide the"
        " text in 5; model B never did.",
    ),
    (
        "Dear Tom, please send me the text of your speech for Friday, since the printer needs it by noon. The story"
        " about the goose can stay, but the chapter on taxes is missing, and without it I cannot fill the page. Yours, Ed",
        "Ed asks Tom to please send the text of Friday's speech by noon: the chapter on taxes is missing.",
    ),
    (
        "Mon éditeur me demande de raccourcir le roman. Je ne peux pas couper le chapitre du lac, lui ai-je répondu,"
        " c'est là que tout se noue. Ma sœur propose de supprimer la préface. J'accepte.",
        "Mon éditeur veut raccourcir le roman ; je ne peux pas couper le chapitre du lac, mais la préface est supprimée.",
    ),
    (
        "Der Minister kann die Renten nicht kürzen, sagte die Sprecherin, und ich kann es auch nicht. Der Haushalt fehle"
        " noch, und ohne ihn sei jede Zahl geraten.",
        "Die Sprecherin: Ich kann die Renten nicht kürzen. Der Haushalt fehlt noch, und jede Zahl wäre geraten.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "reason", "reply"), ABOUT_PAGES)
def test_a_refusal_that_names_the_page_is_no_gist(sample: Sample, reason: str, reply: str) -> None:
    assert Check().problem(reply, sample.page) == reason


@pytest.mark.parametrize("reply", IN_OTHER_LANGUAGES)
def test_talk_about_the_task_is_found_in_many_languages(reply: str) -> None:
    assert task_talk(reply, "") in (REFUSED, ASKED)


@pytest.mark.parametrize(("page", "gist"), TOLD)
def test_a_page_that_speaks_of_such_things_may_have_a_gist_that_does(page: str, gist: str) -> None:
    assert task_talk(gist, "some other text")
    assert Check().problem(gist, page) == ""


def test_a_long_reply_has_content() -> None:
    assert task_talk("I cannot shorten this text.", "") == REFUSED
    assert task_talk(f"I cannot shorten this text. {ENGLISH.gists[0]} {ENGLISH.gists[1]}", "") == ""


@pytest.mark.parametrize("reply", OF_POLICIES)
def test_a_refusal_that_talks_of_policies_is_found_unless_the_page_has_these_words(reply: str) -> None:
    assert task_talk(reply, "The ferry was late.") == REFUSED
    assert task_talk(reply, f"The log of the service has this line: {reply}") == ""


def test_words_in_quotation_marks_are_not_talk_about_the_task() -> None:
    assert task_talk('"I cannot summarise the text," says Anna.', "The ferry was late.") == ""
    assert task_talk("I cannot summarise the text, says Anna.", "The ferry was late.") == REFUSED
