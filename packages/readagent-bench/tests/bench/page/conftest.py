"""The running server and the browser tabs of the tests of `readagent serve`."""

from __future__ import annotations

from web.conftest import client, model, open_tab, page_browser, serve

__all__ = ["client", "model", "open_tab", "page_browser", "serve"]
