"""Sources in object stores, such as ``s3://bucket/folder``, through fsspec. The only module that uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from readagent.advice import missing_extra
from readagent.errors import LoadError
from readagent.library.corpus_rows import Entry
from readagent.loaders.sources.files import MAX_BYTES, too_large

# Others of fsspec's protocols run commands, follow other URLs, or write caches; a manifest must not be able to do that.
_PROTOCOLS = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oci", "hdfs", "file")
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "oci": "ocifs"}
_STAMPS = ("ETag", "etag", "md5", "LastModified", "last_modified", "updated", "mtime")


def is_remote(source: str) -> bool:
    """Whether a source is a URL in a store, not on the web."""
    protocol, found, _ = source.partition("://")
    return bool(found) and protocol.lower() in _PROTOCOLS


def files_at(url: str) -> Iterator[Entry]:
    """Yield the files at a URL: all below it if it is a folder."""
    store, path = _store(url)
    try:
        if store.isfile(path):
            yield Entry(url, stamp=_stamp(store.info(path)))
            return
        found = store.find(path, detail=True)
    except Exception as error:  # each store has errors of its own
        raise _failed(url, error) from error
    if not found:
        raise LoadError(f"there is nothing at {url}", hint="check the URL, and the rights of your account")
    for name, info in found.items():
        if not PurePosixPath(name).name.startswith("."):
            yield Entry(store.unstrip_protocol(name), stamp=_stamp(info))


def read_file(url: str) -> tuple[bytes, str]:
    """Return the bytes of a file in a store, and its name."""
    store, path = _store(url)
    try:
        with store.open(path, "rb") as file:
            data = bytes(file.read(MAX_BYTES + 1))
    except Exception as error:  # each store has errors of its own
        raise _failed(url, error) from error
    name = PurePosixPath(path).name
    if len(data) > MAX_BYTES:
        raise too_large(name)
    return data, name


def _store(url: str) -> tuple[Any, str]:
    if "::" in url or not is_remote(url):
        raise LoadError(f"{url} is not a supported address", hint=f"use one of {', '.join(_PROTOCOLS)}, or https")
    try:
        import fsspec
    except ImportError:
        raise missing_extra(f"reading from {url.partition('://')[0]}://", "fsspec", "stores") from None
    protocol = url.partition("://")[0].lower()
    try:
        store, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = _PACKAGES.get(protocol, "adlfs" if protocol[0] == "a" else "the package that fsspec names")
        raise LoadError(f"reading from {protocol}:// needs {package}", hint=f"pip install {package}") from error
    except Exception as error:  # such as missing credentials
        raise _failed(url, error) from error
    return store, str(path)


def _stamp(info: Any) -> str:
    return next((f"{info[name]} {info.get('size')}" for name in _STAMPS if info.get(name)), str(info.get("size")))


def _failed(url: str, error: Exception) -> LoadError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return LoadError(f"{url} could not be read: {reason}", hint="check the URL, and the rights of your account")
