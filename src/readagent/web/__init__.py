"""The server of ``readagent serve``: a page and an HTTP API over the library and an agent. It needs the extra serve."""
