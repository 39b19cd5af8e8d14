"""The compiler process: read requests from standard input, answer on standard output, until it closes.

Each message is an 8-byte length and a pickle: requests in; `("step", name)` and then
`("reply", value)` or `("error", exception)` out, `("unknown", why)` for a request with passes that
this process does not have.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")


def write_message(stream: BinaryIO, message: Any) -> None:
    """Write one message and flush."""
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def _end_with(parent: int) -> None:
    """End this process when its parent has gone, whatever is being compiled: nobody waits for it."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    """Serve requests. Whatever the compilers print goes to standard error, never into the protocol."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = sys.stdin.buffer
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with contextlib.suppress(OSError):  # without memory left, this process goes and not the user's
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    from myjit.errors import MyjitError
    from myjit.lower import lower_and_codegen

    while header := source.read(LENGTH.size):
        data = source.read(LENGTH.unpack(header)[0])
        try:
            request, fingerprint = pickle.loads(data)
        except Exception as error:  # noqa: BLE001 loading imports the modules of a stranger's passes
            write_message(out, ("unknown", f"{type(error).__name__}: {error}"))
            continue
        if request.pipeline.fingerprint() != fingerprint:
            write_message(out, ("unknown", "the code of a pass has changed since this process loaded it"))
            continue
        try:
            reply = lower_and_codegen(request, lambda step: write_message(out, ("step", step)))
        except MyjitError as error:
            write_message(out, ("error", error))
        except Exception:  # noqa: BLE001 a bug in a pass or here: the parent raises it with this traceback
            write_message(out, ("bug", traceback.format_exc()))
        else:
            write_message(out, ("reply", reply))


if __name__ == "__main__":
    main()
