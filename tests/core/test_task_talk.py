"""Short replies that talk about the task are found although they name what the page is about; gists that only sound
alike pass."""

from __future__ import annotations

import pytest

from core.gists.passages import CHINESE, ENGLISH, GERMAN, Sample
from readagent.core.gists.check import Check
from readagent.core.task_talk import task_talk

REFUSED, ASKED = "the model refused", "it asked for the text"
ABOUT_PAGES = [
    (GERMAN, REFUSED, "Leider kann ich die Geschichte von Konrad Weidlich und der Orgel in Altenburg nicht kürzen."),
    (GERMAN, ASKED, "Zu Weidlich und der Posaune fehlt mir der ganze Text; bitte senden Sie ihn noch einmal."),
    (CHINESE, ASKED, "请提供陈老板和秋云故事的完整文本。"),
    (
        ENGLISH,
        REFUSED,
        "This story of Johanna and the ferry appears to be copyrighted, so a summary cannot be provided.",
    ),
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
OF_POLICIES = [
    "This passage about Johanna Petersen, Karl and Momme violates our usage policy and has been blocked.",
    "Johanna, Momme, Karl: I must decline.",
    "Ich bin ein KI-Sprachmodell und darf zu Johanna Petersen und dem Wärter Momme nichts schreiben.",
    "私はAIなので、ヨハンナとモンメと灯台の話にはコメントを差し控えさせていただきます。",
]
IN_OTHER_LANGUAGES = [
    "Résumer l'histoire du gardien et du phare ne m'est malheureusement pas possible.",
    "Nie jestem w stanie skrócić opowiadania o zegarmistrzu.",
    "시계공의 이야기는 요약해 드릴 수 없습니다.",
]
TOLD = [(
        "The editor cannot shorten the poem without losing the rhyme, says Anna in her letter to the publisher. The"
        " printer in Leeds may set it smaller instead. The publisher agrees, but wants half the preface cut.",
        "Anna writes that the poem cannot be shortened; the publisher agrees, but wants half the preface cut.",
    ), (
        "Dear Tom, please send me the text of your speech for Friday, since the printer needs it by noon. The story"
        " about the goose can stay, but the chapter on taxes is missing, and without it I cannot fill the page. Yours, Ed",
        "Ed asks Tom to please send the text of Friday's speech by noon: the chapter on taxes is missing.",
    ),]  # fmt: skip


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


@pytest.mark.parametrize("reply", OF_POLICIES)
def test_a_refusal_that_talks_of_policies_is_found_unless_the_page_has_these_words(reply: str) -> None:
    assert task_talk(reply, "The ferry was late.") == REFUSED
    assert task_talk(reply, f"The log of the service has this line: {reply}") == ""


def test_words_in_quotation_marks_are_not_talk_about_the_task() -> None:
    assert task_talk('"I cannot summarise the text," says Anna.', "The ferry was late.") == ""
    assert task_talk("I cannot summarise the text, says Anna.", "The ferry was late.") == REFUSED
