"""The header of a GGUF file: what it says, and one clear line for any file that is none."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded.files import TALKER, make_gguf
from readagent.embedded.engine import Engine, gguf_path
from readagent.embedded.gguf import Header, fingerprint, read_header
from readagent.embedded.room import LEAST_WINDOW, USUAL_WINDOW, window_for
from readagent.errors import LoadError, UsageError

GB = 1 << 30


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf") / "any.gguf"


def test_the_header_tells_what_the_model_is(tmp_path: Path) -> None:
    header = read_header(make_gguf(tmp_path / "tiny.gguf"))
    assert (header.architecture, header.window, header.talks, header.reasons) == ("llama", 4096, True, False)
    assert header.metadata["llama.rope.freq_base"] == 10000.0
    assert header.metadata["tokenizer.ggml.add_bos_token"] is True
    assert "tokenizer.ggml.scores" not in header.metadata, "a long list is stepped over"
    assert header.size - header.end == 1000
    assert header.token_bytes == 4 * 2 * 2 * (8 + 8), "layers x heads x two bytes x (key + value)"


def test_heads_may_differ_from_layer_to_layer(tmp_path: Path) -> None:
    metadata = TALKER | {"llama.attention.head_count_kv": [2, 0, 1, 1]}
    assert read_header(make_gguf(tmp_path / "tiny.gguf", metadata)).token_bytes == 4 * 2 * (8 + 8)


@pytest.mark.parametrize("missing", list(TALKER))
def test_any_entry_may_be_missing(tmp_path: Path, missing: str) -> None:
    header = read_header(
        make_gguf(tmp_path / "tiny.gguf", {name: value for name, value in TALKER.items() if name != missing})
    )
    assert header.talks is (missing != "general.architecture")
    assert header.token_bytes >= 0


def test_a_file_without_a_window_gets_a_careful_one(tmp_path: Path) -> None:
    header = read_header(make_gguf(tmp_path / "tiny.gguf", {"general.architecture": "llama"}))
    assert header.window is None
    assert window_for(header, None, 2, GB, "tiny.gguf") == 4096


@given(data=st.binary(max_size=300))
def test_any_bytes_give_a_header_or_one_clear_line(scratch: Path, data: bytes) -> None:
    for content in (data, b"GGUF\x03\0\0\0" + data):
        scratch.write_bytes(content)
        with suppress(LoadError):
            assert isinstance(read_header(scratch), Header)


@given(where=st.floats(0, 1), byte=st.integers(0, 255), cut=st.floats(0, 1))
def test_a_damaged_header_gives_a_header_or_one_clear_line(scratch: Path, where: float, byte: int, cut: float) -> None:
    whole = bytearray(make_gguf(scratch, weights=b"").read_bytes())
    whole[int(where * (len(whole) - 1))] = byte
    for content in (whole, whole[: int(cut * len(whole))]):
        scratch.write_bytes(content)
        with suppress(LoadError):
            assert isinstance(read_header(scratch), Header)


def test_what_is_wrong_with_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="no file"):
        read_header(tmp_path / "none.gguf")
    with pytest.raises(LoadError, match="not a file"):
        read_header(tmp_path)
    with pytest.raises(LoadError, match="not a GGUF file"):
        read_header(_written(tmp_path / "text.gguf", b"Once upon a time"))
    with pytest.raises(LoadError, match="version 9"):
        read_header(make_gguf(tmp_path / "new.gguf", version=9))
    whole = make_gguf(tmp_path / "whole.gguf").read_bytes()
    with pytest.raises(LoadError, match="damaged") as caught:
        read_header(_written(tmp_path / "cut.gguf", whole[:200]))
    assert "download" in caught.value.hint


@pytest.mark.parametrize("other", [{"general.architecture": "nomic-bert"}, {"general.type": "mmproj"}])
def test_a_file_that_holds_no_language_model_is_refused(tmp_path: Path, other: dict[str, str]) -> None:
    engine = Engine(make_gguf(tmp_path / "other.gguf", TALKER | other))
    with pytest.raises(LoadError, match="no language model"):
        _ = engine.identity


def test_a_split_model_is_all_of_its_parts(tmp_path: Path) -> None:
    first = make_gguf(tmp_path / "big-00001-of-00002.gguf")
    with pytest.raises(LoadError, match=r"00002-of-00002\.gguf is missing"):
        read_header(first)
    _written(tmp_path / "big-00002-of-00002.gguf", bytes(5000))
    assert read_header(first).size == first.stat().st_size + 5000


def test_the_identity_is_that_of_the_content(tmp_path: Path) -> None:
    weights = bytes(100_000)
    one = make_gguf(tmp_path / "one.gguf", weights=weights)
    same = make_gguf(tmp_path / "same.gguf", weights=weights)
    tuned = make_gguf(tmp_path / "tuned.gguf", weights=weights[:-1] + b"\1")
    named = make_gguf(tmp_path / "named.gguf", TALKER | {"general.name": "Tinier"}, weights=weights)
    prints = [fingerprint(path, read_header(path)) for path in (one, same, tuned, named)]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_the_window_is_the_models_unless_memory_or_the_user_say_otherwise() -> None:
    header = Header({"general.architecture": "llama", "llama.context_length": 131_072, "llama.block_count": 32,
                     "llama.embedding_length": 4096, "llama.attention.head_count": 32,
                     "llama.attention.head_count_kv": 8}, 0, 4 * GB)  # fmt: skip
    assert header.token_bytes == 128 << 10
    assert window_for(header, None, 2, None, "m") == USUAL_WINDOW
    assert window_for(header, None, 2, 8 * GB, "m") == USUAL_WINDOW
    assert window_for(header, None, 2, 5 * GB, "m") == LEAST_WINDOW
    assert window_for(header, 32_768, 1, 16 * GB, "m") == 32_768
    with pytest.raises(UsageError, match="made for a window of 131072"):
        window_for(header, 200_000, 1, None, "m")
    with pytest.raises(UsageError, match=r"needs 13\.2 GB of memory, and 8\.6 GB are free") as caught:
        window_for(header, 32_768, 2, 8 * GB, "m")
    assert "--window" in caught.value.hint
    with pytest.raises(UsageError, match="free") as caught:
        window_for(header, None, 2, 2 * GB, "m")
    assert "smaller model" in caught.value.hint


def test_a_models_name_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_gguf(tmp_path / "tiny.gguf")
    make_gguf(tmp_path / "sha256-0a1b")
    assert gguf_path("tiny.gguf") == Path("tiny.gguf")
    assert gguf_path(str(tmp_path / "tiny.gguf")) == tmp_path / "tiny.gguf"
    assert gguf_path("sha256-0a1b") == Path("sha256-0a1b"), "the content counts, not the name"
    assert gguf_path("models/none.GGUF") == Path("models/none.GGUF"), "which will be told to be missing"
    assert gguf_path("tiny.gguf", "http://localhost:8080/v1") is None, "that server's model has this name"
    for name in ("", "ollama/qwen3:8b", "lmstudio/some/model.gguf", "http://localhost/x.gguf", "openai/gpt-4.1"):
        assert gguf_path(name) is None


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
