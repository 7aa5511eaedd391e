"""Short names, keys, prices, and forbidding live requests."""

from __future__ import annotations

import pytest

from readagent.core.model import Ask
from readagent.core.trace import Usage
from readagent.errors import LiveRequestError, UsageError
from readagent.models.endpoint import Endpoint
from readagent.models.hosts import forbid_live_requests, is_loopback, is_private, live_requests
from readagent.models.prices import Price, Prices
from readagent.models.providers import PROVIDERS, resolve
from readagent.testing.loopback import LoopbackServer

KEYS = {"OPENAI_API_KEY": "sk-openai", "OPENROUTER_API_KEY": "sk-router"}


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_short_name_resolves_to_its_server(name: str) -> None:
    target = resolve(f"{name}/some/model:8b", None, {})
    assert target.base_url == PROVIDERS[name].base_url
    assert target.model == "some/model:8b"
    assert target.key is None


def test_a_key_is_only_used_for_its_own_server() -> None:
    assert resolve("openai/gpt-4o", None, KEYS).key == "sk-openai"
    assert resolve("openai/gpt-4o", None, KEYS).key_name == "OPENAI_API_KEY"
    assert resolve("openrouter/a/b", None, KEYS).key == "sk-router"
    assert resolve("ollama/qwen3", None, KEYS).key is None
    assert resolve("gpt-4o", "https://elsewhere.example/v1", KEYS).key is None
    assert resolve("gpt-4o", "https://api.openai.com/v1", KEYS).key == "sk-openai"
    for target in (resolve("ollama/x", None, {"READAGENT_API_KEY": "k"}), resolve("x", "http://h/v1", {"READAGENT_API_KEY": "k"})):  # fmt: skip
        assert target.key == "k"
    assert "sk-openai" not in repr(resolve("openai/gpt-4o", None, KEYS))


def test_the_general_key_goes_to_the_server_that_the_user_has_set_up() -> None:
    key = {"READAGENT_API_KEY": "k"}
    home = "https://llm.home.example/v1"
    assert resolve("m", home, key, home).key == "k"
    assert resolve("m", "https://llm.home.example/v2", key, home).key == "k"
    elsewhere = resolve("m", "https://other.example/v1", key, home)
    assert (elsewhere.key, elsewhere.key_name) == (None, "READAGENT_API_KEY_OTHER_EXAMPLE")
    assert resolve("m", "https://other.example/v1", {**key, elsewhere.key_name: "o"}, home).key == "o"
    assert resolve("openai/gpt-4o", None, key, home).key is None
    assert resolve("openai/gpt-4o", None, {**key, **KEYS}).key == "sk-openai"


def test_a_key_for_a_port_goes_to_no_other_port() -> None:
    key, here, other = {"READAGENT_API_KEY": "k"}, "http://localhost:8000/v1", "http://localhost:9000/v1"
    assert resolve("m", here, key, here).key == "k"
    assert resolve("m", other, key, here).key is None
    assert resolve("m", "http://localhost/v1", key, "http://localhost:80/v1").key == "k"
    own = {"READAGENT_API_KEY_LOCALHOST_9000": "o"}
    assert resolve("m", other, own, here).key == "o"
    assert resolve("m", here, own, here).key is None


def test_openai_base_url_takes_the_place_of_openai_and_gets_its_key() -> None:
    environ = {"OPENAI_BASE_URL": "http://localhost:8000/v1", **KEYS}
    for name in ("openai/m", "m"):
        target = resolve(name, None, environ)
        assert (target.base_url, target.model, target.key) == ("http://localhost:8000/v1", "m", "sk-openai")
    assert resolve("gpt-4o", "https://api.openai.com/v1", environ).key is None
    assert resolve("ollama/m", None, environ).base_url == PROVIDERS["ollama"].base_url
    assert resolve("m", "http://elsewhere/v1", environ).key is None


