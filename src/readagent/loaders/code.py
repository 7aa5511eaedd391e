"""Source code: its paragraphs are its units (functions, classes, imports), each with its first line as its place."""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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


_LONG = 80  # lines; a longer class is split into its members
_DATA_UNIT = 40  # lines per unit of data, such as JSON
_DATA_SIZE = 4000  # characters per unit of data
_NO_INDENT = 1 << 30  # stands for the indentation of a blank line
_MAX_PARSED = 400_000  # characters; longer Python files are split by the general rules
_MAX_BRACES = 10_000  # possible f-strings, which are slow to parse
_MAX_DEPTH = 4  # nested classes
_BRACED = frozenset(
    """C C# C++ CSS Cuda D Dart Go Groovy Java JavaScript Kotlin Less Metal Objective-C++ PHP Perl PowerShell Rust Sass
    Scala Solidity Swift SystemVerilog Thrift TypeScript Zig GLSL Objective-C""".split()
) | {"Protocol Buffers"}
_DATA = frozenset(("JSON", "JSON lines", "YAML", "XML", "TOML"))
_SINGLE_QUOTED = frozenset(("JavaScript", "TypeScript", "PHP", "Perl", "CSS", "Sass", "Less", "Groovy", "Dart"))
_TOKEN = re.compile(
    r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])'|`(?:\\.|[^`\\])*+`?|[](){}[]|\n"
)
_TOKEN_QUOTED = re.compile(
    r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?|`(?:\\.|[^`\\])*+`?|[](){}[]|\n"
)
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_COMMENT = re.compile(
    r"//|/\*|\*|--|;|%|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|else|elif|pragma|undef|import|!|\[))"
)
_CLOSER = re.compile(
    r"[\])}]|(?:end|else|elif|elsif|fi|done|esac|except|finally|catch|then|endif)\b|\*/|#\s*(?:endif|else|elif)\b"
)
_CLOSED = re.compile(r"(?:[\])}]+[;,)]*|end|fi|done|esac)")
_CONTAINER = re.compile(
    r"(?:@\w.*|(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|partial|data|open|case|pub"
    r"(?:\([\w:]+\))?|unsafe|declare|inline|template\s*<.*>)\s+)*"
    r"(?:class|interface|struct|enum|union|impl|trait|namespace|module|object|extension|protocol|mod|contract|service"
    r"|package|library|defmodule|record|describe|extern\s+\"C\")\b)"
)


@dataclass(frozen=True, slots=True)
class _Span:
    first: int
    last: int


def unit_lines(lines: Sequence[str], language: str) -> list[int]:
    """Return the lines, counted from 0, on which the units of this code begin; the first is always 0."""
    found = _python_units(lines) if language == "Python" else None
    if found is None:
        found = _OtherLanguage(lines, language).starts()
    if language in _DATA and (
        len(lines) > 2 * _DATA_UNIT * len(found) or sum(map(len, lines)) > 2 * _DATA_SIZE * len(found)
    ):
        found = _data_units(lines)
    return sorted({0, *found}) if lines else []


# Python


def _python_units(lines: Sequence[str]) -> list[int] | None:
    """Return where statements begin, with small ones grouped; None if the code cannot be parsed."""
    text = "\n".join(lines)
    if len(text) > _MAX_PARSED or text.count("{") > _MAX_BRACES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _statements(tree.body, lines)


def _statements(body: Iterable[ast.stmt], lines: Sequence[str]) -> list[int]:
    starts: list[int] = []
    before = _Span(-1, -1)
    grouped = ""
    for node in body:
        span = _span(node, lines, after=before.last)
        kind = _kind(node)
        begins = not kind or kind != grouped or (kind == "plain" and span.first > before.last + 2)
        if begins:
            starts.append(span.first)
        if isinstance(node, ast.ClassDef) and span.last - span.first >= _LONG:
            starts += [one for one in _members(node, lines) if one > span.first]
        before, grouped = span, kind
    return starts


def _kind(node: ast.stmt) -> str:
    """Return the group of a statement: imports or plain statements; empty for a function, class or block."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "import"
    return (
        "plain"
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Delete | ast.Assert)
        else ""
    )


def _members(node: ast.ClassDef, lines: Sequence[str]) -> list[int]:
    """Return where the methods of a long class begin; the lines before the first one stay with the class."""
    inner = [child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    ends = {id(child): previous.end_lineno or 0 for previous, child in zip(node.body, node.body[1:], strict=False)}
    return [_span(child, lines, after=ends.get(id(child), node.lineno) - 1).first for child in inner]


def _span(node: ast.stmt, lines: Sequence[str], after: int) -> _Span:
    """Return the lines of a statement with its decorators and the comments above it at the same indentation."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)]) - 1
    line = first
    while line - 1 > after and (not lines[line - 1] or lines[line - 1][: node.col_offset + 1].strip() == "#"):
        line -= 1
        first = line if lines[line] else first
    return _Span(first, (node.end_lineno or node.lineno) - 1)


# Any other language


class _OtherLanguage:
    """Finds units by blank lines and by the depth of a line: in braces, or by indentation."""

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = lines
        self._depths = _brace_depths(lines, language) if language in _BRACED else None
        self._levels = self._depths or [len(line) - len(line.lstrip()) for line in lines]
        self._statements = language == "SQL"

    def starts(self) -> list[int]:
        """Return where the units begin; long classes are split, and comments stay with what follows them."""
        found = sorted({0, *self._within(0, len(self._lines), 0)})
        kept, leads = found[:1], False
        for before, start in itertools.pairwise(found):
            only_comments = all(not line or _COMMENT.match(line.lstrip()) for line in self._lines[before:start])
            leads = only_comments and before > 0 and (leads or before == kept[-1])
            if not leads:
                kept.append(start)
        return kept

    def _within(self, first: int, last: int, nested: int) -> list[int]:
        inner = [
            i
            for i in range(first + (nested > 0), last)
            if self._lines[i] and not _CLOSER.match(self._lines[i].lstrip())
        ]
        own = self._levels[first] if nested else -1
        level = min((self._levels[i] for i in inner if self._levels[i] > own), default=0)
        starts = [i for i in inner if self._levels[i] == level and self._opens(i, first)]
        found = list(starts)
        if nested < _MAX_DEPTH:
            for a, b in itertools.pairwise([*starts, last] if nested else [first, *starts, last]):
                opening = self._opening(a, b)
                if b - a > _LONG and opening is not None:
                    found += self._within(opening, b, nested + 1)
        return found

    def _opens(self, line: int, first: int) -> bool:
        before = self._lines[line - 1] if line > first else ""
        closed = _CLOSED.fullmatch(before.strip()) and self._levels[line - 1] in (
            self._levels[line],
            self._levels[line] + 1,
        )
        return line > first and (not before or bool(closed) or (self._statements and before.endswith(";")))

    def _opening(self, first: int, last: int) -> int | None:
        """Return the line on which a container of members opens, within the first lines of a unit."""
        for line in range(first, min(last, first + 40)):
            words = self._lines[line].strip()
            if _CONTAINER.match(words) and not words.startswith("@"):
                return line
        return None


def _brace_depths(lines: Sequence[str], language: str) -> list[int] | None:
    """Return how many brackets or comments are open at the start of each line; None if they do not match."""
    token = _TOKEN_QUOTED if language in _SINGLE_QUOTED else _TOKEN
    depth, depths = 0, [0]
    for found in token.finditer("\n".join(lines)):
        token_text = found.group()
        if token_text in _OPENERS:
            depth += 1
        elif token_text in _CLOSERS:
            depth -= 1
            if depth < 0:
                return None
        elif token_text == "\n":
            depths.append(depth)
        else:
            depths += [depth + 1] * token_text.count("\n")
    return depths if depth == 0 and len(depths) == len(lines) else None


def _data_units(lines: Sequence[str]) -> list[int]:
    """Split data, which has no units, after a number of lines where an outer level continues."""
    starts = [0]
    size = 0
    indents = [len(line) - len(line.lstrip()) if line else _NO_INDENT for line in lines]
    outer = sorted({indent for indent in indents if indent < _NO_INDENT})[:2]
    for index, indent in enumerate(indents):
        full = index - starts[-1] >= _DATA_UNIT or size >= _DATA_SIZE
        if full and indent in outer and not _CLOSER.match(lines[index].lstrip()):
            starts.append(index)
            size = 0
        size += len(lines[index])
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
