"""Work: what each kind of job does, with the agent, and what clients see of its result."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from readagent.advice import as_options
from readagent.agent import AsyncReadAgent
from readagent.core.asking.position import Offset
from readagent.core.memory import GistMemory
from readagent.core.question import Question, Turn, as_question
from readagent.errors import NotInLibraryError
from readagent.library.jobs import JobRow
from readagent.options import AskOptions
from readagent.records import plain
from readagent.records.answers import AnswerRecord, ShelfAnswerRecord, answer_record, shelf_answer_record
from readagent.records.jobs import ReadingResult
from readagent.shelf import AsyncShelf
from readagent.web.job_queue import Job, JobQueue
from readagent.web.listening import JobListener
from readagent.web.overview_making import made
from readagent.web.problems import RefusedError
from readagent.web.texts import Texts

Result = Mapping[str, Any] | None


class Work:
    """Does the jobs of a queue, on the event loop of the agent."""

    queue: JobQueue

    def __init__(self, agent: AsyncReadAgent, texts: Texts) -> None:
        self._agent, self._texts, self._library = agent, texts, agent.library

    async def do(self, job: Job) -> Result:
        """Do a job and return its result, as the library keeps it."""
        match job.row.kind:
            case "read":
                return await self._read(job)
            case "ask":
                return await self._ask(job)
            case "overview":
                return await self._overview(job)
            case _:
                return await self._ask_shelf(job)

    def shown(self, row: JobRow) -> Any:
        """Return the result of a job as clients get it: answers from the library, anything else as it is kept."""
        result = row.result
        if result is None or row.kind not in ("ask", "shelf_ask"):
            return result
        try:
            return plain(self.answer(int(result["answer"])))
        except NotInLibraryError:  # it was removed
            return None

    def answer(self, number: int) -> AnswerRecord | ShelfAnswerRecord:
        """Return the record of an answer in the library."""
        if self._library.shelves.some_answers([number]):
            return shelf_answer_record(self._library.shelves.answer(number))
        kept, trace = self._library.kept_answer(number), self._library.answer(number).trace
        memory = self._texts.memory(kept.document)
        if memory is None:
            raise NotInLibraryError(f"the reading that answer {number} is from has been removed")
        return answer_record(kept, memory, trace)

    async def _memory(self, job: Job) -> GistMemory:
        memory = await asyncio.to_thread(self._texts.memory, job.row.document)
        if memory is None:
            raise NotInLibraryError("this document has not been read yet", hint="read it first")
        return memory

    async def _after_reading(self, job: Job) -> None:
        """Wait until a document has been read, by a job of its own; one that is stopped meanwhile goes on."""
        document = job.row.document
        if await asyncio.to_thread(self._texts.memory, document) is not None:
            return
        reading = self.queue.reading(document) or self.queue.add("read", {}, document=document)
        self.queue.progress(job, what="Reading the text first")
        await self.queue.until_ended(reading)

    async def _read(self, job: Job) -> Result:
        listen, request = JobListener(self.queue, job), job.row.request
        if request.get("retry"):
            memory = await self._agent.retry(await self._memory(job), listen=listen)
        else:
            document = await asyncio.to_thread(self._texts.document, job.row.document)
            memory = await self._agent.read(document, plan=request.get("preset") or None, listen=listen)
        whole = memory.whole
        await asyncio.to_thread(self._library.prefer_reading, whole)
        self.queue.progress(job, done=1, total=1, what=f"{len(whole.pages):,} pages")
        warnings = list(map(as_options, memory.warnings))
        result = ReadingResult(whole.document.id, len(whole.pages), whole.words(), list(whole.leads), warnings)
        return dict(plain(result))

    async def _ask(self, job: Job) -> Result:
        if job.row.request.get("read"):
            await self._after_reading(job)
        request, memory = job.row.request, await self._memory(job)
        kept = [await asyncio.to_thread(self._library.answer, number) for number in request.get("history", ())]
        options: AskOptions = {
            "listen": JobListener(self.queue, job, memory),
            "history": [Turn(one.question.text, one.text, one.up_to) for one in kept],
            "up_to": None if request.get("up_to") is None else Offset(request["up_to"]),
            "look_up": request.get("look_up") or None,
        }
        answer = await self._agent.ask(memory, asked(request), **options)
        return {"answer": answer.id} if answer.id is not None else None

    async def _overview(self, job: Job) -> Result:
        memory = await self._memory(job)
        result = await made(self._agent, memory, job.row.request, JobListener(self.queue, job))
        await asyncio.to_thread(self._replace_older, job.row)
        return result

    def _replace_older(self, row: JobRow) -> None:
        """Remove what was made with the same options before."""
        wanted = {**row.request, "retry": False}
        older = self._library.jobs.made("overview", row.document)
        self._library.jobs.remove([one.id for one in older if {**one.request, "retry": False} == wanted])

    async def _ask_shelf(self, job: Job) -> Result:
        shelf, request = AsyncShelf(self._agent, job.row.shelf), job.row.request
        listen, compare = JobListener(self.queue, job), bool(request.get("compare"))
        for document in await asyncio.to_thread(self._library.shelves.without_card, shelf.name):
            memory = await asyncio.to_thread(self._texts.memory, document)
            if memory is not None:  # it was read since it was put on the shelf
                self.queue.progress(job, what=f"Describing {memory.document.title or document}")
                await shelf.add(memory, listen=listen)
        places = {document: Offset(place) for document, place in request.get("up_to", {}).items()}
        answer = await shelf.ask(asked(request), compare=compare, up_to=places, listen=listen)
        return {"answer": answer.id} if answer.id is not None else None


def asked(request: Mapping[str, Any]) -> Question:
    """Return the question of a request; raise UsageError or RefusedError if it is none."""
    if any("\0" in one for one in (request["question"], *request.get("choices", ()))):
        raise RefusedError(422, "the question contains a NUL character", hint="ask in words")
    if request.get("choices") and request.get("claim"):
        raise RefusedError(422, "a claim has no choices", hint="give either choices or claim")
    if request.get("choices"):
        return as_question(Question.choice(request["question"], request["choices"]))
    return as_question(Question.claim(request["question"]) if request.get("claim") else request["question"])
