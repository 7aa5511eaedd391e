"""The report on a folder: how many files were read, and why others were skipped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from readagent.cli.output import counted
from readagent.cli.screen import echo, echo_line
from readagent.loaders import Skipped

_MOST_REASONS = 8
_MOST_NAMES = 3


def report_folder(folder: str, read: int, skipped: Sequence[Skipped], failed: int = 0) -> None:
    """Print one line for the folder, and one for each reason why files were skipped, on standard error.

    ``failed`` files were loaded but not read, which was reported at the time.
    """
    unsupported = sum(item.unsupported for item in skipped)
    total = read + len(skipped) + failed
    echo_line(f"{folder}: {read:,} of {counted(total, 'file')} read", err=True)
    reasons = _by_reason([item for item in skipped if not item.unsupported])
    for reason, names in reasons[:_MOST_REASONS]:
        echo_line(f"  {_shown(reason, names)}", err=True)
    if len(reasons) > _MOST_REASONS:
        left = sum(len(names) for _, names in reasons[_MOST_REASONS:])
        echo(f"  and {counted(left, 'other file')} for other reasons", err=True)
    if unsupported:
        echo(f"  {counted(unsupported, 'file')} of unsupported types, such as images", err=True)


class SkippedFiles:
    """Counts the files that were skipped while the sources of a shelf were listed, by reason.

    A file with one of the reasons in ``read`` is read nevertheless.
    """

    def __init__(self, read: Collection[str] = ()) -> None:
        self._read = read
        self._counts: Counter[str] = Counter()
        self._names: defaultdict[str, list[str]] = defaultdict(list)

    def __call__(self, skipped: Skipped) -> None:
        self._counts[skipped.reason] += 1
        if len(self._names[skipped.reason]) < _MOST_NAMES:
            self._names[skipped.reason].append(skipped.source)

    def report(self) -> None:
        """Print a line for each reason on standard error."""
        for reason, count in self._counts.most_common():
            more = count - len(self._names[reason])
            names = ", ".join(self._names[reason]) + (f" and {more:,} more" if more else "")
            what = reason if reason in self._read else f"skipped ({reason})"
            echo_line(f"{what}: {names}", err=True)


def _by_reason(skipped: Sequence[Skipped]) -> list[tuple[str, list[str]]]:
    """Return the reasons without file names, each with its files, the most frequent first."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for item in skipped:
        found[" ".join(item.reason.replace(item.source, "", 1).split())].append(item.source)
    return sorted(found.items(), key=lambda pair: -len(pair[1]))


def _shown(reason: str, names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"{shown}: {reason.lstrip(': ')}"