@pytest.mark.parametrize("model", ["gpt-4o", "nobody/gpt-4o", "", None])
def test_an_unknown_name_lists_the_short_names(model: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(model, None, {})
    assert "ollama/" in caught.value.hint


def test_the_longest_matching_entry_gives_the_price() -> None:
    prices = Prices.default()
    mini, full = prices.of("gpt-4o-mini-2024-07-18"), prices.of("openai/gpt-4o-2024-08-06")
    assert mini is not None
    assert full is not None
    assert mini.input < full.input
    assert prices.of("gpt-4") is None
    assert prices.of("gpt-4oops") is None
    old = Prices({"gpt-4": Price(30.0, 60.0)})
    assert old.of("gpt-4") == old.of("gpt-4-0613") == old.of("openai/gpt-4:2023") == Price(30.0, 60.0)
    assert old.of("gpt-4.1") is old.of("gpt-4.1-mini") is old.of("gpt-4o") is None
    assert prices.of("qwen3:8b") is None
    own = prices.extended({"qwen3": Price(1.0, 3.0), "gpt-4o": Price(9.0, 9.0)})
    assert own.of("qwen3:8b") == Price(1.0, 3.0)
    assert own.of("gpt-4o") == Price(9.0, 9.0)
    assert prices.of("gpt-4o") == full
    assert Price(1.0, 3.0).cost(Usage(1_000_000, 1_000_000, 500_000)) == 4.0


def test_loopback_and_private_hosts_are_recognised() -> None:
    for url in ("http://localhost:1/v1", "http://127.0.0.9/v1", "http://[::1]:8/v1"):
        assert is_loopback(url)
        assert is_private(url)
    for url in ("http://192.168.1.5/v1", "http://10.0.0.2/v1", "http://gpubox:8000/v1", "http://box.local/v1"):
        assert not is_loopback(url)
        assert is_private(url)
    for url in (
        "https://api.openai.com/v1",
        "http://localhost.example.com/v1",
        "http://8.8.8.8/v1",
        "nonsense",
        "http://[",
    ):
        assert not is_loopback(url)
    assert not is_private("https://api.openai.com/v1")


@pytest.mark.anyio
async def test_forbidding_live_requests_allows_loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Endpoint("http://user:pass@198.51.100.1/v1", "m", timeout=0.1)
    with live_requests(False):
        with pytest.raises(LiveRequestError) as caught:
            await far.complete(Ask("gist", "p"))
        assert "pass" not in str(caught.value)
        assert await far.window() is None
        async with LoopbackServer() as server:
            near = Endpoint(server.base_url, "skimmer")
            assert (await near.complete(Ask("gist", "Some text."))).text
            await near.aclose()
    monkeypatch.setenv("READAGENT_OFFLINE", "1")
    with live_requests(True), pytest.raises(LiveRequestError, match="READAGENT_OFFLINE"):
        await far.complete(Ask("gist", "p"))


@pytest.mark.anyio
async def test_live_requests_can_be_forbidden_for_the_whole_process() -> None:
    far = Endpoint("http://198.51.100.1/v1", "m", timeout=0.1)
    with live_requests(True):
        forbid_live_requests()
        with pytest.raises(LiveRequestError):
            await far.complete(Ask("gist", "p"))


@pytest.mark.parametrize(
    "url",
    ["http://api.openai.com/v1", "http://api.openai.com:9101/v1", "https://api.openai.com:9101/v1"],
)
def test_the_key_of_a_provider_is_not_sent_unencrypted_or_to_another_port(url: str) -> None:
    assert resolve("m", url, {"OPENAI_API_KEY": "sk-1"}).key is None


def test_a_key_for_an_encrypted_server_is_not_sent_unencrypted() -> None:
    given = {"READAGENT_API_KEY": "k"}
    assert resolve("m", "https://llm.example.org:9101/v1", given, "https://llm.example.org:9101/v1").key == "k"
    assert resolve("m", "http://llm.example.org:9101/v1", given, "https://llm.example.org:9101/v1").key is None


def test_a_dash_in_a_host_is_no_dot() -> None:
    given = {"READAGENT_API_KEY_LLM_EXAMPLE_ORG": "k", "READAGENT_API_KEY_MY__LLM_ORG": "l"}
    assert resolve("m", "https://llm-example.org/v1", given).key is None
    assert resolve("m", "https://llm.example.org/v1", given).key == "k"
    assert resolve("m", "https://my-llm.org/v1", given).key == "l"
