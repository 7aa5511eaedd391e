"""What a visit can do to a page besides clicking and typing, and controls that are unlike plain ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.errors import UsageError
from readagent_browse.live import browse
from readagent_browse.live.visit import Uploads, Visit

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


def titles(visit: Visit) -> list[str]:
    assert visit.done, visit.reason
    assert [step.error for step in visit.steps] == [""] * len(visit.steps)
    return [step.title for step in visit.steps]


async def test_back_leads_to_the_page_before_and_not_out_of_the_first(run_visit: RunVisit) -> None:
    with site(
        {"/": "<title>One</title><a href=/two>Two</a>", "/two": "<title>Two</title><p>Nothing more.</p>"}
    ) as here:
        assert titles(await run_visit(here, ["Two", "Action: back"])) == ["One", "Two", "One"]
        visit = await run_visit(here, ["Action: back"], trace="first")
    assert visit.steps[0].error == "there is no page to go back to in this tab"


async def test_scrolling_loads_more_of_an_endless_page(run_visit: RunVisit) -> None:
    page = """<title>Endless</title><div id=list></div><script>
    const more = () => { for (let n = 0; n < 10; n++) { const p = list.appendChild(document.createElement('button'));
      p.textContent = `Item ${list.childNodes.length}`; p.style = 'display:block;height:120px'; p.onclick = () => { document.title = p.textContent } } };
    more(); onscroll = () => { if (scrollY + innerHeight > document.body.scrollHeight - 50) setTimeout(more, 50) };</script>"""
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Action: scroll down", "Action: scroll down", "Item 30"])
    assert titles(visit)[-1] == "Item 30"


async def test_keys_are_pressed_in_an_element_or_on_the_page(run_visit: RunVisit) -> None:
    page = """<title>Keys</title><div role=slider tabindex=0 aria-label=Volume onkeydown="document.title = event.key">5</div>
    <script>addEventListener('keyup', (event) => { if (event.key === 'Escape') document.title = 'Closed' })</script>"""
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Action: press {5} ArrowRight", "Action: press Escape"])
        assert titles(visit) == ["Keys", "ArrowRight", "Closed"]


async def test_several_options_sliders_and_colours_are_set(run_visit: RunVisit) -> None:
    page = """<title>Fields</title><form action=/sent><select multiple name=kind><option>Brass<option>Steel<option>Tin</select>
    <input type=range name=size min=0 max=10 aria-label=Size><input type=color name=paint aria-label=Paint><button>Send</button></form>"""
    acts = [("Brass | Steel | Tin", "Brass | Tin"), ("Size", "7"), ("Paint", "#ff8000"), "Send"]
    model = ScriptedVisitor(acts)
    with site({"/": page, "/sent": "<title>Sent</title><p>Thank you very much for this.</p>"}) as here:
        assert titles(await run_visit(here, model))[-1] == "Sent"
        assert any(line.endswith("/sent?kind=Brass&kind=Tin&size=7&paint=%23ff8000") for line in here.asked)
    assert 'aria-description="from 0 to 10"' in model.prompts[0]
    assert 'value="Brass | Tin" multiple' in model.prompts[1]


async def test_the_label_of_a_control_that_is_hidden_by_its_styling_gets_the_id(run_visit: RunVisit) -> None:
    page = """<title>Styled</title><style>.box { opacity: 0; position: absolute; width: 1px; height: 1px }</style>
    <form action=/sent><input class=box type=checkbox id=news name=news><label for=news><b>Newsletter</b></label>
    <label><input type=radio name=size value=small style="position:absolute;opacity:0"><span>Small</span></label>
    <input type=checkbox id=plain name=plain><label for=plain>Plain</label><button>Send</button></form>"""
    model = ScriptedVisitor(["Newsletter", "Small", "Send"])
    with site({"/": page, "/sent": "<title>Sent</title><p>Thank you very much for this.</p>"}) as here:
        assert titles(await run_visit(here, model))[-1] == "Sent"
        assert any(line.endswith("/sent?news=on&size=small") for line in here.asked)
    labels = [line for line in model.prompts[1].splitlines() if "Newsletter" in line and "aria-checked" in line]
    assert "aria-checked=true" in labels[0]
    assert "<label>Plain</label>" in model.prompts[0], "a control that can be seen has the id itself"


async def test_a_file_of_an_allowed_folder_is_uploaded(tmp_path: Path) -> None:
    field = "<input type=file aria-label=Pick onchange='show(this)'>"
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "lamp.txt").write_text("brass", "utf-8")
    page = f"<title>Upload</title>{field}<script>show = async (f) => {{ document.title = await f.files[0].text() }}</script>"
    model = ScriptedVisitor(["Action: upload {Pick} lamp.txt"])
    with site({"/": page}) as here:
        async with AsyncReadAgent(model, window=8000) as agent:
            visit = await browse(here.url, "Upload it", agent, upload=[tmp_path / "files"], folder=tmp_path / "t")
    assert titles(visit)[-1] == "brass"
    assert 'upload [12] one of these files: "lamp.txt"' in model.prompts[0]


def test_only_files_of_the_folders_can_be_uploaded(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "secret.txt").write_text("x", "utf-8")
    (tmp_path / "files" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "files" / "lamp.txt").write_text("x", "utf-8")
    assert Uploads([tmp_path / "files"]).names == ("lamp.txt",)
    with pytest.raises(UsageError, match="is not a folder"):
        Uploads([tmp_path / "none"])


async def test_frames_of_other_origins_are_read_and_acted_on(run_visit: RunVisit) -> None:
    page = "<title>Outer</title><p>Before</p><iframe src=http://localhost:PORT/inner></iframe><p>After</p><button>Outer</button>"
    inner = "<p>In the other frame</p><button onclick=\"this.textContent = 'Pressed'\">Inner</button>"
    model = ScriptedVisitor(["Inner", "Pressed"])
    with site({"/": page, "/inner": inner}) as here:
        visit = await run_visit(here, model, allow=(here.url.replace("http://127.0.0.1", "localhost"),))
    assert visit.done, visit.reason
    text = model.prompts[0]
    assert text.index("Before") < text.index("In the other frame") < text.index("After")
    assert visit.steps[0].action is not None
    assert visit.steps[0].action.element.startswith("fa")


async def test_behind_an_open_dialog_nothing_can_be_acted_on(run_visit: RunVisit) -> None:
    page = """<title>Dialog</title><button onclick="document.querySelector('dialog').showModal()">Open</button><dialog><p>Sure?</p>
    <button onclick="this.parentNode.close(); document.title = 'Closed'">Fine</button></dialog>"""
    model = ScriptedVisitor(["Open", "Fine", "Open"])
    with site({"/": page}) as here:
        assert titles(await run_visit(here, model))[2] == "Closed"
    assert "Sure?" not in model.prompts[0]
    assert "<button>Open" not in model.prompts[0]
    assert "Open</button>" not in model.prompts[1]
    assert "Sure?" in model.prompts[1]


NATIVE = """<title>Basket</title><div draggable=true id=lamp style="width:120px">Brass lamp</div>
<div id=basket style="height:80px;margin-top:MARGIN;border:1px solid">Basket</div><script>
lamp.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'lamp');
basket.ondragover = (event) => event.preventDefault();
basket.addEventListener('drop', (event) => { event.preventDefault(); document.title = `Got a ${event.dataTransfer.getData('text/plain')}`;
  if (location.search) fetch('/order', {method: 'POST', body: 'lamp'}) });</script>"""

SORTED = """<title>List</title><ul id=list style="display:block;margin:0;padding:0;list-style:none">
<li>Amber</li><li>Brass</li><li>Copper</li><li>Dune</li></ul><script>
[...list.children].forEach((item) => { item.style.cssText = 'width:80px;height:24px;cursor:move' });
let held = null;
list.addEventListener('mousedown', (event) => { held = event.target; event.preventDefault() });
addEventListener('mousemove', (event) => {
  const over = document.elementFromPoint(event.clientX, event.clientY);
  if (!held || !over || over === held || over.parentNode !== list) return;
  const down = [...list.children].indexOf(held) < [...list.children].indexOf(over);
  down ? over.after(held) : over.before(held);
});
addEventListener('mouseup', () => { held = null; document.title = [...list.children].map((one) => one.textContent[0]).join('') });
</script>"""


def last_title(visit: Visit) -> str:
    assert visit.done, visit.reason
    assert [step.error for step in visit.steps] == [""] * len(visit.steps)
    return visit.steps[-1].title


async def test_a_double_click_edits_what_a_click_does_not(run_visit: RunVisit) -> None:
    page = """<title>Cells</title><table><tr><td id=cell tabindex=0>two coins</td></tr></table><script>
    cell.ondblclick = () => { cell.innerHTML = '<input aria-label=Price>'; cell.firstChild.focus() };
    cell.onkeyup = (event) => { if (event.key === 'Enter') document.title = event.target.value }</script>"""
    model = ScriptedVisitor(["two coins", "Action: double-click {two coins}", "Action: type {Price} 3 coins[Enter]"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model)
    assert last_title(visit) == "3 coins"
    assert visit.steps[1].description == 'double-click "two coins" [1]'
    assert "Action: click [12], or double-click [12]" in model.prompts[0]


async def test_what_the_browser_lets_one_drag_is_dropped_elsewhere(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Action: drag {Brass lamp} to {Basket}"])
    with site({"/": NATIVE.replace("MARGIN", "0")}) as here:
        visit = await run_visit(here, model)
    assert last_title(visit) == "Got a lamp"
    assert visit.steps[0].description == 'drag "Brass lamp" [1] to [2]'
    assert "<div id=1 draggable>Brass lamp</div>" in model.prompts[0]
    assert "Action: drag [12] to [15]" in model.prompts[0]


async def test_what_a_drop_would_send_is_asked_about(run_visit: RunVisit) -> None:
    asked: list[str] = []
    with site({"/": NATIVE.replace("MARGIN", "0")}) as here:
        act = "Action: drag {Brass lamp} to {Basket}"
        visit = await run_visit(here, [act], path="/?send", confirm=lambda question: asked.append(question) or False)
        assert here.sent == []
        await run_visit(here, [act], path="/?send", trace="agreed")
        assert here.sent == ["/order lamp"]
    assert visit.ended == "unconfirmed"
    assert len(asked) == 1
    assert "POST" in asked[0]


async def test_a_list_is_sorted_with_the_mouse(run_visit: RunVisit) -> None:
    with site({"/": SORTED}) as here:
        assert last_title(await run_visit(here, ["Action: drag {Dune} before {Brass}"])) == "ADBC"
