"""Texts: the documents and memories that requests and jobs use again and again, loaded once for all of them."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Hashable

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import NotInLibraryError
from readagent.library import Library

_CHARACTERS = 40_000_000  # of all texts that are held


class Texts:
    """Holds the texts that were used last. A memory is loaded again when a reading or a pinned gist has changed."""

    def __init__(self, library: Library, most: int = _CHARACTERS) -> None:
        self._library, self._most = library, most
        self._lock = threading.Lock()
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._memories: dict[str, tuple[Hashable, GistMemory]] = {}

    def document(self, document_id: str) -> Document:
        """Return a document."""
        with self._lock:
            return self._document(document_id)

    def memory(self, document_id: str) -> GistMemory | None:
        """Return the newest memory of a document with all of its pages; None if it was not read to its end."""
        with self._lock:
            state = self._state(document_id)
            known = self._memories.get(document_id)
            if known is not None and known[0] == state:
                self._document(document_id)  # it was used now
                return known[1]
            memory = self._loaded(document_id)
            self._memories.pop(document_id, None)
            if memory is not None:
                self._hold(memory.document, document_id)
                self._memories[document_id] = state, memory
            return memory

    def state(self, document_id: str) -> str:
        """Return a mark that changes when the document is read again or a gist is edited."""
        return hashlib.sha256(repr(self._state(document_id)).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def forget(self, document_id: str) -> None:
        """Hold a document no longer: it was removed."""
        with self._lock:
            self._documents.pop(document_id, None)
            self._memories.pop(document_id, None)

    def _document(self, document_id: str) -> Document:
        if document_id in self._documents:
            self._documents.move_to_end(document_id)
        else:
            self._hold(self._library.document(document_id), document_id)
        return self._documents[document_id]

    def _hold(self, document: Document, document_id: str) -> None:
        self._documents[document_id] = document
        self._documents.move_to_end(document_id)
        while len(self._documents) > 1 and sum(len(one.text) for one in self._documents.values()) > self._most:
            gone, _ = self._documents.popitem(last=False)
            self._memories.pop(gone, None)

    def _state(self, document_id: str) -> Hashable:
        readings = tuple((one.id, one.state, one.finished) for one in self._library.readings(document_id))
        return readings, tuple(sorted(self._library.pinned(document_id).items(), key=lambda one: one[0]))

    def _loaded(self, document_id: str) -> GistMemory | None:
        row = self._library.row(document_id)
        if row is None:
            raise NotInLibraryError(f"there is no document {document_id} in the library")
        for task in ("", *row.tasks):
            memory = self._library.memory(document_id, task=task)
            if memory is not None:
                return memory
        return None
