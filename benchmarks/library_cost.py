"""What a library costs those who install it: packages, megabytes, CPU time of the import, licence."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from common import Value

_NAME = re.compile(r"[\w.-]+")
_IMPORTS = 3  # the quickest counts


def costs(name: str, module: str) -> dict[str, Value]:
    """Return what comes with a package besides what ReadAgent needs anyway."""
    new = _needed(name) - _needed("readagent")
    return {
        "library": name,
        "packages": len(new),
        "MB": round(sum(map(_megabytes, new)), 1),
        "import, CPU ms": round(1000 * (_import_seconds(module) - _import_seconds("sys"))),
        "licence": _licence(distribution(name)),
    }


def _needed(name: str) -> set[str]:
    """Return the normalized names of a package and of all that it needs and that is installed."""
    found: set[str] = set()
    pending = [name]
    while pending:
        one = re.sub(r"[-_.]+", "-", pending.pop()).lower()
        try:
            requires = distribution(one).requires or []
        except PackageNotFoundError:
            continue
        if one not in found:
            found.add(one)
            pending += [_NAME.match(each)[0] for each in requires if "extra ==" not in each]  # type: ignore[index]
    return found


def _megabytes(name: str) -> float:
    files = distribution(name).files or []
    paths = (file.locate() for file in files)
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6  # type: ignore[attr-defined]


def _import_seconds(module: str) -> float:
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = []
    for _ in range(_IMPORTS):
        before = spent()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True, capture_output=True)
        times.append(spent() - before)
    return min(times)


def _licence(package: Distribution) -> str:
    def told(field: str) -> list[str]:
        return package.metadata.get_all(field) or []

    classified = [one.rpartition(" :: ")[2] for one in told("Classifier") if one.startswith("License ::")]
    lines = [one.splitlines()[0] for one in told("License") if one]
    return next(iter([*told("License-Expression"), *classified, *lines]), "not said")
