"""Detect the programming language of a file from its extension, its name or its first line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

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
