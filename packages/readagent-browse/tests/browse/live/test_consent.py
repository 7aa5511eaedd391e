"""Nothing is sent, saved or permitted without consent, whatever a button is called; looking around is free."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browse.live.conftest import QUICK, RunVisit
from browse.live.recorder import Recorder, recorder
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent_browse.live.browser_tab import BrowserTab, open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.gestures import Gestures
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.observe import observe
from readagent_browse.live.request_text import describe_request
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import Limits, agree, refuse

NAMES = """Withdraw funds|Close account|Deploy to production|Buy now|Pay|Place order|Checkout|Delete|Remove|Erase all data|
Send|Submit|Publish|Post|Share|Reply|Forward|Transfer money|Wire 500|Confirm|Sign up|Register|Vote|Accept|Agree|Apply|
Continue|Next|OK|Yes|Go|Done|Save|Weiter|Finish|Proceed|Let's do it|Claim your prize|Unlock|Enable|Disable|Activate|Deactivate|
Ban user|Kick|Mute|Merge|Rebase and force push|Roll back|Restart server|Shut down|Format disk|Revoke key|Rotate keys|
Grant access|Invite|Leave team|Resign|Terminate contract|Jetzt kaufen|Supprimer|Comprar|送信|购买|결제하기|Удалить|Prenota|
Menu|Show more""".replace("\n", "").split("|")
EFFECTS = (
    "fetch('/do', {method: 'POST', body: 'x=1'})", "fetch('/do', {method: 'DELETE'})",
    "(r => { r.open('PUT', '/do'); r.send('x') })(new XMLHttpRequest())", "navigator.sendBeacon('/do', 'x')",
    "fetch('/do', {method: 'PATCH', body: 'x', keepalive: true})", "f.submit()",
)  # fmt: skip


async def press_everything(browser: Any, here: Recorder, consent: Consent) -> tuple[BrowserTab, tuple[str, ...]]:
    """Click every element of the start page and return what was refused."""
    async with open_tab(browser, NetworkGuard(here.url), QUICK, consent) as tab:
        await tab.open(here.url)
        for element in (await observe(tab, Secrets())).snapshot.elements:
            await Gestures(tab).click(element.id)
            consent.take_refusals()
        await tab.wait_until_idle()
        return tab, tab.monitor.take_events()


@pytest.mark.anyio
@pytest.mark.browser
async def test_no_button_sends_anything_whatever_it_is_called(browser: Any) -> None:
    assert len(NAMES) == 69
    questions: list[str] = []

    def confirm(question: str) -> bool:
        questions.append(question)
        return False

    buttons = "".join(
        f'<button onclick="{EFFECTS[n % len(EFFECTS)].replace("/do", f"/do/{n}")}">{name}</button>'
        for n, name in enumerate(NAMES)
        if n % len(EFFECTS) != 5
    )
    forms = "".join(
        f"<form method=post action=/do/{n}><input type=hidden name=x value=1><button>{name}</button></form>"
        for n, name in enumerate(NAMES)
        if n % len(EFFECTS) == 5
    )
    with recorder({"/": f"<title>All</title>{buttons}{forms}"}) as here:
        await press_everything(browser, here, Consent(confirm))
        assert here.sent() == []
    assert len(questions) == len(NAMES)


@pytest.mark.anyio
@pytest.mark.browser
@pytest.mark.parametrize(
    "element",
    ["<x-buy tabindex=0 onclick=\"{}\">Buy</x-buy>", "<div style='cursor:pointer' onclick=\"{}\">Card</div>"],
)  # fmt: skip
async def test_it_does_not_matter_what_kind_of_element_sends(browser: Any, element: str) -> None:
    with recorder({"/": "<title>Odd</title>" + element.format(EFFECTS[0])}) as here:
        _, events = await press_everything(browser, here, Consent(refuse))
        assert here.sent() == []
    assert events == (f"not sent: POST {here.url}/do (there is nobody to ask)",)


@pytest.mark.anyio
@pytest.mark.browser
async def test_enter_in_a_chat_box_sends_nothing_unless_it_is_confirmed(run_visit: RunVisit) -> None:
    page = """<title>Chat</title><input placeholder=Message onkeydown="if (event.key == 'Enter')
    fetch('/say', {method: 'POST', body: JSON.stringify({text: this.value, token: 'abc123'})})">"""
    questions: list[str] = []

    def answer(yes: bool) -> Callable[[str], bool]:
        def confirm(question: str) -> bool:
            questions.append(question)
            return yes

        return confirm

    with site({"/": page}) as here:
        visit = await run_visit(here, [("Message", "hello [Enter]")], confirm=answer(False), trace="no")
        assert here.sent == []
        assert visit.ended == "unconfirmed"
        assert visit.steps[0].events == (f"not sent: POST {here.url}/say (the user did not confirm it)",)
        visit = await run_visit(here, [("Message", "hello [Enter]")], confirm=answer(True), trace="yes")
        assert here.sent == ['/say {"text":"hello","token":"abc123"}']
        assert visit.done
    assert questions == [f'send POST to {here.url}/say: {{"text":"hello","token":"abc123"}}'] * 2


