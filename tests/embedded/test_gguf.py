"""GGUF headers: what they contain, and one clear error for any file that is not GGUF."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded.files import TALKER, make_gguf
from readagent.embedded.gguf import (
    DEFAULT_WINDOW,
    MIN_WINDOW,
    Header,
    choose_window,
    fingerprint,
    gguf_path,
    read_header,
)
from readagent.errors import LoadError, UsageError

GB = 1 << 30


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf") / "any.gguf"


def test_the_header_describes_the_model(tmp_path: Path) -> None:
    header = read_header(make_gguf(tmp_path / "tiny.gguf"))
    assert (header.architecture, header.window, header.is_language_model, header.reasons) == (
        "llama", 4096, True, False,
    )  # fmt: skip
    assert header.metadata["llama.rope.freq_base"] == 10000.0
    assert header.metadata["tokenizer.ggml.add_bos_token"] is True
    assert "tokenizer.ggml.scores" not in header.metadata, "long lists are skipped"
    assert header.size - header.end == 1000
    assert header.token_bytes == 4 * 2 * 2 * (8 + 8), "layers x heads x two bytes x (key + value)"


def test_any_entry_may_be_missing(tmp_path: Path) -> None:
    for missing in TALKER:
        rest = {name: value for name, value in TALKER.items() if name != missing}
        header = read_header(make_gguf(tmp_path / "tiny.gguf", rest))
        assert header.is_language_model is (missing != "general.architecture")
        assert header.token_bytes >= 0


@given(data=st.binary(max_size=300))
def test_any_bytes_give_a_header_or_one_clear_error(scratch: Path, data: bytes) -> None:
    for content in (data, b"GGUF\x03\0\0\0" + data):
        scratch.write_bytes(content)
        with suppress(LoadError):
            assert isinstance(read_header(scratch), Header)


def test_errors_say_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "none.gguf", "no such file"),
        (tmp_path, "not a file"),
        (_written(tmp_path / "text.gguf", b"Once upon a time"), "not a GGUF file"),
        (make_gguf(tmp_path / "new.gguf", version=9), "version 9"),
    ):
        with pytest.raises(LoadError, match=message):
            read_header(path)
    whole = make_gguf(tmp_path / "whole.gguf").read_bytes()
    with pytest.raises(LoadError, match="damaged") as caught:
        read_header(_written(tmp_path / "cut.gguf", whole[:200]))
    assert "download" in caught.value.hint


def test_a_split_model_needs_all_its_parts(tmp_path: Path) -> None:
    first = make_gguf(tmp_path / "big-00001-of-00002.gguf")
    with pytest.raises(LoadError, match=r"00002-of-00002\.gguf is missing"):
        read_header(first)
    _written(tmp_path / "big-00002-of-00002.gguf", bytes(5000))
    assert read_header(first).size == first.stat().st_size + 5000


def test_the_fingerprint_depends_on_the_content(tmp_path: Path) -> None:
    weights = bytes(100_000)
    one = make_gguf(tmp_path / "one.gguf", weights=weights)
    same = make_gguf(tmp_path / "same.gguf", weights=weights)
    tuned = make_gguf(tmp_path / "tuned.gguf", weights=weights[:-1] + b"\1")
    named = make_gguf(tmp_path / "named.gguf", TALKER | {"general.name": "Tinier"}, weights=weights)
    prints = [fingerprint(path, read_header(path)) for path in (one, same, tuned, named)]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_the_window_depends_on_the_model_the_memory_and_the_user() -> None:
    header = Header({"general.architecture": "llama", "llama.context_length": 131_072, "llama.block_count": 32,
                     "llama.embedding_length": 4096, "llama.attention.head_count": 32,
                     "llama.attention.head_count_kv": 8}, 0, 4 * GB)  # fmt: skip
    assert header.token_bytes == 128 << 10
    assert choose_window(header, None, 2, None, "m") == DEFAULT_WINDOW
    assert choose_window(header, None, 2, 8 * GB, "m") == DEFAULT_WINDOW
    assert choose_window(header, None, 2, 5 * GB, "m") == MIN_WINDOW
    assert choose_window(header, 32_768, 1, 16 * GB, "m") == 32_768
    with pytest.raises(UsageError, match="supports a window of 131072"):
        choose_window(header, 200_000, 1, None, "m")
    with pytest.raises(UsageError, match=r"needs 13\.2 GB of memory, but only 8\.6 GB are free") as caught:
        choose_window(header, 32_768, 2, 8 * GB, "m")
    assert "`window`" in caught.value.hint
    with pytest.raises(UsageError, match="free") as caught:
        choose_window(header, None, 2, 2 * GB, "m")
    assert "smaller model" in caught.value.hint


def test_a_model_name_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_gguf(tmp_path / "tiny.gguf")
    make_gguf(tmp_path / "sha256-0a1b")
    assert gguf_path("tiny.gguf") == Path("tiny.gguf")
    assert gguf_path(str(tmp_path / "tiny.gguf")) == tmp_path / "tiny.gguf"
    assert gguf_path("sha256-0a1b") == Path("sha256-0a1b"), "recognised by its content"
    assert gguf_path("models/none.GGUF") == Path("models/none.GGUF"), "which is reported as missing later"
    assert gguf_path("tiny.gguf", "http://localhost:8080/v1") is None, "the server has a model of this name"
    for name in ("", "ollama/qwen3:8b", "lmstudio/some/model.gguf", "http://localhost/x.gguf", "openai/gpt-4.1"):
        assert gguf_path(name) is None


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
