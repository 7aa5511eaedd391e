"""Ask servers which models they list, which of them write text, how large a window is, and what they can do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from readagent.core.form import Choice
from readagent.core.model import Ask
from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    RateLimitedError,
    ReadAgentError,
    ServerFaultError,
    UnauthorizedError,
)
from readagent.models.hosts import host_of, is_loopback, is_private, port_of
from readagent.models.http import HttpClient, HttpReply
from readagent.models.providers import PROVIDERS
from readagent.models.refusal import error_from, read_json, read_refusal
from readagent.models.request import HARMLESS, ConstraintKind
from readagent.models.wire import decode

if TYPE_CHECKING:
    from readagent.models.endpoint import Endpoint

_WINDOW_FIELDS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length",
                  "max_input_tokens", "input_token_limit", "n_ctx")  # fmt: skip
_REPLY_FIELDS = ("max_completion_tokens", "max_output_tokens", "output_token_limit")
_INSIDE = ("meta", "limits")  # objects of an entry that may have these fields
_LARGEST = 1_000_000_000  # a greater window is a mistake
_SMALLEST = 64  # tokens; a smaller window, or longest reply, is a mistake too
_TIMEOUT = 30.0  # seconds; this information is useful and not worth a long wait
_NO_LIST = frozenset({400, 404, 405, 410, 501})  # statuses of servers that do not list models
_REFUSING_HOSTS = ("api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com")
_REFUSING_OWNERS = ("vllm", "sglang")  # in the lists of these servers
_LLAMA_CPP_REFUSES = 6730  # the build since which llama.cpp answers 400; earlier ones may cut
_LM_STUDIO_PORT = 1234  # LM Studio may leave out the middle of a prompt
_OLLAMA_DEFAULT = 4096  # Ollama silently truncates prompts to this, unless it is configured otherwise


async def list_models(client: HttpClient, key: str | None = None, key_hint: str = "") -> dict[str, dict[str, Any]]:
    """Return the models that a server lists, by name: none if it has no such list.

    Raises a ModelError if the server cannot be asked. ``key`` is removed from messages, and ``key_hint`` is the
    variable that hints name.
    """
    reply = await client.get("/models", timeout=_TIMEOUT)
    if reply.status >= 300 and reply.status not in _NO_LIST:
        refusal = read_refusal(reply.status, reply.headers, reply.body, key)
        raise error_from(refusal, key_hint=key_hint, has_key=key is not None)
    value = read_json(reply.body, key) if reply.status == 200 else None
    entries = (value.get("data") or value.get("models")) if isinstance(value, dict) else value
    entries = entries if isinstance(entries, list) else []
    return {str(entry["id"]): entry for entry in entries if isinstance(entry, dict) and entry.get("id")}


@dataclass(frozen=True, slots=True)
class Limits:
    """The window of a model in tokens, and the most tokens of a reply; None if the server does not report it.

    ``refuses`` is whether a prompt that is too long gets an error: False for servers that may cut it without a word,
    None if that is not known.
    """

    window: int | None = None
    reply: int | None = None
    refuses: bool | None = None


async def fetch_limits(client: HttpClient, model: str) -> Limits:
    """Return what a server reports about a model.

    Raises an error that may go away if the server is busy or cannot be reached.
    """
    try:
        listed = await list_models(client)
        entry = _entry(listed, model)
        owner = str(entry.get("owned_by", "")).lower()
        if owner == "library" or is_ollama(client, listed):
            return Limits(await _ollama_window(client, model), refuses=False)
        found = Limits(
            _smallest(entry, _WINDOW_FIELDS), _smallest(entry, _REPLY_FIELDS), _refuses(client, owner, entry)
        )
        if found.window is not None and owner == "llamacpp":
            with suppress(BadReplyError):
                found = replace(found, refuses=(await _llama_cpp(client, model) or found).refuses)
        if found.window is not None or not listed or not (owner == "llamacpp" or is_private(client.base_url)):
            return found
        return await _own_report(client, model, _object(entry.get("meta"))) or found
    except (ConnectionFailedError, RateLimitedError, ServerFaultError):
        raise
    except ReadAgentError:
        return Limits()


def is_ollama(client: HttpClient, listed: dict[str, dict[str, Any]]) -> bool:
    """Return whether a server that lists these models is Ollama, by its usual port or the owner of all of them."""
    owners = {entry.get("owned_by") for entry in listed.values()}
    return bool(listed) and (":11434" in client.base_url or owners == {"library"})


async def shown_by_ollama(client: HttpClient, model: str) -> dict[str, Any]:
    """Return what Ollama says about a model; nothing if it does not know it."""
    return _object(_json(await client.post("//api/show", {"model": model}, timeout=_TIMEOUT)))


def _entry(listed: dict[str, dict[str, Any]], model: str) -> dict[str, Any]:
    if model in listed:
        return listed[model]
    ending = [entry for name, entry in listed.items() if name.endswith(f"/{model}")]
    return ending[0] if ending else next(iter(listed.values())) if len(listed) == 1 else {}


def _refuses(client: HttpClient, owner: str, entry: dict[str, Any]) -> bool | None:
    """Return whether a server refuses prompts that are too long, as far as its address and its list of models tell."""
    if owner in _REFUSING_OWNERS or host_of(client.base_url) in _REFUSING_HOSTS:
        return True
    return False if port_of(client.base_url) == _LM_STUDIO_PORT or "loaded_context_length" in entry else None


def _smallest(entry: dict[str, Any], names: Sequence[str]) -> int | None:
    """Return a limit in an entry. A provider may serve a model with a smaller one than the model has."""
    provided = _first(_object(entry.get("top_provider")), names)
    places = (_object(place) for place in (entry, *map(entry.get, _INSIDE)))
    own = next(filter(None, (_first(place, names) for place in places)), None)
    return min(filter(None, (own, provided)), default=None)


def _first(place: dict[str, Any], names: Sequence[str]) -> int | None:
    return next(filter(None, (_number(place.get(name)) for name in names)), None)


async def _own_report(client: HttpClient, model: str, meta: dict[str, Any]) -> Limits | None:
    """Return what a server that does not list windows reports elsewhere, each in its own way."""
    for ask in (_llama_cpp, _lm_studio, _lite_llm, _ollama):
        with suppress(BadReplyError):
            if (found := await ask(client, model)) is not None:
                return found
    return Limits(_number(meta.get("n_ctx_train")))


async def _llama_cpp(client: HttpClient, model: str) -> Limits | None:
    props = await _get(client, "//props")
    window = _first(_object(props.get("default_generation_settings")), ["n_ctx"]) or _first(props, ["n_ctx"])
    build = re.match(r"b(\d{1,9})-", str(props.get("build_info")))
    refuses = True if build and int(build[1]) >= _LLAMA_CPP_REFUSES else None
    return Limits(window, refuses=refuses) if window else None


async def _lm_studio(client: HttpClient, model: str) -> Limits | None:
    """Return the window that a model is loaded with; a model that is not loaded may get a smaller one than it has."""
    entry = _named(await _get(client, "//api/v0/models"), "id", model)
    window = _number(entry.get("loaded_context_length"))
    return Limits(window, refuses=False) if window else None


async def _lite_llm(client: HttpClient, model: str) -> Limits | None:
    info = _object(_named(await _get(client, "//model/info"), "model_name", model).get("model_info"))
    window, reply = _number(info.get("max_input_tokens")), _number(info.get("max_output_tokens"))
    return Limits(window, reply) if window else None


async def _ollama(client: HttpClient, model: str) -> Limits | None:
    """Return the window of an Ollama that is not known as one: its port is another, and somebody's own models."""
    window = await _ollama_window(client, model)
    return Limits(window, refuses=False) if window else None