@pytest.mark.anyio
@pytest.mark.browser
async def test_buttons_that_only_look_or_change_the_page_are_never_asked_about(run_visit: RunVisit) -> None:
    page = """<title>Shop</title><form action=/find><input type=search name=q placeholder=Find><button>Submit</button></form>
    <button onclick="document.title = 'Applied'">Apply</button><button onclick="fetch('/more?page=2')">Order</button>
    <a href=/delete-policy>Delete</a>"""
    questions: list[str] = []
    with site({"/": page, "/find": page, "/delete-policy": page, "/more": "more"}) as here:
        visit = await run_visit(
            here, ["Apply", "Order", "Delete", ("Find", "lamp"), "Submit"], confirm=lambda said: bool(questions.append(said))
        )  # fmt: skip
        assert any("/find?q=lamp" in line for line in here.asked)
        assert any("/more?page=2" in line for line in here.asked)
    assert visit.done
    assert visit.steps[1].title == "Applied"
    assert questions == []


@pytest.mark.anyio
@pytest.mark.browser
async def test_a_trusted_host_is_not_asked_about_and_the_agent_is_told_what_was_refused(run_visit: RunVisit) -> None:
    page = """<title>Shop</title><button onclick="fetch('/order', {method: 'POST', body: 'lamp'})">Order</button>"""
    with site({"/": page}) as here:
        model = ScriptedVisitor(["Order"])
        visit = await run_visit(here, model, confirm=refuse, trace="refused")
        assert here.sent == []
        assert "not sent: POST" in model.prompts[-1]
        assert visit.reason == f"send POST to {here.url}/order (there is nobody to ask)"
        visit = await run_visit(here, ["Order"], confirm=refuse, yes=(f"127.0.0.1:{here.port}",), trace="trusted")
        assert here.sent == ["/order lamp"]
    assert visit.done


@pytest.mark.anyio
@pytest.mark.browser
async def test_what_was_refused_once_is_not_asked_again(run_visit: RunVisit) -> None:
    page = """<title>Poll</title><script>var n = 0;</script>
    <button onclick="fetch('/a', {method: 'POST', body: 'same'})">Same</button>
    <button onclick="fetch('/a', {method: 'POST', body: 'other' + n++})">Other</button>"""
    questions: list[str] = []
    with site({"/": page}) as here:
        await run_visit(here, ["Same", "Same", "Other", "Other"], confirm=lambda said: bool(questions.append(said)))
        assert here.sent == []
    assert [said.rpartition(" ")[2] for said in questions] == ["same", "other0", "other1"]


@pytest.mark.anyio
@pytest.mark.browser
async def test_what_would_be_sent_is_shown_without_secrets(run_visit: RunVisit) -> None:
    page = """<title>Log in</title><form method=post action=/in enctype=multipart/form-data><input name=who placeholder=Who>
    <input type=password name=word placeholder=Word><button>Go</button></form>"""
    questions: list[str] = []
    with site({"/": page}) as here:
        await run_visit(
            here, [("Who", "mira"), ("Word", "{PW}"), "Go"], secrets={"PW": "tulips & roses"},
            confirm=lambda said: bool(questions.append(said)),
        )  # fmt: skip
        assert here.sent == []
    (question,) = questions
    assert question.startswith(f"send POST to {here.url}/in: ------WebKitFormBoundary")
    assert 'name="who" mira' in question
    assert 'name="word" {PW}' in question


