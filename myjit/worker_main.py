"""The compiler process: read requests from standard input, answer on standard output, until it closes.

Each message is an 8-byte length and a pickle: requests in; `("step", name)` and then
`("reply", value)` or `("error", exception)` out.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import traceback
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")


def write_message(stream: BinaryIO, message: Any) -> None:
    """Write one message and flush."""
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def main() -> None:
    """Serve requests. Whatever the compilers print goes to standard error, never into the protocol."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = sys.stdin.buffer
    from myjit.errors import CompileError
    from myjit.lower import lower_and_codegen

    while header := source.read(LENGTH.size):
        request = pickle.loads(source.read(LENGTH.unpack(header)[0]))
        try:
            reply = lower_and_codegen(request, lambda step: write_message(out, ("step", step)))
        except CompileError as error:
            write_message(out, ("error", error))
        except Exception:  # noqa: BLE001 a bug in a pass or here: the parent raises it with this traceback
            write_message(out, ("bug", traceback.format_exc()))
        else:
            write_message(out, ("reply", reply))


if __name__ == "__main__":
    main()