async def _get(client: HttpClient, path: str) -> dict[str, Any]:
    return _object(_json(await client.get(path, timeout=_TIMEOUT)))


def _named(answer: dict[str, Any], key: str, model: str) -> dict[str, Any]:
    """Return the entry of a model in a list of entries; empty if there is none."""
    entries = answer.get("data")
    found = (_object(entry) for entry in (entries if isinstance(entries, list) else []))
    return next((entry for entry in found if entry.get(key) == model), {})


async def _ollama_window(client: HttpClient, model: str) -> int | None:
    """Return the window that Ollama runs the model with, never the larger one that the model was trained for."""
    running = (await _get(client, "//api/ps")).get("models")
    for entry in running if isinstance(running, list) else []:
        named = isinstance(entry, dict) and model in (entry.get("name"), entry.get("model"))
        if named and (found := _number(entry.get("context_length"))):
            return found
    shown = await shown_by_ollama(client, model)
    if not shown:
        return None
    configured = re.search(r"^\s*num_ctx\s+(\d{1,9})", str(shown.get("parameters") or ""), re.M)
    return _number(int(configured[1])) if configured else _OLLAMA_DEFAULT


def _json(reply: HttpReply) -> Any:
    return decode(reply.body) if reply.status == 200 else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    """Return a limit that was sent as a number or as its digits, if it can be one."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len(str(_LARGEST)):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and _SMALLEST <= value <= _LARGEST else None


_OTHER = re.compile(
    r"embed|re-?rank|minilm|paraphrase|colbert|whisper|moderation|diffusion|dall-e|gpt-image"
    r"|(?:^|[/_.-])(?:bge|gte|e5|clip|siglip|tts|flux)(?:$|[/_:.-])",
    re.I,
)
_ASKED = 16  # models that Ollama is asked about; a list of models names fewer


async def writing_models(client: HttpClient, key: str | None = None, key_hint: str = "") -> list[str]:
    """Return the models that a server lists and that write text, by what it says about them or by their names.

    Raises a ModelError if the server cannot be asked.
    """
    listed = await list_models(client, key, key_hint)
    names = [name for name, entry in listed.items() if _may_write(name, entry)]
    if not is_ollama(client, listed):
        return names
    first = await asyncio.gather(*(_writes(client, name) for name in names[:_ASKED]))
    return [name for name, writes in zip(names, first, strict=False) if writes] + names[_ASKED:]


def _may_write(name: str, entry: dict[str, Any]) -> bool:
    return entry.get("type") not in ("embeddings", "embedding", "rerank") and not _OTHER.search(name)


async def _writes(client: HttpClient, name: str) -> bool:
    """Return whether Ollama says that a model completes text; older versions say nothing about it."""
    try:
        told = (await shown_by_ollama(client, name)).get("capabilities")
    except ReadAgentError:
        return True
    return not isinstance(told, list) or "completion" in told


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What a probe found. ``seconds`` is the time of the first reply; ``error`` is empty if every request worked."""

    answers: bool = False
    model: str = ""
    listed: bool | None = None
    streams: bool | None = None
    constrains: ConstraintKind = "unknown"
    window: int | None = None
    seconds: float = 0.0
    error: str = ""
    hint: str = ""


