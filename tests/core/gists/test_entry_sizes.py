"""The entries of a tree fill their room, and few of them get another size when there is one more."""

from __future__ import annotations

import pytest
from readagent.core.gists.entries import entry_sizes


@pytest.mark.parametrize("room", [2_500, 6_500, 30_000])
def test_entries_fill_the_room_and_few_change_with_one_more(room: int) -> None:
    before = entry_sizes(8, room, 60)
    for count in range(9, room // 60):
        sizes = entry_sizes(count, room, 60)
        assert 0.95 * room <= sum(sizes) <= room
        assert min(sizes) >= 60
        assert max(sizes) <= 1.3 * min(sizes)
        assert sum(one != other for one, other in zip(before, sizes, strict=False)) <= 5
        before = sizes


def test_all_entries_are_equally_short_where_there_is_too_little_room() -> None:
    assert entry_sizes(10, 100, 60) == [10] * 10
