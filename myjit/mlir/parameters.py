"""What programs ask for by name when they are loaded."""

from __future__ import annotations

import json

#: The scope of all names.
SCOPE = "model"

#: The types of the sides that a library multiplies.
LIBRARY_ELEMENTS = ("f32", "bf16", "f16")
#: The parameter that holds the addresses of its functions.
ADDRESSES = "myjit.library"
#: What it holds, each a number of 64 bits: what runs a function on each thread of a team, with the arguments
#: of `GOMP_parallel`; what tells how many these are; by type of the sides, what multiplies matrices into f32,
#: with the arguments of BLAS's `sgemm`; and what tells a thread which one of its team it is.
TABLE = ("parallel", "threads", *LIBRARY_ELEMENTS, "number")


def parameter_global(symbol: str, name: str, kind: object) -> str:
    """Write, as MLIR, a global that is loaded by name."""
    value = f'#flow.parameter.named<"{SCOPE}"::{json.dumps(name, ensure_ascii=False)}> : {kind}'
    return f"util.global private @{symbol} = {value}"
