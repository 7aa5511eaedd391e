"""JobListener: what an agent tells while it works, as events of a job, and how far that job is."""

from __future__ import annotations

from bisect import bisect_left

from readagent.core.escaping import counted
from readagent.core.memory import GistMemory
from readagent.core.trace import (
    AnswerText,
    Call,
    CallFailed,
    Elsewhere,
    Event,
    Fallback,
    GistDone,
    Merging,
    Opened,
    PageFound,
    Started,
    Waiting,
    Working,
)
from readagent.web.job_queue import Job, JobQueue


class JobListener:
    """Passes the events of an agent on. ``whole`` is the memory that is asked: opened pages are numbered as in it."""

    def __init__(self, queue: JobQueue, job: Job, whole: GistMemory | None = None) -> None:
        self._queue, self._job, self._whole = queue, job, whole
        self._total = self._paged = self._pages = self._gists = self._done = 0

    def __call__(self, event: Event) -> None:
        """Take an event, on the thread of the agent."""
        job = self._job
        if isinstance(event, PageFound | GistDone | AnswerText | Call):  # the model has replied
            self._queue.waits(job, "")
        match event:
            case Started(words):
                self._total, self._paged, self._pages, self._gists, self._done = words, 0, 0, 0, 0
                job.tell("begin")
                self._reading()
            case PageFound(_, words, start, end):
                job.tell("page", start=start, end=end, words=words - self._paged)
                self._pages, self._paged = self._pages + 1, words
                self._reading()
            case GistDone(_, start, end, text) if self._total:
                if end:
                    job.tell("gist", start=start, end=end, text=text)
                self._gists += 1
                self._reading()
            case Merging(pages):
                self._queue.progress(job, what=f"indexing {counted(pages, 'page')}")
            case Opened():
                if numbers := self._numbers(event):
                    job.tell("opened", pages=numbers)
                self._queue.progress(job, what="answering")
            case Working(doing, done, parts):
                self._queue.progress(job, done=done, total=parts, what=doing)
            case AnswerText(text, restart):
                if restart:
                    job.tell("restart")
                job.tell("text", delta=text)
            case Waiting(seconds, reason):
                self._queue.waits(job, reason)
                job.tell("note", text=f"waiting {seconds:.0f} s: {reason}", key="waiting")
            case Elsewhere():
                self._queue.waits(job, "another process is doing the same")
            case CallFailed(reason):
                job.tell("note", text=reason, key="")
            case Fallback():
                job.tell("note", text=f"{event.step}: {event.reason}; used instead: {event.taken}", key="")
            case Call() if event.paid:
                usage = event.usage
                self._queue.paid(job, usage.prompt_tokens + usage.reply_tokens, usage.cost)

    def _reading(self) -> None:
        """Tell how far reading is: half of it is finding pages, and half is writing gists. It never goes back."""
        share = self._paged / max(1, self._total) * (1 + min(1.0, self._gists / max(1, self._pages))) / 2
        what = f"{self._gists:,} of {counted(self._pages, 'page')}" if self._pages else "reading"
        self._done = max(self._done, round(share * self._total))
        self._queue.progress(self._job, done=self._done, total=self._total, what=what)

    def _numbers(self, event: Opened) -> list[int]:
        """Return the opened pages as the whole memory counts them."""
        if self._whole is None:
            return []
        starts = [page.start for page in self._whole.pages]
        covered = (
            range(max(0, bisect_left(starts, start + 1) - 1), bisect_left(starts, end)) for start, end in event.spans
        )
        return sorted({number for some in covered for number in some}) if event.spans else list(event.pages)
