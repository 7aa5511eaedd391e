"""Act: do on the live page what was decided, and say it in words. Secrets are filled in here, at the keyboard."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from urllib.parse import urlsplit

from readagent.errors import ActionFailedError
from readagent.webnav.action import Action
from readagent.webnav.live.browser_tab import BrowserTab
from readagent.webnav.live.risk import ElementFacts
from readagent.webnav.live.secrets import HIDDEN, Secrets

ENTER = "[Enter]"
_FOLLOWED = ("", "http", "https", "javascript", "about", "blob")  # kinds of links that stay in the browser


async def perform(action: Action, facts: ElementFacts, tab: BrowserTab, secrets: Secrets) -> None:
    """Do it, and wait until the page has settled. What cannot be done is an ActionFailedError."""
    if action.operation == "type":
        await tab.type(action.element, secrets.fill(with_enter(action).value))
    elif action.operation == "select":
        await tab.select(action.element, _option_index(action.value, await tab.options(action.element)))
    else:
        scheme = urlsplit(facts.link).scheme
        if scheme not in _FOLLOWED:
            raise ActionFailedError(f"the link leads out of the browser ({scheme}:)")
        await tab.click(action.element)
    await tab.wait_until_idle(typed=action.operation == "type")


def with_enter(action: Action) -> Action:
    """The action with a line end for a closing ``[Enter]``."""
    text = action.value.rstrip()
    if action.operation != "type" or not text.lower().endswith(ENTER.lower()):
        return action
    return replace(action, value=text[: -len(ENTER)].rstrip() + "\n")


def describe(action: Action, facts: ElementFacts, secrets: Secrets) -> str:
    """What is done, for histories and traces; what goes into a secret field is not told."""
    told = action
    if facts.secret and secrets.fill(action.value) == action.value:
        told = replace(action, value=HIDDEN)
    return secrets.redact(told.describe(secrets.redact(facts.name)))


def _option_index(value: str, options: list[str]) -> int:
    """Which option is meant: the one of this name, else the nearest to it."""
    wanted, names = _plain(value), [_plain(option) for option in options]
    if wanted in names:
        return names.index(wanted)
    if near := get_close_matches(wanted, names, 1):
        return names.index(near[0])
    raise ActionFailedError(f"there is no option {value!r}")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
