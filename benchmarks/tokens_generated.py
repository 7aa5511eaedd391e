"""Texts for `tokens.py` that no package has: numbers, dumps, logs, chats, formulas and the like, generated."""

from __future__ import annotations

import base64
import json
import random
import re
import uuid


def generate(dice: random.Random, emoji: list[str], stories: list[str]) -> dict[str, list[str]]:
    """Return texts by kind. ``stories`` are in English."""
    made = _Generated(dice)
    noise = dice.randbytes(60_000)
    return {
        "JSON, numbers": made.numbers(),
        "number table": [made.table(form) for form in _NUMBERS],
        "hex dump": _dumps(noise),
        "base64": [base64.encodebytes(noise[:30_000]).decode(), base64.b64encode(noise[30_000:]).decode()],
        "UUIDs": ["\n".join(str(uuid.UUID(bytes=dice.randbytes(16), version=4)) for _ in range(900))],
        "DNA": [made.genes(50) for _ in range(3)],
        "log": [made.lines(form) for form in _LOGS],
        "English in capitals": [story[:20_000].upper() for story in stories[:40]],
        "tables with boxes": [made.boxes(width) for width in _WIDTHS],
        "LaTeX, formulas": [made.formulas(_LATEX) for _ in range(3)],
        "math symbols": [made.formulas(_SYMBOLS) for _ in range(3)],
        "chat with emoji": [made.chat(emoji[2::3]) for _ in range(6)],
        "faces with spaces": [made.faces(emoji[2:300:3]) for _ in range(3)],
        "made-up words": [made.names(_MADE_UP) for _ in range(3)],
    }


