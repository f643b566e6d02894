#!/usr/bin/env python3
"""Measures the copies of the sweep with PyTorch and CuPy, in the same way and on the same machine.

    bandwidth.py --out FILE [--smallest 12] [--largest 30]

Writes {"series": [...]} as bandwidth.json has it; whichever of the two libraries is missing is left out, with a
line that says so. Each copy is timed on the host's clock, from the call until the device is done, and each point
is checked for the right data.
"""
import argparse
import json
import os
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit("bandwidth.py: expected numpy, which PyTorch and CuPy need; get it: pip install numpy")

WARM_UP, AT_LEAST, AT_MOST, BUDGET_S = 3, 9, 100, 0.3


def timed(copy):
    """Seconds of each timed call of `copy`, which returns when the copy is complete."""
    for _ in range(WARM_UP):
        copy()
    seconds, start = [], time.perf_counter()
    while len(seconds) < AT_LEAST or (len(seconds) < AT_MOST and time.perf_counter() - start < BUDGET_S):
        before = time.perf_counter()
        copy()
        seconds.append(time.perf_counter() - before)
    return seconds


def point(size, seconds):
    rates = sorted(size / s / 1e9 for s in seconds)

    def at(quantile):
        return rates[round((len(rates) - 1) * quantile)]

    return {
        "bytes": size,
        "gbps_median": at(0.5),
        "gbps_p10": at(0.1),
        "gbps_p90": at(0.9),
        "seconds": [round(s, 9) for s in seconds],
    }


def pattern(size):
    return np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)


class PyTorch:
    name = "pytorch"

    def __init__(self):
        import torch

        self.torch = torch
        torch.zeros(1, device="cuda")

    def host(self, size, pinned):
        return self.torch.zeros(size, dtype=self.torch.uint8, pin_memory=pinned)

    def device(self, size):
        return self.torch.zeros(size, dtype=self.torch.uint8, device="cuda")

    def set(self, array, values):
        array.copy_(self.torch.from_numpy(values))

    def get(self, array):
        return array.cpu().numpy()

    def copy(self, target, source):
        target.copy_(source)
        self.torch.cuda.synchronize()


class CuPy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.cupy = cupy
        cupy.zeros(1)

    def host(self, size, pinned):
        if not pinned:
            return np.zeros(size, np.uint8)
        memory = self.cupy.cuda.alloc_pinned_memory(size)
        return np.frombuffer(memory, np.uint8, size)

    def device(self, size):
        return self.cupy.zeros(size, np.uint8)

    def set(self, array, values):
        if isinstance(array, np.ndarray):
            array[:] = values
        else:
            array.set(values)

    def get(self, array):
        return array if isinstance(array, np.ndarray) else array.get()

    def copy(self, target, source):
        if isinstance(target, np.ndarray):
            source.get(out=target)
        elif isinstance(source, np.ndarray):
            target.set(source)
        else:
            self.cupy.copyto(target, source)
        self.cupy.cuda.Device().synchronize()


def series(library, direction, host_memory, sizes):
    points = []
    for size in sizes:
        values = pattern(size)
        pinned = host_memory == "pinned"
        source = library.device(size) if direction != "h2d" else library.host(size, pinned)
        target = library.device(size) if direction != "d2h" else library.host(size, pinned)
        library.set(source, values)
        seconds = timed(lambda: library.copy(target, source))
        if not np.array_equal(library.get(target), values):
            raise ValueError(f"{direction} {host_memory}: {size} bytes arrived wrong")
        points.append(point(size, seconds))
        del source, target
    return {
        "implementation": library.name,
        "direction": direction,
        "host_memory": host_memory,
        "points": points,
    }


COPIES = (
    ("h2d", "pinned"),
    ("h2d", "pageable"),
    ("d2h", "pinned"),
    ("d2h", "pageable"),
    ("d2d", "none"),
)


def all_series(library, sizes):
    """The series of one library: all of them, or none where it fails."""
    result = []
    try:
        library = library()
        for direction, host_memory in COPIES:
            result.append(series(library, direction, host_memory, sizes))
            best = max(p["gbps_median"] for p in result[-1]["points"])
            print(f"{library.name} {direction} {host_memory}: best median {best:.1f} GB/s", flush=True)
    except Exception as error:  # whatever stops it: missing, no driver it can use, out of memory
        print(f"{library.name} is left out: {type(error).__name__}: {error}")
        return []
    return result


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--smallest", type=int, default=12, help="exponent of 2 of the smallest size in bytes")
    parser.add_argument("--largest", type=int, default=30, help="exponent of 2 of the largest size in bytes")
    args = parser.parse_args()
    if not 0 <= args.smallest <= args.largest <= 40:
        parser.error("expected 0 <= smallest <= largest <= 40")
    return args


def main():
    args = arguments()
    sizes = [1 << exponent for exponent in range(args.smallest, args.largest + 1)]
    result = [entry for library in (PyTorch, CuPy) for entry in all_series(library, sizes)]
    if not result:
        return 1
    with open(args.out + ".part", "w") as file:
        json.dump({"series": result}, file)
    os.replace(args.out + ".part", args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
