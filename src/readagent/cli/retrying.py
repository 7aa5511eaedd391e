"""`readagent read --retry`: ask again for the pages of known documents that have no gist."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from readagent.cli.documents import known_memory
from readagent.cli.output import counted, on_pages, print_json, report_fallbacks, summary
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.core.memory import GistMemory
from readagent.errors import LoadError, NotInLibraryError
from readagent.library import Library
from readagent.records.documents import memory_record
from readagent.sync import ReadAgent


def retry_all(names: Sequence[str], agent: ReadAgent, library: Library, as_json: bool) -> int:
    """Ask again for pages without a gist, document by document, and return the exit code: 1 if there are such pages.

    If there are several documents, one that is unknown is skipped.
    """
    skipped = left = 0
    for name in names:
        try:
            left += _retry(name, agent, library, as_json)
        except (LoadError, NotInLibraryError) as error:
            if len(names) == 1:
                raise
            skipped += 1
            echo(f"skipped {name}: {error}", err=True)
    if skipped:
        echo(f"{len(names) - skipped} of {len(names)} sources were read", err=True)
    return int(bool(skipped or left))


def _retry(name: str, agent: ReadAgent, library: Library, as_json: bool) -> int:
    """Ask again for the pages of one document, print the result, and return how many have no gist."""
    before = known_memory(name, library, agent.plan.task)
    with Progress() as progress:
        after = agent.retry(before, listen=progress)
    if as_json:
        print_json(memory_record(after))
    else:
        echo(f"{summary(after)}; {_done(before, after)}")
    report_fallbacks([one for one in after.trace.fallbacks if one.step == "gist" and one.page in after.leads])
    if len(after.leads) < len(before.leads):  # where nothing came of it, asking again is of no use
        suggest_retry(name, after)
    return len(after.leads)


def suggest_retry(name: str, memory: GistMemory) -> None:
    """Say on standard error how to ask again for pages without a gist."""
    whole = memory.whole
    if whole.leads:
        again = f"readagent read {quote(name)} --retry"
        echo(f"note: {on_pages(whole.leads)} can be asked for again: {again}", err=True)


def _done(before: GistMemory, after: GistMemory) -> str:
    if not before.leads:
        return "all pages have a gist, so nothing was asked"
    return f"{len(before.leads) - len(after.leads)} of {counted(len(before.leads), 'page')} retried got a gist"
