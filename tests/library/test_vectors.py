"""Vectors: found by their keys, in any number, stored all or none."""

from __future__ import annotations

from readagent.library import Library


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def test_vectors_come_back_by_key_and_unknown_keys_are_left_out(library: Library) -> None:
    library.keep_vectors({key(1): b"one1", key(2): b"two2"})
    assert library.vectors([key(2), key(3), key(2)]) == {key(2): b"two2"}
    assert library.vectors([]) == {}
    library.keep_vectors({})


def test_more_keys_than_fit_one_query(library: Library) -> None:
    vectors = {key(number): bytes([number % 256]) * 16 for number in range(3000)}
    library.keep_vectors(vectors)
    assert library.vectors(list(vectors)) == vectors
