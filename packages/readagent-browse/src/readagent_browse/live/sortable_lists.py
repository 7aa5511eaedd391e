"""Find lists that a library sorts with the mouse and that only its listener knows: nothing in the page marks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from readagent_browse.snapshot_builder import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import CDPSession

_LISTENERS = "getEventListeners(document.documentElement).mousedown.map((one) => one.listener)"
_MARK = f"""function () {{
  const lists = Array.isArray(this.containers) ? this.containers : [];
  for (const list of lists) if (list instanceof Element) list[Symbol.for("{ID_ATTRIBUTE}-sortable")] = true;
  return lists.length > 0;
}}"""


async def mark_sortable_lists(cdp: CDPSession) -> bool:
    """Mark the lists whose items can be dragged, and return whether there are any.

    Dragula listens at the root of the page, and keeps its lists as ``containers`` in a variable of that listener.
    """
    asked = {"expression": _LISTENERS, "includeCommandLineAPI": True}
    answer = await cdp.send("Runtime.evaluate", asked)
    found = False
    for listener in await _objects(cdp, answer["result"]):
        for scopes in await _objects(cdp, listener, "[[Scopes]]"):
            for scope in await _objects(cdp, scopes):
                if scope.get("description") == "Global":
                    continue
                for value in await _objects(cdp, scope):
                    marked = {"objectId": value["objectId"], "functionDeclaration": _MARK, "returnByValue": True}
                    answer = await cdp.send("Runtime.callFunctionOn", marked)
                    found = found or answer["result"].get("value") is True
    return found


async def _objects(cdp: CDPSession, of: dict[str, Any], internal: str = "") -> list[dict[str, Any]]:
    """Return the objects that are properties of an object, or the internal one of this name."""
    if "objectId" not in of:
        return []
    answer = await cdp.send("Runtime.getProperties", {"objectId": of["objectId"], "ownProperties": True})
    named = answer.get("internalProperties", []) if internal else answer["result"]
    values = [one["value"] for one in named if "value" in one and (one["name"] == internal or not internal)]
    return [value for value in values if "objectId" in value]