async def probe(endpoint: Endpoint, *, quick: bool = False) -> ProbeReport:
    """Send a few small requests, or ``quick`` only one. A failure is part of the report and is not raised."""
    answers, seconds = False, 0.0
    error, hint = "", ""
    try:
        await endpoint.resolve_model()
        began = perf_counter()
        await endpoint.complete(HARMLESS if quick else replace(HARMLESS, listen=_ignore))
        answers, seconds = True, perf_counter() - began
        if endpoint.capabilities.constrain == "unknown" and not quick:
            await endpoint.complete(Ask("merge", "Is water wet? Reply with one of: yes, no.", Choice(("yes", "no"))))
    except ReadAgentError as failure:
        error, hint = str(failure), failure.hint
    return ProbeReport(
        answers,
        endpoint.model,
        await endpoint.lists_model() if answers and not quick else None,
        endpoint.capabilities.streams,
        endpoint.capabilities.constrain,
        await endpoint.window() if answers else None,
        seconds,
        error,
        hint,
    )


def _ignore(piece: str) -> None:
    """Discard a piece of the reply; asking with a listener is what makes the request a streaming one."""


_SECONDS = 1.0  # a server on this machine lists its models in less


@dataclass(frozen=True, slots=True)
class Listing:
    """The models of a server that write text: None if it does not list them, and then ``problem`` says why."""

    models: list[str] | None
    problem: Literal["", "does not answer", "needs a key", "does not accept the key", "does not list its models"] = ""


async def listing_of(base_url: str, key: str | None = None, seconds: float = _SECONDS) -> Listing:
    """Return the models of a server that write text, or why it does not list them within some seconds."""
    client = HttpClient(base_url, key=key, timeout=seconds)
    try:
        async with asyncio.timeout(seconds):
            return Listing(await writing_models(client))
    except UnauthorizedError:
        return Listing(None, "does not accept the key" if key else "needs a key")
    except (ConnectionFailedError, TimeoutError):
        return Listing(None, "does not answer")
    except ReadAgentError:
        return Listing(None, "does not list its models")
    finally:
        await client.aclose()


def local_names() -> list[str]:
    """Return the short names of the servers that are looked for on this computer, each on its usual port."""
    return [name for name, provider in PROVIDERS.items() if is_loopback(provider.base_url)]


async def local_servers() -> dict[str, list[str]]:
    """Return the models that write text of each server on its usual port, by the short name of the server."""
    names = local_names()
    found = await asyncio.gather(*(listing_of(PROVIDERS[name].base_url) for name in names))
    return {name: one.models for name, one in zip(names, found, strict=True) if one.models is not None}
