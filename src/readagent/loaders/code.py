"""Source code: its paragraphs are its units (functions, classes, imports), each with its first line as its place."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from readagent.core.document import Document
from readagent.core.words import Paragraph
from readagent.loaders.formats import Options
from readagent.loaders.text.decode import decode, lines_of

_SUFFIXES = {
    "Ada": "adb ads", "Assembly": "asm s", "Awk": "awk", "Batch": "bat cmd", "Bicep": "bicep", "C": "c h",
    "C#": "cs csx", "C++": "cc cpp cxx c++ hh hpp hxx ipp tpp inl", "CMake": "cmake", "COBOL": "cob cbl", "CSS": "css",
    "Clojure": "clj cljs cljc edn", "CoffeeScript": "coffee", "Common Lisp": "lisp cl lsp", "Crystal": "cr",
    "Cuda": "cu cuh", "Cython": "pyx pxd pxi", "D": "d", "Dart": "dart", "Elixir": "ex exs", "Elm": "elm",
    "Emacs Lisp": "el", "Erlang": "erl hrl", "F#": "fs fsi fsx", "Fish": "fish", "Fortran": "f f90 f95 f03 f08 for",
    "GLSL": "glsl vert frag comp", "Go": "go", "GraphQL": "graphql gql", "Groovy": "groovy gradle", "HCL": "tf hcl",
    "Haskell": "hs lhs", "INI": "ini cfg conf properties editorconfig", "JSON": "json json5 jsonc ipynb webmanifest",
    "JSON lines": "jsonl ndjson", "Java": "java", "JavaScript": "js mjs cjs jsx", "Julia": "jl", "Kotlin": "kt kts",
    "Less": "less", "Lua": "lua", "Makefile": "mk mak", "Metal": "metal", "Nim": "nim nims",
    "Nix": "nix", "OCaml": "ml mli", "Objective-C++": "mm", "PHP": "php phtml", "Pascal": "pas pp dpr", "Perl": "pl pm",
    "PowerShell": "ps1 psm1 psd1", "Prolog": "pro", "Protocol Buffers": "proto", "Python": "py pyi pyw", "R": "r",
    "Racket": "rkt", "Ruby": "rb rake gemspec", "Rust": "rs", "SQL": "sql", "Sass": "sass scss", "Scala": "scala sc",
    "Scheme": "scm ss", "Shell": "sh bash zsh ksh", "Solidity": "sol", "Starlark": "bzl", "Svelte": "svelte",
    "Swift": "swift", "SystemVerilog": "sv svh", "TOML": "toml", "Tcl": "tcl", "Thrift": "thrift",
    "TypeScript": "ts tsx mts cts",
    "VHDL": "vhd vhdl", "Verilog": "v vh", "Vim script": "vim", "Visual Basic": "vb bas vbs", "Vue": "vue",
    "WebAssembly": "wat", "XML": "xml xsd xsl xslt plist csproj", "YAML": "yml yaml", "Zig": "zig",
}  # fmt: skip
_NAMES = {
    "makefile": "Makefile", "gnumakefile": "Makefile", "dockerfile": "Dockerfile", "containerfile": "Dockerfile",
    "jenkinsfile": "Groovy", "rakefile": "Ruby", "gemfile": "Ruby", "vagrantfile": "Ruby", "podfile": "Ruby",
    "brewfile": "Ruby", "justfile": "Just", "sconstruct": "Python", "sconscript": "Python", "wscript": "Python",
    "build.bazel": "Starlark", "workspace": "Starlark", "build": "Starlark", "meson.build": "Meson",
    "cmakelists.txt": "CMake", "procfile": "Procfile", ".bashrc": "Shell", ".zshrc": "Shell", ".profile": "Shell",
    ".bash_profile": "Shell", ".vimrc": "Vim script", "go.mod": "Go module",
}  # fmt: skip
_INTERPRETERS = {
    "python": "Python", "pypy": "Python", "sh": "Shell", "bash": "Shell", "zsh": "Shell", "ksh": "Shell",
    "dash": "Shell", "fish": "Fish", "node": "JavaScript", "deno": "TypeScript", "bun": "JavaScript", "ruby": "Ruby",
    "perl": "Perl", "php": "PHP", "lua": "Lua", "rscript": "R", "awk": "Awk", "gawk": "Awk", "make": "Makefile",
    "tclsh": "Tcl", "wish": "Tcl", "julia": "Julia", "groovy": "Groovy", "pwsh": "PowerShell", "guile": "Scheme",
    "osascript": "AppleScript", "racket": "Racket", "elixir": "Elixir", "escript": "Erlang", "swift": "Swift",
    "stack": "Haskell", "runghc": "Haskell", "ts-node": "TypeScript",
}  # fmt: skip
_BY_SUFFIX: Mapping[str, str] = {f".{end}": language for language, ends in _SUFFIXES.items() for end in ends.split()}
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?P<program>[\w.+-]+)(?P<arguments>[^\n]*)")


def language_of(name: str, first_line: str = "") -> str:
    """Return the language as people write it, such as ``Python``; an empty string if it is not known code."""
    file_name = PurePosixPath(name.replace("\\", "/")).name.lower()
    known = _NAMES.get(file_name) or _BY_SUFFIX.get(PurePosixPath(file_name).suffix)
    if known:
        return known
    if file_name.startswith("dockerfile."):
        return "Dockerfile"
    if file_name.endswith(".m"):
        return "Objective-C" if first_line.lstrip().startswith(("#", "//", "/*", "@")) else "Matlab"
    return _by_first_line(first_line[:300].lstrip("\ufeff"))


def _by_first_line(line: str) -> str:
    if line.startswith("<?php"):
        return "PHP"
    shebang = _SHEBANG.match(line)
    if not shebang:
        return ""
    words = [shebang["program"], *shebang["arguments"].split()]
    if words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    program = re.sub(r"[\d.]+$", "", words[0].rpartition("/")[2].lower()) if words else ""
    return _INTERPRETERS.get(program, "")


_LONG = 80  # lines; a longer unit is divided into its parts
_DATA_UNIT = 40  # lines of data, such as JSON
_DATA_SIZE = 4000  # characters of data
_MAX_DEPTH = 4  # of parts within parts
_DATA = frozenset(("JSON", "JSON lines", "YAML", "XML", "TOML"))
_COMMENT = re.compile(
    r"//|/\*|\*|--|;|%|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|else|elif|pragma|undef|import|!|\[))"
)
_CLOSER = re.compile(
    r"[\])}]|(?:end|else|elif|elsif|fi|done|esac|except|finally|catch|then|endif)\b|\*/|#\s*(?:endif|else|elif)\b"
)
_CLOSED = re.compile(r"(?:[\])}]+[;,)]*|end|fi|done|esac)")


def unit_lines(lines: Sequence[str], language: str) -> list[int]:
    """Return the lines, counted from 0, on which the units of this code begin; the first is always 0.

    A unit begins on a line of the outermost indentation, after a blank line or the end of another unit. A long one is
    divided in the same way. Comments stay with what follows them.
    """
    if language in _DATA:
        return _data_units(lines)
    found = sorted({0, *_within(lines, 0, len(lines), 0)})
    kept, leads = found[:1], False
    for before, start in itertools.pairwise(found):
        only_comments = all(not line or _COMMENT.match(line.lstrip()) for line in lines[before:start])
        leads = only_comments and before > 0 and (leads or before == kept[-1])
        if not leads:
            kept.append(start)
    return kept


def _within(lines: Sequence[str], first: int, last: int, nested: int) -> list[int]:
    """Return where the parts of these lines begin; ``nested`` parts are indented below their first line."""
    inner = [at for at in range(first + (nested > 0), last) if lines[at] and not _CLOSER.match(lines[at].lstrip())]
    own = _indent(lines[first]) if nested else -1
    level = min((indent for at in inner if (indent := _indent(lines[at])) > own), default=0)
    starts = [at for at in inner if at > first and _indent(lines[at]) == level and _follows_end(lines[at - 1], level)]
    found = list(starts)
    for start, end in itertools.pairwise([first, *starts, last]) if nested < _MAX_DEPTH else ():
        if end - start > _LONG and (start > first or not nested):
            found += _within(lines, start, end, nested + 1)
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _follows_end(before: str, level: int) -> bool:
    """Whether a line is blank, or closes what was open at this level."""
    return not before or (_indent(before) == level and _CLOSED.fullmatch(before.strip()) is not None)


def _data_units(lines: Sequence[str]) -> list[int]:
    """Divide data after a number of lines where an outer level continues."""
    starts = [0]
    size = 0
    outer = sorted({_indent(line) for line in lines if line})[:2]
    for at, line in enumerate(lines):
        full = at - starts[-1] >= _DATA_UNIT or size >= _DATA_SIZE
        if full and line and _indent(line) in outer and not _CLOSER.match(line.lstrip()):
            starts.append(at)
            size = 0
        size += len(line)
    return starts


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a file of source code as a document. It has no headings."""
    text, _ = decode(data, name)
    language = language_of(name, text[:300].partition("\n")[0])
    return document_of(text, language, title=PurePosixPath(name.replace("\\", "/")).name)


def document_of(text: str, language: str, *, title: str = "") -> Document:
    """Return lines of text as a document; ``language`` is empty if it is not a known language."""
    lines = lines_of(text)
    while lines and not lines[-1]:
        lines.pop()
    starts = _non_blank(unit_lines(lines, language), lines)
    offsets = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    paragraphs = tuple(
        Paragraph(index, offsets[first], offsets[last], place=f"line {_first_line(lines, first, last)}", lines=True)
        for index, (first, last) in enumerate(itertools.pairwise([*starts, len(lines)]))
    )
    whole = "".join(f"{line}\n" for line in lines)
    return Document(whole, paragraphs, title=title, code=language)


def _non_blank(starts: list[int], lines: list[str]) -> list[int]:
    """Return the starts of the units that contain more than blank lines."""
    spans = itertools.pairwise([*starts, len(lines)])
    kept = [first for first, last in spans if any(lines[first:last])]
    return [0, *kept[1:]] if kept else []


def _first_line(lines: list[str], first: int, last: int) -> int:
    """Return the number, from 1, of the first line of a unit that is not blank."""
    return next((line for line in range(first, last) if lines[line]), first) + 1
