"""Controls as component libraries build them: they are shown with their state, and can be used as plain ones can."""

from __future__ import annotations

import pytest

from webnav.live.conftest import RunVisit
from webnav.live.scripted_visitor import ScriptedVisitor
from webnav.live.site import site

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


@pytest.mark.parametrize("body", ["<body contenteditable>Hi</body>", "<body>Hi<script>document.designMode = 'on'</script></body>"])
@pytest.mark.parametrize("place", ["same origin", "other origin"])
async def test_an_editor_that_fills_a_frame_is_written_in(run_visit: RunVisit, body: str, place: str) -> None:
    source = f'srcdoc="{body}"' if place == "same origin" else "src=http://localhost:PORT/inner"
    model = ScriptedVisitor(["Action: type {Hi} Good morning"])
    with site({"/": f"<title>Mail</title><p>Text:</p><iframe {source}></iframe>", "/inner": body}) as here:
        visit = await run_visit(here, model, allow=(f"localhost:{here.port}",))
    assert visit.done, visit.reason
    assert [step.error for step in visit.steps] == ["", ""]
    page = model.prompts[1].partition("</page>")[0]
    assert "Good morning" in page
    assert ">Hi" not in page


async def test_a_page_that_is_an_editor_is_written_in(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Action: type {Hi} Good morning"])
    with site({"/": "<title>Page</title><body contenteditable>Hi</body>"}) as here:
        assert (await run_visit(here, model)).done
    assert "Good morning" in model.prompts[1].partition("</page>")[0]
