"""`myjit run`: run a saved artifact on arrays, with neither torch nor a compiler."""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path
from typing import Any

EXAMPLES = """\
examples:
  myjit run model.myjit --input @x.npy --output y.npy
  myjit run model.myjit --input @tokens.npy --input @mask.npy --output all.npz    results by name
  myjit run model.myjit --input @x.npy --target cpu:generic                       another variant
  myjit run model.myjit --describe                                                what it takes

Inputs are the tensors that the model was exported with, in order. Without --output, results are printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("artifact", type=Path, help="what myjit.export or `myjit build` wrote")
    parser.add_argument("--input", action="append", default=[], metavar="@FILE.npy", help="one input")
    parser.add_argument("--output", type=Path, metavar="FILE", help="one result as .npy, or all as .npz")
    parser.add_argument("--target", help="the variant to run; the first that fits by default")
    parser.add_argument("--driver", choices=("local-sync", "local-task"), help="one thread, or all cores")
    parser.add_argument("--describe", action="store_true", help="print inputs and variants, run nothing")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.runtime.standalone import load, names_of

    program = load(args.artifact, target=args.target, driver=args.driver)
    if args.describe:
        print("\n".join(program.description()))
        return 0
    results = dict(names_of(program.call_flat([_read(text) for text in args.input])))
    if args.output is None:
        for name, value in results.items():
            print(f"{name}: {value}")
        return 0
    _write(args.output, results)
    return 0


def _read(text: str) -> Any:
    import numpy as np

    from myjit.errors import OptionsError

    try:
        array = np.load(text.removeprefix("@"), allow_pickle=False)
    except (OSError, ValueError) as error:
        raise OptionsError(f"cannot read the input {text}: {error}") from error
    if not isinstance(array, np.ndarray):
        raise OptionsError(f"the input {text} is no .npy file")
    return array


def _write(path: Path, results: dict[str, Any]) -> None:
    import numpy as np

    from myjit.errors import OptionsError
    from myjit.whole_file import replacing

    arrays = {name: np.asarray(value) for name, value in results.items() if value is not None}
    try:
        if path.suffix == ".npz":
            # np.savez cannot take any name
            with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
                for name, array in arrays.items():
                    with archive.open(f"{name}.npy", "w") as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
        elif len(arrays) == 1:
            with replacing(path) as file:  # np.save itself would add to a name
                np.save(file, next(iter(arrays.values())), allow_pickle=False)
        else:
            raise OptionsError(f"{len(arrays)} results ({', '.join(arrays)}): write them to an .npz file")
    except OSError as error:
        raise OptionsError(f"cannot write {path}: {error}") from error
