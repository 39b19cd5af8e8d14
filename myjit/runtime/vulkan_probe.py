"""Find the Vulkan device to use, in a process of its own: drivers crash and hang.

`python -m myjit.runtime.vulkan_probe` prints one line of JSON: the device, or the reason why there is none.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, fields
from typing import Any

from myjit.vulkan_device import VulkanDevice, best, find_devices

#: Seconds that a driver may take to answer.
PATIENCE = 60.0


def ask(patience: float = PATIENCE) -> VulkanDevice | str:
    """Return this machine's Vulkan device, opened once by another process, or why there is none."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "myjit.runtime.vulkan_probe"],
            env=environment,
            capture_output=True,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the Vulkan driver does not answer within {patience:g} s"
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        code = done.returncode
        return (
            f"the Vulkan driver crashes ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
        )
    return answer["reason"] if "reason" in answer else _device(answer)


def driver_of(device: VulkanDevice) -> str:
    """Return IREE's name of a device."""
    return f"vulkan://GPU-{device.uuid}"


def _device(answer: dict[str, Any]) -> VulkanDevice:
    values: dict[str, Any] = {f.name: answer[f.name] for f in fields(VulkanDevice)}
    return VulkanDevice(**{n: _value(value) for n, value in values.items()})


def _value(read: Any) -> Any:
    return tuple(read) if isinstance(read, list) else read


def main() -> None:
    """Print the answer."""
    print(json.dumps(_answer()))  # noqa: T201 (the answer to the parent process)


def _answer() -> dict[str, Any]:
    try:
        device = best(find_devices())
    except OSError as error:
        return {"reason": str(error)}
    if device is None:
        return {"reason": "Vulkan finds no device of version 1.2 or newer"}
    from myjit.runtime.device import DevicePool

    try:
        DevicePool().get(driver_of(device))
    except (RuntimeError, ValueError) as error:
        return {"reason": f"IREE cannot use {device.name}: {error}"}
    return asdict(device)


if __name__ == "__main__":
    main()
