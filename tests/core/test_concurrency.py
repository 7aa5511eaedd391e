"""Tasks of a group that is ending."""

from __future__ import annotations

import asyncio

import pytest

from readagent.core.concurrency import one_error, start_in
from readagent.errors import ReadAgentError


def test_a_task_that_comes_too_late_leaves_nothing_behind() -> None:
    """A page is found after the gist of another one failed: "never awaited" would be a failure here."""

    async def fail() -> None:
        raise ReadAgentError("the server is gone")

    async def late() -> None:
        raise AssertionError("it must not run")

    async def group() -> None:
        with one_error():
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(fail())
                try:
                    await asyncio.Event().wait()
                finally:
                    start_in(tasks, late())

    with pytest.raises(ReadAgentError, match="the server is gone"):
        asyncio.run(group())