@pytest.mark.anyio
@pytest.mark.browser
@pytest.mark.parametrize("agreed", [True, False])
async def test_a_download_is_saved_only_with_consent(run_visit: RunVisit, tmp_path: Any, agreed: bool) -> None:
    questions: list[str] = []

    def confirm(question: str) -> bool:
        questions.append(question)
        return agreed

    with site({"/": "<title>Files</title><a href=/file.zip>File</a>"}) as here:
        visit = await run_visit(here, ["File"], confirm=confirm)
    assert questions == [f'save "file.zip" from {here.url}/file.zip']
    saved = tmp_path / "trace" / "downloads" / "file.zip"
    assert saved.exists() is agreed
    said = 'a file was saved: "file.zip"' if agreed else 'a download was refused: "file.zip"'
    assert said in [event for step in visit.steps for event in step.events]


@pytest.mark.anyio
@pytest.mark.browser
@pytest.mark.parametrize("agreed", [True, False])
async def test_a_permission_is_given_only_with_consent(run_visit: RunVisit, agreed: bool) -> None:
    page = """<title>Ask</title><button onclick="Notification.requestPermission().then(said => document.title = said)">
    Notify</button>"""
    questions: list[str] = []

    def confirm(question: str) -> bool:
        questions.append(question)
        return agreed

    with site({"/": page}) as here:
        visit = await run_visit(here, ["Notify"], confirm=confirm)
    assert questions == [f"give {here.url} the permission for notifications"]
    assert (visit.steps[-1].title == "granted") is agreed
    events = [event for step in visit.steps for event in step.events]
    assert events == ([] if agreed else ["a permission was refused: notifications (the user did not confirm it)"])


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("a=1&b=x+y", ": a=1&b=x+y"),
        ('{"to": {"amount": 5}}', ': {"to": {"amount": 5}}'),
        ("name=%D0%9C%D0%B8%D1%80%D0%B0&next=%26amount%3D1", ": name=Мира&next=%26amount%3D1"),
        ("gnp\u202e.\u200bx\n\x1b[2J", ": gnp[U+202E].[U+200B]x ␛[2J"),
        ("", ""),
    ],
)
def test_a_short_request_is_shown_whole(body: str, shown: str) -> None:
    assert describe_request("POST", "https://shop.test/x?q=1", body) == f"send POST to https://shop.test/x?q=1{shown}"


