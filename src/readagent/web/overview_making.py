"""Make an overview for a client: by the agent, as data with offsets and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.asking.position import Offset
from readagent.core.memory import GistMemory
from readagent.core.overviews.points import Overview, Summary
from readagent.core.trace import Listener
from readagent.models.wire import fingerprint
from readagent.overviews import OverviewOptions
from readagent.records import plain, record
from readagent.records.answers import FallbackRecord
from readagent.records.overviews import item_records, point_records, summary_record, together
from readagent.web.overview_markdown import as_markdown


async def made(
    agent: AsyncReadAgent, memory: GistMemory, request: Mapping[str, Any], listen: Listener
) -> dict[str, Any]:
    """Make an overview; return what is kept of it: all of ``OverviewRecord`` but what the job knows."""
    kind, up_to = request["kind"], request.get("up_to")
    options: OverviewOptions = {
        "listen": listen,
        "chapter": request.get("chapter") or None,
        "up_to": None if up_to is None else Offset(up_to),
        "retry": bool(request.get("retry")),
    }
    result: Summary | Overview[Any]
    match kind:
        case "summary":
            words, audience = request.get("words") or 300, request.get("audience") or ""
            result = await agent.summary(memory, words=words, audience=audience, **options)
        case "outline":
            result = await agent.outline(memory, **options)
        case _:
            wanted = request.get("headings") or "" if kind == "extract" else kind
            result = await agent.extract(memory, wanted, count=request.get("count") or 10, **options)
    usage = result.trace.usage
    kept = {
        "memory": mark_of(memory),
        "title": memory.document.title,
        "markdown": as_markdown(kind, result),
        "data": _data(kind, result),
        "dropped": point_records(result.dropped, result.memory),
        "calls": len(result.trace.calls),
        "tokens": usage.prompt_tokens + usage.reply_tokens,
        "fallbacks": [record(FallbackRecord, one) for one in result.trace.fallbacks],
    }
    return dict(plain(kept))


def mark_of(memory: GistMemory) -> str:
    """Return a mark that changes when pages or gists of a memory do."""
    whole = memory.whole
    return fingerprint([(page.end, gist.text) for page, gist in zip(whole.pages, whole.gists, strict=True)])[:16]


def _data(kind: str, result: Summary | Overview[Any]) -> Any:
    if isinstance(result, Summary):
        return summary_record(result)
    pairs = {"together": together(result.items)} if kind == "people" else {}
    return {"items": item_records(result, result.memory), **pairs}
