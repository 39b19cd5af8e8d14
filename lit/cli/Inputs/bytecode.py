"""Write the bytecode of a module."""

import sys
from pathlib import Path

from myjit.mlir.context import new_context, parse, to_bytecode

Path(sys.argv[2]).write_bytes(to_bytecode(parse(Path(sys.argv[1]).read_text(), new_context())))
