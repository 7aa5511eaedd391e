"""A client that sends more than the window takes: `python examples/proxy_client.py`, offline.

A scripted model with a window of 4,096 tokens stands in for yours, and `readagent proxy` stands in front of it. The
request has a long text and a question about its middle. Any OpenAI client does the same with its base URL.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from readagent.testing import LoopbackServer

HERE = Path(__file__).parent
QUESTION = "What did the dial read when the blocks stood at the north-east corner?"


def ask(base_url: str, text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the reply of a server, and its headers; stop at an error."""
    content = f"Answer from this story: {QUESTION}\n\n{text}"
    body = {"model": "skimmer", "messages": [{"role": "user", "content": content}]}
    request = urllib.request.Request(
        f"{base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response), dict(response.headers)
    except urllib.error.HTTPError as error:
        return json.load(error), {}


def main() -> None:
    """Send the request to the model, and then through the proxy."""
    text = (HERE / "story.txt").read_text("utf-8")
    with tempfile.TemporaryDirectory() as home, LoopbackServer(window=4096).in_thread() as model:
        reply, _ = ask(model.base_url, text)
        print("without the proxy:", reply["error"]["message"])
        command = [sys.executable, "-m", "readagent", "proxy", "--port", "0", "--model", "skimmer"]
        proxy = subprocess.Popen(
            [*command, "--base-url", model.base_url],
            env={**os.environ, "READAGENT_HOME": home},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert proxy.stdout is not None
            found = re.search(r"http://\S+", proxy.stdout.readline())
            assert found is not None, "the proxy did not start"
            reply, headers = ask(found[0], text)
            print("with the proxy:", reply["choices"][0]["message"]["content"])
            for name in ("original-tokens", "sent-tokens", "pages", "pages-opened", "calls"):
                print(f"  {name}: {headers[f'x-readagent-{name}']}")
        finally:
            proxy.terminate()
            proxy.wait()
            assert proxy.stdout is not None
            proxy.stdout.close()


if __name__ == "__main__":
    main()
