"""The page that asks for the token. Its stylesheet is the only file that is served without one."""

from __future__ import annotations

from starlette.responses import Response

LOGIN = "/login"
LOGIN_STYLE = "/login.css"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>ReadAgent</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/login.css"></head>
<body><main><h1>ReadAgent</h1>
<p>Open the address that <code>readagent serve</code> printed, or give its token:</p>
{wrong}<form method="post" action="/login"><label>Token <input type="password" name="token" required autofocus></label>
<button>Open</button></form></main></body></html>
"""
_WRONG = (
    '<p class="wrong" role="alert">This token is wrong. A server that is started again has a new one, '
    "unless it was started with a token of its own.</p>\n"
)
_STYLE = """:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; }
main { max-width: 26rem; margin: 12vh auto 0; }
h1 { font-size: 1.4rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
label { flex: 1 1 14rem; }
input { display: block; width: 100%; box-sizing: border-box; }
input, button { font: inherit; padding: .4rem .6rem; }
.wrong { border-left: .25rem solid #c62828; padding-left: .75rem; }
"""


def login_page(*, wrong: bool = False) -> Response:
    """Return the page; ``wrong`` says that the token that was given is not the right one."""
    return Response(_PAGE.replace("{wrong}", _WRONG if wrong else ""), 401, media_type="text/html")


def login_style() -> Response:
    """Return the stylesheet of the page."""
    return Response(_STYLE, media_type="text/css")
