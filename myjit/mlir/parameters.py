"""What programs ask for by name when they are loaded."""

from __future__ import annotations

import json

#: The scope of all names.
SCOPE = "model"

#: The types of the sides that a library multiplies.
LIBRARY_ELEMENTS = ("f32", "bf16", "f16")
#: The parameter that holds the addresses of its functions.
ADDRESSES = "myjit.library"
#: What it holds, each a number of 64 bits: what sets the calling thread's number of threads; 1, or 0 where
#: the workgroups run one after the other and the functions are to use threads of their own; and, by type of
#: the sides, what multiplies them into f32, with the arguments of BLAS's `sgemm`.
TABLE = ("set_threads", "shared", *LIBRARY_ELEMENTS)


def parameter_global(symbol: str, name: str, kind: object) -> str:
    """Write, as MLIR, a global that is loaded by name."""
    value = f'#flow.parameter.named<"{SCOPE}"::{json.dumps(name, ensure_ascii=False)}> : {kind}'
    return f"util.global private @{symbol} = {value}"
