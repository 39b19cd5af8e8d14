"""Draw what `python -m benchmarks --json FILE` measured: `python -m benchmarks.plots FILE FOLDER`.

One SVG a suite, `FOLDER/SUITE.svg`: how many times faster than eager each case runs, by medians. What did not
run in a runner has no bar.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

_COLOURS = {"inductor": "#9a9a9a", "inductor frozen": "#c9c9c9", "iree-turbine": "#d9a441"}
_OWN = ("#2f6db3", "#7fb0e6", "#123a66")


def draw(suite: str, rows: list[dict[str, Any]], caption: str, path: Path) -> None:
    """Draw one suite as horizontal bars, on a logarithmic scale around eager."""
    runners = [n for n in dict.fromkeys(n for row in rows for n in row["ms"]) if n != "eager"]
    own = [n for n in runners if n.startswith("myjit")]
    colours = {**_COLOURS, **dict(zip(own, _OWN, strict=False))}
    height = 0.8 / len(runners)
    figure, axes = plt.subplots(figsize=(8, 1.2 + len(rows) * (0.16 * len(runners) + 0.12)))
    for place, runner in enumerate(runners):
        at = [
            i + (place - (len(runners) - 1) / 2) * height for i, row in enumerate(rows) if runner in row["ms"]
        ]
        wide = [row["ms"]["eager"][0] / row["ms"][runner][0] for row in rows if runner in row["ms"]]
        axes.barh(at, [w - 1 for w in wide], height, left=1, label=runner, color=colours[runner])
    axes.set_yticks(range(len(rows)), [row["case"] for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10) if axes.get_xlim()[0] <= t <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{t:g} ×" for t in ticks])
    axes.minorticks_off()
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_title(f"{suite}: times faster than eager", loc="left", fontsize=10)
    axes.legend(fontsize=8, loc="upper right", bbox_to_anchor=(1, -0.04), ncol=6, frameon=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.text(0.01, 0.01, caption, fontsize=6)
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Draw the suites of one file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plots", description=__doc__)
    parser.add_argument("file", type=Path, help="what --json wrote")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    args = parser.parse_args()
    told = json.loads(args.file.read_text(encoding="utf-8"))
    args.folder.mkdir(parents=True, exist_ok=True)
    mpl.rcParams.update({"svg.hashsalt": "myjit", "svg.fonttype": "none"})
    for suite in dict.fromkeys(row["suite"] for row in told["rows"]):
        rows = [row for row in told["rows"] if row["suite"] == suite]
        draw(suite, rows, f"{told['machine']}; {told['command']}", args.folder / f"{suite}.svg")


if __name__ == "__main__":
    main()
