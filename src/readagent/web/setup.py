"""Setting up over HTTP: which models there are, a test of one, its choice, a key, and the offline reader's weights."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from importlib.util import find_spec

import msgspec

from readagent.connection import is_local
from readagent.embedded.pull import pull
from readagent.embedded.weights import install_hint, select_weights, state, steps_to_reader
from readagent.errors import ReadAgentError
from readagent.finding import LOCAL, probed, ways
from readagent.models.providers import ANY_KEY, PROVIDERS, Keys, keep_key
from readagent.models.server_info import ProbeReport, local_names
from readagent.records import record
from readagent.records.servers import ModelCheck, ProviderRecord, SetupRecord, WayRecord, WeightsRecord
from readagent.settings import Settings
from readagent.user_file import write_settings
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.service import Service


class NewModel(msgspec.Struct, forbid_unknown_fields=True):
    """A model that is known by its name, such as ollama/qwen3:8b; ``key`` is kept on the server, and never shown."""

    model: str
    key: str = ""


class Download:
    """The download of the weights of the offline reader: one for all servers of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.loading, self.done = False, 0
        self.problem, self.hint = "", ""

    def start(self, settings: Settings) -> None:
        """Begin, or go on, unless it is going on."""
        with self._lock:
            if self.loading:
                return
            self.loading, self.done, self.problem, self.hint = True, 0, "", ""
        threading.Thread(target=self._run, args=[settings], name="readagent-weights", daemon=True).start()

    def _run(self, settings: Settings) -> None:
        try:
            pull(settings.home, on_progress=self._progress)
        except ReadAgentError as error:
            self.problem, self.hint = str(error), error.hint
        finally:
            self.loading = False

    def _progress(self, name: str, done: int, total: int) -> None:
        self.done = done


_download = Download()


def _show(call: Call) -> SetupRecord:
    service, settings = call.service, call.service.agent.settings
    keys = Keys(os.environ, settings.home)
    weights = WeightsRecord(
        ready=state(settings.home)["minilm"] == "ready",
        bytes=sum(one.wheel_size for one in select_weights()),
        steps=steps_to_reader(settings.home),
        loading=_download.loading,
        done=_download.done,
        problem=_download.problem,
        hint=_download.hint,
    )
    looked = call.query("look") == "1"
    return SetupRecord(
        model=service.agent.model_name,
        is_local=service.agent.is_local,
        ready=not service.agent.is_local or not weights.steps,
        may_change=service.options.setup,
        weights=weights,
        ways=[record(WayRecord, one) for one in ways(settings)] if looked else [],
        looked_at=[PROVIDERS[name].base_url for name in local_names()],
        providers=[
            ProviderRecord(name, one.usual, one.key_name, bool(one.key_set(keys)))
            for name, one in PROVIDERS.items()
            if one.key_name != ANY_KEY
        ],
    )


async def _check(call: Call) -> ModelCheck:
    return await _checked(call.service, call.service.agent.settings)


async def _checked(service: Service, settings: Settings) -> ModelCheck:
    try:
        found = await service.worker.call(probed(settings))
    except ReadAgentError as error:
        found = ProbeReport(error=str(error), hint=error.hint)
    named = "the offline reader" if is_local(settings) else settings.model or found.model
    return ModelCheck(named, found.answers, found.window, found.seconds, found.error, found.hint)


async def _choose(call: Call) -> ModelCheck:
    """Keep the key, check the model, and if it answers use it from now on, also after a restart."""
    service, model = _allowed(call), call.body.model.strip()
    provider = model.partition("/")[0]
    known = model == LOCAL or (provider in PROVIDERS and model.partition("/")[2])
    if not known or not model.isprintable():
        names = ", ".join(PROVIDERS)
        raise RefusedError(422, "this is no model of a server that is known", hint=f"PROVIDER/MODEL, with {names}")
    if any(job.state != "paused" for job in service.jobs.unfinished()):
        raise RefusedError(409, "the model is at work", hint="wait until all jobs have ended, or pause them")
    home = service.agent.settings.home
    if call.body.key.strip() and provider in PROVIDERS:
        keep_key(PROVIDERS[provider].key_name, call.body.key.strip(), home)
    settings = replace(service.agent.settings, model=model, base_url="", only_model=False)
    found = await _checked(service, settings)
    if found.answers:
        await service.on_thread(write_settings, home, {"model": model, "base_url": None})
        await service.use(settings)
    return found


def _load(call: Call) -> SetupRecord:
    settings = _allowed(call).agent.settings
    if find_spec("numpy") is None:
        raise RefusedError(409, "the offline reader needs numpy, which is not installed", hint=install_hint())
    _download.start(settings)
    return _show(call)


def _allowed(call: Call) -> Service:
    if not call.service.options.setup:
        hint = "its page can where only this machine reaches it; start it with READAGENT_MODEL"
        raise RefusedError(403, "the page cannot choose the model of this server", hint=hint)
    return call.service


_PATH = "/api/setup"
OPERATIONS = (
    Operation(
        "GET", _PATH, _show, "Show which model is used, and whether it can be.", SetupRecord,
        query=(("look", "1: look for servers, keys and weights on this machine"),),
    ),
    Operation("POST", f"{_PATH}/check", _check, "Check the model with a request of a few words.", ModelCheck),
    Operation("POST", f"{_PATH}/model", _choose, "Use another model if it answers.", ModelCheck, NewModel),
    Operation("POST", f"{_PATH}/weights", _load, "Download the weights of the offline reader.", SetupRecord),
)  # fmt: skip