def test_a_long_request_is_shown_by_its_beginning_and_written_to_a_private_file(tmp_path: Path) -> None:
    asked: list[str] = []
    consent = Consent(lambda said: bool(asked.append(said)), secrets=Secrets({"PW": "tulip & roses"}))
    consent.folder = tmp_path / "t"
    body = "\x1b[2J" + "A" * 3000 + "&amount=9999&word=tulip+%26+roses&" + "B" * 3000
    assert not consent.permits_request("POST", "https://shop.test/pay?to=mallory", body, headers={"X-A": "1"})
    (question,) = asked
    (file,) = consent.folder.iterdir()
    assert question.startswith("send POST to https://shop.test/pay?to=mallory (with X-A: 1): ␛[2JAAA")
    assert question.endswith(f"... (all 6,088 characters are in {file})")
    assert len(question) < 600
    text = file.read_text("utf-8")
    assert text.startswith("POST https://shop.test/pay?to=mallory\nX-A: 1\n\n␛[2JAAA")
    assert text.endswith(f"&amount=9999&word={{PW}}&{'B' * 3000}\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert consent.folder.stat().st_mode & 0o777 == 0o700
    assert consent.take_refusals() == ("send POST to https://shop.test/pay",)


@pytest.mark.parametrize(
    ("header", "usual", "set_by_page"),
    [
        ("Accept", "*/*", "order/9999"),
        ("Content-Type", "application/json; charset=UTF-8", "application/vnd.pay+json; amount=7"),
        ("Accept-Language", None, "xx-pay"),
    ],
)
def test_a_header_is_shown_if_its_value_is_not_a_usual_one(
    header: str, usual: str | None, set_by_page: str | None
) -> None:
    if usual is not None:
        assert (
            describe_request("POST", "https://shop.test/", headers={header: usual}) == "send POST to https://shop.test/"
        )
    if set_by_page is not None:
        assert f"(with {header}: " in describe_request("POST", "https://shop.test/", headers={header: set_by_page})


@pytest.mark.anyio
@pytest.mark.browser
async def test_every_request_but_get_is_asked_about_with_the_headers_that_the_page_has_set(browser: Any) -> None:
    page = """<title>Odd</title><button onclick="fetch('/head', {method: 'HEAD'})">Head</button>
    <button onclick="fetch('/options', {method: 'OPTIONS'})">Options</button>
    <button onclick="fetch('/get', {headers: {'X-HTTP-Method-Override': 'DELETE'}})">Override</button>
    <button onclick="fetch('/bin', {method: 'PUT', headers: {'X-Amount': '500', 'X-CSRF-Token': 'abc'},
    body: new Uint8Array([0, 255, 27, 91])})">Binary</button>"""
    questions: list[str] = []
    with recorder({"/": page}) as here:
        await press_everything(browser, here, Consent(lambda said: bool(questions.append(said))))
        assert here.sent() == []
        assert not any("/get" in line for line in here.got)
    assert [said.replace(here.url, "http://shop") for said in questions] == [
        "send HEAD to http://shop/head", "send OPTIONS to http://shop/options",
        "send GET to http://shop/get (with X-HTTP-Method-Override: DELETE)",
        "send PUT to http://shop/bin (with X-Amount: 500, X-CSRF-Token: abc): ␀\\xff␛[",
    ]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.browser
async def test_the_browsers_own_question_before_a_request_to_another_origin_is_not_asked_about(browser: Any) -> None:
    questions: list[str] = []
    with recorder() as other:
        page = f"<button onclick=\"fetch('{other.url}/put', {{method: 'PUT', body: 'x'}})\">Put</button>"
        with recorder({"/": page}) as here:
            consent = Consent(lambda said: bool(questions.append(said)))
            async with open_tab(browser, NetworkGuard(here.url, [other.host]), QUICK, consent) as tab:
                await tab.open(here.url)
                await Gestures(tab).click((await observe(tab, Secrets())).snapshot.elements[0].id)
                await tab.wait_until_idle()
        assert other.got == ["OPTIONS /put"]
    assert questions == []


def test_a_question_hides_secrets_in_addresses_and_headers() -> None:
    asked: list[str] = []
    consent = Consent(lambda said: bool(asked.append(said)), secrets=Secrets({"KEY": "s3same/open"}))
    url, headers = "http://127.0.0.1:8801/s3same/open/?word=s3same%2Fopen", {"X-Word": "s3same/open"}
    assert not consent.permits_request("POST", url, "a=czNzYW1lL29wZW4=", headers=headers)
    assert asked == ["send POST to http://127.0.0.1:8801/{KEY}/?word={KEY} (with X-Word: {KEY}): a={KEY}4="]


def test_consent_in_general() -> None:
    assert Consent(agree).permits_request("POST", "https://shop.example/order")
    assert not Consent().permits_request("POST", "https://shop.example/order")
    trusting = Consent(refuse, ["shop.example"])
    assert trusting.permits_request("POST", "https://shop.example/order")
    assert not trusting.permits_request("POST", "https://shop.example.evil.example/order")
    assert trusting.take_refusals() == ("send POST to https://shop.example.evil.example/order",)
    assert trusting.take_refusals() == ()


def test_trust_is_for_encrypted_connections_unless_the_user_wrote_http() -> None:
    asked: list[str] = []
    trusting = Consent(lambda said: bool(asked.append(said)), ["bank.example", "http://printer.example"])
    assert trusting.permits_request("POST", "https://bank.example/pay")
    assert trusting.permits_socket("wss://bank.example/live")
    assert not trusting.permits_request("POST", "http://bank.example/pay", "amount=9")
    assert not trusting.permits_socket("ws://bank.example/live")
    assert trusting.permits_request("POST", "http://printer.example/print")
    assert asked == [
        "send POST to http://bank.example/pay: amount=9",
        "open a WebSocket to ws://bank.example, through which the page can send anything",
    ]


@pytest.mark.slow
async def test_a_dialog_that_the_user_answers_late_is_no_failed_click(run_visit: RunVisit) -> None:
    """The user needs longer than an action may take; the browser's own clock runs on meanwhile."""
    late = threading.Event()

    def agree_late(question: str) -> bool:
        late.wait(1.5)
        return True

    page = "<title>Ask</title><button onclick=\"if (confirm('Sure?')) document.title = 'Agreed'\">Go</button>"
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Go"], confirm=agree_late, limits=Limits(load=1, act=0.5))
    assert [(step.title, step.error) for step in visit.steps] == [("Ask", ""), ("Agreed", "")]
