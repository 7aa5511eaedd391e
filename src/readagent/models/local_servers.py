"""Model servers on this machine: those with a short name that are running, and the models that they have."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from readagent.errors import ConnectionFailedError, ReadAgentError, UnauthorizedError
from readagent.models.hosts import is_loopback
from readagent.models.http import HttpClient
from readagent.models.providers import PROVIDERS
from readagent.models.server_info import list_models
from readagent.models.writing_models import writing_models

_SECONDS = 1.0  # a server on this machine lists its models in less


async def local_servers() -> dict[str, list[str]]:
    """Return the models that write text of each server on its usual port, by the short name of the server."""
    names = [name for name, provider in PROVIDERS.items() if is_loopback(provider.base_url)]
    found = await asyncio.gather(*(models_of(PROVIDERS[name].base_url) for name in names))
    return {name: models for name, models in zip(names, found, strict=True) if models is not None}


@dataclass(frozen=True, slots=True)
class Listing:
    """The models of a server that write text: None if it does not list them, and then ``problem`` says why."""

    models: list[str] | None
    problem: Literal["", "does not answer", "needs a key", "does not accept the key", "does not list its models"] = ""


async def models_of(base_url: str, key: str | None = None, seconds: float = _SECONDS) -> list[str] | None:
    """Return the models of a server that write text; None if it cannot be asked within some seconds."""
    return (await listing_of(base_url, key, seconds)).models


async def listing_of(base_url: str, key: str | None = None, seconds: float = _SECONDS) -> Listing:
    """Return the same, or why the server does not list them."""
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


async def needs_key(base_url: str) -> bool:
    """Return whether a server on this machine does not list its models without a key."""
    client = HttpClient(base_url, timeout=_SECONDS)
    try:
        async with asyncio.timeout(_SECONDS):
            await list_models(client)
    except UnauthorizedError:
        return True
    except (ReadAgentError, TimeoutError):
        return False
    finally:
        await client.aclose()
    return False
