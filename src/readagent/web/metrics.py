"""Metrics: what a server has done, in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

_BOUNDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)  # seconds of a request
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Metrics:
    """Counts requests by route and status, and their seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._buckets[route][bisect_left(_BOUNDS, seconds)] += 1
            self._seconds[route] += seconds

    def lines(self) -> list[str]:
        """Return the counts so far."""
        with self._lock:
            lines = family(
                "readagent_http_requests_total", "counter", "Requests that were answered.",
                (({"method": method, "route": route, "status": str(status)}, count)
                 for (method, route, status), count in sorted(self._requests.items())),
            )  # fmt: skip
            name = "readagent_http_request_seconds"
            lines += [f"# HELP {name} Seconds until a request was answered.", f"# TYPE {name} histogram"]
            for route, counts in sorted(self._buckets.items()):
                total = 0
                for bound, count in zip((*map(str, _BOUNDS), "+Inf"), counts, strict=True):
                    total += count
                    lines.append(sample(f"{name}_bucket", {"route": route, "le": bound}, total))
                lines.append(sample(f"{name}_sum", {"route": route}, self._seconds[route]))
                lines.append(sample(f"{name}_count", {"route": route}, total))
            return lines


def family(name: str, kind: str, text: str, samples: Iterable[tuple[Mapping[str, str], float]]) -> list[str]:
    """Return the lines of a metric: what it is, and a sample for each set of labels."""
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *(sample(name, *one) for one in samples)]


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    """Return one line."""
    shown = ",".join(f'{label}="{text.translate(_ESCAPES)}"' for label, text in labels.items())
    return f"{name}{{{shown}}} {value!r}" if shown else f"{name} {value!r}"
