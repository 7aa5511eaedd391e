"""Whether a request fits the window, and which window it is made to fit after the server has refused it as too long."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.window import Window
from readagent.errors import ContextOverflowError, ReadAgentError, UsageError
from readagent.models.failures import error_from
from readagent.models.refusal import read_refusal
from readagent.models.refusal_kinds import says_too_long
from readagent.proxy.bounds import Bounds
from readagent.proxy.chat import ChatRequest, request_tokens
from readagent.proxy.compress import Compressed
from readagent.proxy.exchange import Refused
from readagent.proxy.readers import Reader
from readagent.proxy.sizes import careful_room, reply_room
from readagent.proxy.told import Told

_ATTEMPTS = 3  # at making a request fit, each with what was learnt from a refusal
_GUESSES = 9  # the same where the server names no window, so that each has half of the last one


@dataclass(frozen=True, slots=True)
class Fit:
    """What a request has to fit. The prompt is known to have ``more`` tokens than are counted.

    ``bounds`` are given if the server does not tell its window: then the window is a guess. They are this request's
    own, and ``shown`` says that they hold for other requests, too, once this one was answered.
    """

    window: Window
    bounds: Bounds | None = None
    shown: bool = True
    more: int = 0
    attempt: int = 0


async def first_fit(chat: ChatRequest, reader: Reader, told: Told) -> tuple[Fit, bool]:
    """Return what a request has to fit, and whether it does with its longest reply.

    It does only if it also does with more tokens than estimated. Where the window is unknown, it is too long if a
    request of its size was refused before.
    """
    window, reply = await reader.window(), chat.longest_reply
    told.original_tokens = told.sent_tokens = size = request_tokens(chat, window.count)
    if window.tokens is not None:
        room = window.tokens - reply_room(window.tokens, reply)
        return Fit(window), size <= min(room, careful_room(window.tokens, reply))
    bounds = replace(reader.bounds)
    if not bounds.refuses(size + (reply or 0)):
        return Fit(window, bounds), True
    return Fit(replace(window, tokens=bounds.window), bounds), False


def next_fit(
    fit: Fit, refused: Refused, chat: ChatRequest, made: Compressed | None, reader: Reader, told: Told, key: str | None
) -> Fit | None:
    """Return what a request has to fit after this refusal; None if it is of no use to try again."""
    if fit.attempt >= (_ATTEMPTS if fit.bounds is None else _GUESSES):
        return None
    prompt, attempt = _prompt_of(chat, made), fit.attempt + 1
    try:
        error = reader.believed(_overflow(refused, chat, told, key), chat)
        if error.window is None and fit.bounds is not None:
            shown = fit.shown and _shows_window(refused, chat)
            window = reader.guess(fit.window, fit.bounds, error, chat.longest_reply, prompt if attempt == 1 else "")
            return Fit(window, fit.bounds, shown, fit.more, attempt)
        if made is not None and error.window is None and error.prompt_tokens is None and reader.listed:
            return None  # it fits by what the server lists, and the server says nothing else
        uncounted = None if prompt else reader.uncounted(fit.window, error)
        if uncounted is None:
            window = reader.learn(fit.window, error, prompt if attempt == 1 else "", plain=bool(prompt))
            return Fit(window, more=fit.more, attempt=attempt)
        return Fit(uncounted[0], more=uncounted[1], attempt=attempt) if uncounted[1] > fit.more else None
    except ReadAgentError:
        return None


def why_refused(refused: Refused, chat: ChatRequest, told: Told, key: str | None) -> str:
    """Return why a request that the server refused as too long was not made shorter, for the log."""
    said = read_refusal(refused.reply.status, dict(refused.reply.headers), refused.body, key).message
    uncounted = f"it has {chat.uncounted}, whose tokens cannot be counted" if chat.uncounted else ""
    why = "; ".join(filter(None, (uncounted, told.reason))) or "it is not longer than others that fit"
    return f"the server refuses it as too long: {said}; {why}" if said else f"the server refuses it as too long; {why}"


def _shows_window(refused: Refused, chat: ChatRequest) -> bool:
    """Whether a refusal shows something about the window: not if the request cannot be counted, or is repeated."""
    refusal = read_refusal(refused.reply.status, dict(refused.reply.headers), refused.body)
    said = says_too_long(refusal.status, refusal.codes, refusal.message, chat.strings())
    return said and not chat.uncounted


def _prompt_of(chat: ChatRequest, made: Compressed | None) -> str:
    """Return the texts that the server has counted; "" if it has counted more than texts."""
    messages = chat.messages if made is None else made.messages
    only = not chat.besides() and not chat.uncounted
    plain = only and all(isinstance(one.get("content"), str) and len(one) == 2 for one in messages)
    return "\n\n".join(one["content"] for one in messages) if plain else ""


def _overflow(refused: Refused, chat: ChatRequest, told: Told, key: str | None) -> ContextOverflowError:
    """Return what a refusal says about the window."""
    headers = dict(refused.reply.headers)
    error = error_from(read_refusal(refused.reply.status, headers, refused.body, key, chat.strings()))
    if not isinstance(error, ContextOverflowError):
        raise UsageError("the server does not say that the request is too long")
    error.asked = told.sent_tokens
    return error
