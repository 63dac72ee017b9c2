"""The commands of the README's tour and the output that the README promises for them."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
PROMPT = "$ "
FENCE = "```"


@dataclass(frozen=True)
class Step:
    """One command, with the lines that follow it; ``line`` is where the promise begins, from 0."""

    command: str
    promised: tuple[str, ...]
    line: int


def steps() -> list[Step]:
    """The steps that promise an output, in order."""
    found: list[Step] = []
    inside = False
    lines = README.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        if line.startswith(FENCE):
            inside = not inside
        elif inside and line.startswith(PROMPT):
            promised = []
            for following in lines[number + 1 :]:
                if following.startswith((PROMPT, FENCE)):
                    break
                promised.append(following)
            while promised and not promised[-1].strip():
                promised.pop()
            if promised:
                found.append(Step(line.removeprefix(PROMPT), tuple(promised), number + 1))
    return found


def output_of(command: str, environment: dict[str, str]) -> tuple[str, ...]:
    """What the command really prints, without spaces at line ends."""
    answer = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={
            **os.environ,
            **environment,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        timeout=60,
        check=False,
    )
    return tuple(line.rstrip() for line in answer.stdout.decode().rstrip("\n").split("\n"))


def rewrite(outputs: dict[int, tuple[str, ...]]) -> None:
    """Put real outputs in place of the promised ones; keys are the lines where promises begin."""
    lines = README.read_text(encoding="utf-8").split("\n")
    for step in reversed(steps()):
        if step.line in outputs:
            lines[step.line : step.line + len(step.promised)] = outputs[step.line]
    README.write_text("\n".join(lines), encoding="utf-8")