class _Generated:
    """Generates texts with one source of randomness."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def numbers(self) -> list[str]:
        dice = self._dice
        pairs = [[round(dice.uniform(-180, 180), 5), round(dice.uniform(-90, 90), 5)] for _ in range(900)]
        return [
            json.dumps([{"lat": round(x, 4), "lon": round(y, 4), "n": dice.randint(0, 5000)} for x, y in pairs]),
            json.dumps([[dice.randint(0, 255) for _ in range(8)] for _ in range(300)]),
        ]

    def table(self, form: str) -> str:
        rows = ((form % self._dice.gauss(0, 10 ** self._dice.randint(0, 3)) for _ in range(6)) for _ in range(300))
        return "\n".join(map(",".join, rows))

    def genes(self, width: int) -> str:
        rows = ("".join(self._dice.choices("ACGT", k=width)) for _ in range(250))
        return "\n".join(f">seq{i}\n{row}" if i % 6 == 0 else row for i, row in enumerate(rows))

    def lines(self, form: str) -> str:
        return "\n".join(form.format(**self._event()) for _ in range(300))

    def boxes(self, width: int) -> str:
        between = "├" + "┼".join(5 * ["─" * (width + 2)]) + "┤"
        cells = ((f"{self._dice.choice((*_EVENTS, 7, 4250, 0.125))!s:.{width}}" for _ in range(5)) for _ in range(150))
        return f"\n{between}\n".join("│ " + " │ ".join(cell.ljust(width) for cell in row) + " │" for row in cells)

    def formulas(self, forms: tuple[str, ...]) -> str:
        dice = self._dice
        return "\n".join(
            dice.choice(forms) % {"n": dice.randint(0, 99), "m": dice.randint(1, 9), "x": dice.choice("abcijkuvxyz")}
            for _ in range(250)
        )

    def chat(self, emoji: list[str]) -> str:
        def line() -> str:
            chosen = emoji[:300] if self._dice.random() < 0.5 else emoji  # the first are the faces
            shown = self._dice.choice(("", " ")).join(self._dice.choices(chosen, k=self._dice.randint(0, 8)))
            return f"[{self._dice.randint(0, 23):02}:{self._dice.randint(0, 59):02}] {self._dice.choice(_SAID)} {shown}"

        return "\n".join(line() for _ in range(300))

    def faces(self, emoji: list[str]) -> str:
        return "\n".join(" ".join(self._dice.choices(emoji, k=10)) for _ in range(200))

    def names(self, forms: tuple[str, ...]) -> str:
        return " ".join(f"{self._dice.choice(forms)}{self._dice.randint(0, 2000)}" for _ in range(3000))

    def _event(self) -> dict[str, object]:
        dice = self._dice
        day, hour, minute, second = dice.randint(1, 28), dice.randint(0, 23), dice.randint(0, 59), dice.randint(0, 59)
        return {"day": f"{day:02}", "time": f"{hour:02}:{minute:02}:{second:02}", "ms": f"{dice.randint(0, 999):03}",
                "ip": ".".join(str(dice.randint(1, 254)) for _ in range(4)), "n": dice.randint(1, 99999),
                "id": dice.randbytes(8).hex(), "level": dice.choice(("INFO", "WARN", "ERROR", "DEBUG")),
                "status": dice.choice((200, 201, 304, 404, 500)), "share": f"{dice.random():.6f}",
                "said": dice.choice(_EVENTS)}  # fmt: skip


def _dumps(data: bytes) -> list[str]:
    rows = [data[i : i + 16] for i in range(0, 30_000, 16)]
    shown = (f"{16 * i:08x}: {row.hex(' ', 2)}  {re.sub(rb'[^ -~]', b'.', row).decode()}" for i, row in enumerate(rows))
    return ["\n".join(shown), "\n".join(row.hex() for row in rows), "\n".join(row.hex(" ") for row in rows),
            " ".join(f"0x{byte:02X}," for byte in data[:8000])]  # fmt: skip


_NUMBERS = ("%7.2f", "%.5f", "%6d", "%.3e", "%11.4f")
_MADE_UP = ("f", "n", "page", "node", "arg_")
_WIDTHS = (5, 10, 14)
_EVENTS = (
    "connection closed", "accepted publickey for anna", "cache miss for key user", "worker started",
    "no such file or directory", "session opened for user ben", "timeout, retrying in 5 seconds",
)  # fmt: skip
_LOGS = (
    "{level[0]}{n} {time}.{ms}000 1 controller.go:{n}] {said} pod=shop-{id}",
    "{day}-Mar-2024 {time}.{ms} {level} [main] org.example.store.Startup.run {said} in {n} ms",
    "time={time} host=node-{n} ip={ip} status={status} took={share} {said}",
)
_LATEX = (
    r"\begin{lemma} For $%(x)s > %(n)s$ we have $\sup_{t} \left| f(t) \right| \le "
    r"\frac{\gamma}{%(m)s}$. \end{lemma}",
    r"$$ \det(A - \lambda I) = \sum_{k=0}^{%(m)s} (-1)^{k} \binom{%(n)s}{k} %(x)s^{k} \qquad (%(n)s) $$",
    r"where $\tilde{%(x)s}_{i,j} = \langle \psi_i, \varphi_j \rangle$ and $\Sigma = \mathrm{diag}(\sigma_1, \dots, "
    r"\sigma_{%(n)s})$",
)
_SYMBOLS = (
    "x̄ = (Σ %(x)sᵢ)/%(n)s, σ² ≥ 0, τ ≪ %(m)s ⟹ κ ∈ [0, ∞)",
    "⟨ψ|H|φ⟩ = ħω(%(n)s + ½), ∀n ∈ ℕ, ∂ₜu = ∇²u",
    "P(A∩B) = P(A)·P(B) ⟺ A ⊥ B, |%(x)s| ≤ %(m)s√%(n)s",
)
_SAID = ("Anna: see you at 8", "Ben: haha no way", "Eve: that is so good", "Hugo: did you read the chapter yet?",
         "Grace: the train is late again", "Carla: who is bringing the cake", "Farid: sounds good to me")  # fmt: skip
