"""The words that a perfect prefix cache would save, as recorded in the trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent import AsyncReadAgent, load
from readagent.core.session import Prefixes
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES


@given(st.lists(st.text("ab", max_size=8).map(lambda text: text * 64), max_size=8))
def test_the_result_never_exceeds_the_shared_prefix(prompts: list[str]) -> None:
    seen = Prefixes()
    for i, prompt in enumerate(prompts):
        common = [next((k for k, (a, b) in enumerate(zip(prompt, one, strict=False)) if a != b), min(len(prompt), len(one)))
                  for one in prompts[:i]]  # fmt: skip
        assert seen.shared(prompt) == max(common, default=0) // 256 * 256


@pytest.mark.anyio
async def test_the_memory_is_read_once_for_all_questions_about_it() -> None:
    async with LoopbackServer(cached_share=0.5) as server, AsyncReadAgent("skimmer", base_url=server.base_url) as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        first = await agent.ask(memory, "Who is Mira?")
        second = await agent.ask(memory, "What is the weight made of?")
        again = await agent.ask(memory, "Who is Mira?")
    look_up = second.trace.calls[0]
    assert look_up.shared_words > 0.7 * memory.words()
    assert second.trace.shared_words > first.trace.shared_words
    assert 0 < first.trace.shared_words < first.trace.words_read
    assert again.trace.shared_words == 0  # nothing was sent
    assert first.trace.paid.cached_tokens == sum(call.usage.cached_tokens for call in first.trace.calls) > 0


def test_prompts_that_were_not_used_for_a_long_time_are_forgotten() -> None:
    prefixes = Prefixes()
    used, unused = ("".join(f"{name} {n}; " for n in range(200)) for name in ("used", "unused"))
    prefixes.shared(used)
    prefixes.shared(unused)
    for number in range(40):
        prefixes.shared(f"{number} " * (1 << 20))
        assert prefixes.shared(used) > len(used) - 256
    assert prefixes.shared(unused) == 0
