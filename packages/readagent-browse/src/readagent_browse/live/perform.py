"""Perform an action on the live page, and describe it. Secrets are filled in here, when they are typed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from urllib.parse import urlsplit

from readagent.errors import ActionFailedError
from readagent_browse.command import ENTER, named_options
from readagent_browse.goal import Action
from readagent_browse.live.browser_tab import BrowserTab
from readagent_browse.live.gestures import Gestures
from readagent_browse.live.origin import origin_text
from readagent_browse.live.secrets import HIDDEN, Secrets
from readagent_browse.live.visit import Uploads


@dataclass(frozen=True, slots=True)
class ElementFacts:
    """The link that an element belongs to, whether it is a field for passwords, card numbers or one-time codes, and the
    origin of its page or frame, as the browser says and not the page.
    """

    link: str = ""
    secret: bool = False
    origin: str = ""


_BROWSER_SCHEMES = ("", "http", "https", "javascript", "about", "blob", "data")  # other links start other programs


async def perform(action: Action, facts: ElementFacts, tab: BrowserTab, secrets: Secrets, uploads: Uploads) -> None:
    """Perform an action and wait until the page is idle. Raise ActionFailedError if that is not possible."""
    await _act(action, facts, tab, secrets, uploads)
    tab.acted = asyncio.get_running_loop().time()
    await tab.wait_until_idle(typed=action.operation in ("type", "press"))
    enter = _presses_enter(action)
    if action.element and (enter or action.operation in ("click", "press")):
        await tab.note_invalid_field(action.element, enter=enter)


async def _act(action: Action, facts: ElementFacts, tab: BrowserTab, secrets: Secrets, uploads: Uploads) -> None:
    gestures = Gestures(tab)
    match action.operation:
        case "type":
            if reason := secrets.misplaced(action.value, facts.origin, secret_field=facts.secret):
                raise ActionFailedError(reason)
            shown = with_enter(action).value
            typed = secrets.fill(shown)
            if facts.secret or typed != shown:
                await gestures.set_secret(action.element, typed, facts.origin)
            else:
                await gestures.type(action.element, typed)
        case "select":
            options = await gestures.options(action.element)
            await gestures.select(
                action.element, [_option_index(one, options) for one in named_options(action.value, options)]
            )
        case "back":
            await gestures.back()
        case "tab":
            await tab.tabs.show(int(action.value))
        case "close":
            await tab.tabs.close_shown()
        case "wait":
            await tab.pause(int(action.value))
        case "scroll":
            await gestures.scroll(action.element, action.value)
        case "hover":
            await gestures.hover(action.element)
        case "drag":
            where, _, target = action.value.partition(" ")
            await gestures.drag(action.element, where, target)
        case "press":
            if is_paste(action.value):
                _ask_to_paste(tab)
            await gestures.press(action.element, action.value)
        case "upload":
            await gestures.upload(action.element, uploads.path(action.value))
        case _:
            scheme = urlsplit(facts.link).scheme
            if scheme not in _BROWSER_SCHEMES:
                raise ActionFailedError(f"the link leads out of the browser ({scheme}:)")
            await gestures.click(action.element, twice=action.operation == "double-click")


def _presses_enter(action: Action) -> bool:
    if action.operation == "type":
        return with_enter(action).value.endswith("\n")
    return action.operation == "press" and action.value == "Enter"


def is_paste(key: str) -> bool:
    """Return whether a key or a combination inserts what is in the clipboard."""
    *held, last = key.lower().split("+")
    return (last in ("v", "keyv") and not {"control", "meta", "controlormeta"}.isdisjoint(held)) or (
        last == "insert" and "shift" in held
    )


def _ask_to_paste(tab: BrowserTab) -> None:
    """Ask the user: the clipboard may contain what they copied elsewhere."""
    if not tab.consent.permits(f"paste the clipboard into a page of {origin_text(tab.url)}", tab.url):
        raise ActionFailedError(f"the clipboard was not pasted ({tab.consent.reason})")


def with_enter(action: Action) -> Action:
    """Return the action with a final ``[Enter]`` replaced by a line end."""
    text = action.value.rstrip()
    if action.operation != "type" or not text.lower().endswith(ENTER.lower()):
        return action
    return replace(action, value=text[: -len(ENTER)].rstrip() + "\n")


def describe(action: Action, label: str, facts: ElementFacts, secrets: Secrets) -> str:
    """Return the action in one line, for histories and traces; a value typed into a secret field is hidden."""
    shown = action
    if facts.secret and secrets.fill(action.value) == action.value:
        shown = replace(action, value=HIDDEN)
    return secrets.redact(shown.describe(label))


def _option_index(value: str, options: Sequence[str]) -> int:
    """Return the position of the option with this name, or else of the most similar one."""
    wanted, names = _normalized(value), [_normalized(option) for option in options]
    if wanted in names:
        return names.index(wanted)
    if similar := get_close_matches(wanted, names, 1):
        return names.index(similar[0])
    raise ActionFailedError(f"there is no option {value!r}")


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold()
