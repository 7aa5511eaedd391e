"""A table of MiniWoB episodes: a row for each task, and one for all."""

from __future__ import annotations

from collections.abc import Sequence

from readagent_bench.web.miniwob import Episode

Row = dict[str, str | int | float]


def rows(episodes: Sequence[Episode]) -> list[Row]:
    """Return a row for each task in order, and a last one for all episodes."""
    tasks = list(dict.fromkeys(episode.task for episode in episodes))
    found = [_row(task, [episode for episode in episodes if episode.task == task]) for task in tasks]
    return [*found, _row(f"all {len(tasks)} tasks", list(episodes))] if len(tasks) > 1 else found


def _row(name: str, episodes: Sequence[Episode]) -> Row:
    count = max(1, len(episodes))
    return {
        "task": name,
        "episodes": len(episodes),
        "success %": round(100 * sum(one.success for one in episodes) / count, 1),
        "mean reward": round(sum(one.reward for one in episodes) / count, 2),
        "steps": round(sum(one.steps for one in episodes) / count, 1),
        "CR %": round(100 * sum(one.compression for one in episodes) / count, 1),
        "largest prompt": max((one.largest_prompt for one in episodes), default=0),
        "fallbacks": sum(one.fallbacks for one in episodes),
    }


def table(rows: Sequence[Row]) -> str:
    """Return rows as aligned text for a terminal."""
    names = list(rows[0]) if rows else []
    cells = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    return "\n".join(
        "  ".join(cell.ljust(width) if not place else cell.rjust(width)
                  for place, (cell, width) in enumerate(zip(line, widths, strict=True)))
        for line in cells
    )  # fmt: skip
