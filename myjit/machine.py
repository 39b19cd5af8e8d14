"""What a compiled program asks of the processor, and whether this one has it, and lets this process use it.

Running code for another processor would end the process with an illegal instruction.
"""

from __future__ import annotations

import ctypes
import platform
import re
from functools import cache
from pathlib import Path

#: Instruction sets that generated code may use; the rest of LLVM's features are the system's.
_USED = re.compile(
    r"(s?sse\d|avx|fma|f16c|bmi|popcnt|lzcnt|movbe|adx|amx|vaes|gfni|vpclmul|aes|sha|xop"
    r"|neon|sve|sme|dotprod|i8mm|bf16|fullfp16|fp16fml|lse|crc)"
)
#: LLVM's names that differ from Linux's by more than dots and underscores.
_OTHER_NAMES = {
    "sse3": "pni",
    "lzcnt": "abm",
    "bmi": "bmi1",
    "sha": "shani",
    "crc32": "sse42",
    "neon": "asimd",
    "dotprod": "asimddp",
    "fullfp16": "asimdhp",
    "fp16fml": "asimdfhm",
    "lse": "atomics",
    "crc": "crc32",
}


#: Linux's call by which a process asks for registers that are not kept for every one, and AMX's number there
#: (https://docs.kernel.org/arch/x86/xstate.html).
_ARCH_PRCTL, _REQUEST, _MATRICES = 158, 0x1023, 18


@cache
def own_features() -> frozenset[str]:
    """Return the features that Linux lists for this processor, without dots and underscores.

    AMX is among them if Linux lets this process use it, which is asked for here: for all threads, and for
    processes forked later.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    names = (line.partition(":") for line in lines)
    found = next((v for n, _, v in names if n.strip() in ("flags", "Features")), "")
    features = frozenset(name.replace("_", "") for name in found.split())
    matrices = {name for name in features if name.startswith("amx")}
    return features if not matrices or _may_use_matrices() else features - matrices


def _may_use_matrices() -> bool:
    try:
        return ctypes.CDLL(None).syscall(_ARCH_PRCTL, _REQUEST, _MATRICES) == 0
    except (OSError, AttributeError):
        return False


def why_not(architecture: str, features: str) -> str:
    """Say what this machine lacks for code of `features` (LLVM's list, `+avx2,+fma`); empty for nothing."""
    mine = platform.machine().replace("arm64", "aarch64").lower()
    if architecture and architecture != mine:
        return f"it is for {architecture}, this machine is {mine}"
    own = own_features()
    if not own:
        return ""  # the system does not tell
    wanted = [f[1:] for f in features.split(",") if f.startswith("+") and _USED.match(f[1:])]
    plain = {name: re.sub(r"[._-]", "", name) for name in wanted}
    missing = [name for name, short in plain.items() if _OTHER_NAMES.get(short, short) not in own]
    return f"this processor lacks {', '.join(missing)}" if missing else ""
