"""Which actions need a confirmation, judged by the words and the kind of the element."""

from __future__ import annotations

import pytest

from readagent.webnav.action import Action
from readagent.webnav.live.risk import ElementFacts, risk

CLICK = Action("1", "click")


@pytest.mark.parametrize(
    "words",
    ["Buy now", "Check out", "Checkout", "PLACE ORDER", "Zahlungspflichtig bestellen", "Payer", "Pagar", "Prenota",
     "Kup teraz", "Оплатить", "立即购买", "注文する", "결제하기", "Delete", "Remove from list", "Konto löschen", "Supprimer",
     "Eliminar", "Удалить", "删除", "Send", "Publish", "Absenden", "Envoyer", "Enviar", "Отправить", "提交", "送信",
     "Confirm", "Sign up", "sign-up"],
)  # fmt: skip
def test_buttons_that_need_a_confirmation(words: str) -> None:
    assert risk(ElementFacts("button", "submit", words, words), CLICK)
    assert risk(ElementFacts("a", "", words, words, link="https://shop.example/x"), CLICK)


@pytest.mark.parametrize(
    "words",
    ["Search", "Next", "Show more", "Orders", "Order by price", "Books", "Add to basket", "Menu", "下一页", "Weiter"],
)
def test_buttons_that_need_no_confirmation(words: str) -> None:
    assert risk(ElementFacts("button", "button", words, words), CLICK) == ""


def test_submitting_a_form_needs_a_confirmation_unless_it_is_a_search() -> None:
    assert (
        risk(ElementFacts("button", "submit", "Go", "Go", submits=True, in_form=True, method="post"), CLICK)
        == "it submits a form"
    )
    assert (
        risk(ElementFacts("button", "submit", "Go", "Go", submits=True, in_form=True, method="get", search=True), CLICK)
        == ""
    )
    typed = Action("1", "type", "Rome\n")
    assert (
        risk(ElementFacts("input", "text", "City", "City", in_form=True, method="post"), typed)
        == "Enter submits the form"
    )
    assert risk(ElementFacts("input", "text", "City", "City", in_form=True, method="get", search=True), typed) == ""
    assert risk(ElementFacts("input", "text", "City", "City", in_form=True), Action("1", "type", "Rome")) == ""


def test_headlines_fields_and_choices_are_not_commands() -> None:
    headline = "How we delete and publish every order"
    assert risk(ElementFacts("a", "", headline, headline, link="https://shop.example/x"), CLICK) == ""
    assert risk(ElementFacts("input", "checkbox", "Send me news", "Send me news"), CLICK) == ""
    assert risk(ElementFacts("select", "select-one", "Order", "Order"), Action("1", "select", "Delete")) == ""
