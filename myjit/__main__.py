"""`python -m myjit` is the command `myjit`."""

from __future__ import annotations

import sys

from myjit.cli import main

if __name__ == "__main__":
    sys.exit(main())
