"""`readagent read --retry`: ask again for the pages of known documents that have no gist."""

from __future__ import annotations

from shlex import quote

from readagent.cli.documents import known_memory
from readagent.cli.output import counted, on_pages, print_json, report_fallbacks, summary
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.core.memory import GistMemory
from readagent.library import Library
from readagent.records.documents import memory_record
from readagent.sync import ReadAgent


class Retrier:
    """Asks again for the pages of documents in the library that have no gist. ``left`` counts those that still fail."""

    def __init__(self, agent: ReadAgent, library: Library, as_json: bool) -> None:
        self._agent, self._library, self._as_json = agent, library, as_json
        self.left = 0

    def retry(self, name: str) -> None:
        """Ask again for the pages of one document, and print the result."""
        before = known_memory(name, self._library, self._agent.plan.task)
        with Progress() as progress:
            after = self._agent.retry(before, listen=progress)
        self.left += len(after.leads)
        if self._as_json:
            print_json(memory_record(after))
        else:
            echo(f"{summary(after)}; {_done(before, after)}")
        report_fallbacks([one for one in after.trace.fallbacks if one.step == "gist" and one.page in after.leads])
        suggest_retry(name, after)


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
