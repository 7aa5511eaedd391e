"""Archives: members are unpacked, and hostile or damaged archives are refused with one clear error."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.small_files import packed
from readagent.errors import LoadError
from readagent.loaders.sandbox.archive import Archive, Bounds

TEXT = ("Anna crossed the river at night. " * 200).encode()


def refused(data: bytes, member: str = "a.txt", bounds: Bounds | None = None) -> LoadError:
    with pytest.raises(LoadError) as caught:
        Archive(data, "book.epub", bounds=bounds).read(member)
    assert "book.epub" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_members_are_unpacked() -> None:
    archive = Archive(packed({"b.txt": TEXT, "a/": b"", "a/é.txt": b"x", "empty": b""}), "book.epub")
    assert archive.names() == ["b.txt", "a/é.txt", "empty"]
    assert [archive.read(name) for name in archive.names()] == [TEXT, b"x", b""]
    assert "a/é.txt" in archive
    assert "c" not in archive


@pytest.mark.parametrize("size", [5_000_000, 40_000_000])
def test_a_zip_bomb_is_refused(size: int) -> None:
    assert "300 times" in str(refused(packed({"a.txt": bytes(size)})))


def test_sizes_are_limited_and_a_member_counts_once() -> None:
    data = packed({"a.txt": TEXT})
    refused(data, bounds=Bounds(member_bytes=len(TEXT) - 1))
    assert Archive(data, "book.epub", bounds=Bounds(member_bytes=len(TEXT))).read("a.txt") == TEXT
    archive = Archive(packed({"a": TEXT, "b": TEXT}), "book.epub", bounds=Bounds(total_bytes=len(TEXT) + 9))
    assert archive.read("a") == archive.read("a") == TEXT
    with pytest.raises(LoadError, match=r"book.epub unpacks to more than 0\.\d+ MB"):
        archive.read("b")


def test_the_number_of_members_is_limited() -> None:
    data = packed({f"{number}.txt": b"" for number in range(30)})
    assert "more than 29 parts" in str(refused(data, bounds=Bounds(members=29)))
    assert len(Archive(data, "book.epub", bounds=Bounds(members=30)).names()) == 30


@pytest.mark.parametrize("claimed", [0, 100])
def test_a_false_size_in_a_header_is_detected(claimed: int) -> None:
    size = len(TEXT)
    lying = packed({"a.txt": TEXT}).replace(struct.pack("<L", size), struct.pack("<L", claimed))
    assert "damaged" in str(refused(lying))
    bomb = packed({"a.txt": bytes(20_000_000)})
    with zipfile.ZipFile(io.BytesIO(bomb)) as archive:
        size = archive.infolist()[0].compress_size
    refused(bomb.replace(struct.pack("<L", size), struct.pack("<L", 10_000_000)))


@pytest.mark.parametrize("name", ["../a.txt", "/etc/passwd", "\\a.txt"])
def test_names_that_point_outside_are_skipped(name: str) -> None:
    archive = Archive(packed({name: b"1", "b.txt": b"2"}), "book.epub")
    assert (archive.names(), archive.outside) == (["b.txt"], [name])


def test_a_truncated_archive_and_other_files_are_refused() -> None:
    assert "incomplete" in str(refused(packed({"a.txt": TEXT, "b.txt": TEXT})[:9]))
    assert "not a zip archive" in str(refused(b""))


@given(st.binary(max_size=300), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8))
def test_any_bytes_are_unpacked_or_refused(noise: bytes, changes: list[tuple[int, int]]) -> None:
    mutated = bytearray(packed({"a.txt": TEXT[:300], "b/c.txt": b"abc"}))
    for position, value in changes:
        mutated[position % len(mutated)] = value
    for data in (bytes(mutated), bytes(mutated) + noise, b"PK" + noise):
        try:
            archive = Archive(data, "book.epub")
            unpacked = [archive.read(name) for name in archive.names()]
        except LoadError:
            continue
        assert len(unpacked) == len(archive.names())
