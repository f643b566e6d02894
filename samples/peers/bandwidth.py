#!/usr/bin/env python3
"""Measures the copies of the sweep with PyTorch and CuPy, in the same way and on the same machine.

    bandwidth.py --out FILE [--smallest 2] [--largest 30]

Writes {"series": [...], "figures": [...], "peers": {...}} as bandwidth.json has it; whichever of the two libraries
is missing is left out, with a line that says so. "peers" holds the versions of Python, NumPy and what was measured.

Each copy is timed on the host's clock, from the call until the device is done: where the call waits for that itself,
nothing else does. (The sweep's own uploads may return sooner: when the host array was read, with the copy ordered on
its stream.) Just before, outside the timed part, a little array is cleared on the stream that copies, so that every
copy finds it warm.

What is checked, after every timed copy and outside the timed part: no byte of what is copied is 0, the target is
zeroed before each copy, and the content changes from copy to copy. Up to 1 MiB every byte is zeroed, changed and
compared; above, a sample spread over the whole (at least 512 elements), and every byte around the last copy of a
point. A fresh array cannot be zeroed first; the one before is, as it is dropped.
"""
import argparse
import json
import os
import platform
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None

WARM_UP, AT_LEAST, AT_LEAST_OF_LARGE, AT_LEAST_OF_SLOW, AT_MOST = 3, 9, 5, 3, 100
BUDGET_S, PATIENCE_S = 0.12, 1.5
WHOLE_UP_TO, LARGE, SLOW = 1 << 20, 16 << 20, 256 << 20
SMALLEST_STRIDED = 1 << 12
ROW, GAP = 512, 64
LITTLE = 4 << 10
ALLOCATION = 16 << 20
LONGEST = 120
REMEDY = "where there is a GPU: pip install torch cupy-cuda12x"
WHOLE = (slice(None),)


class PyTorch:
    name = "pytorch"

    def __init__(self):
        import torch

        self.torch = torch
        self.version = ("torch", torch.__version__)
        torch.zeros(1, device="cuda")
        self.stream = torch.cuda.current_stream()

    def pinned(self, size):
        return self.torch.zeros(size, dtype=self.torch.uint8, pin_memory=True).numpy()

    def device(self, like):
        """An array on the device, packed, of the shape and type of a host array."""
        return self.torch.empty(like.shape, dtype=self.tensor(like).dtype, device="cuda")

    def tensor(self, array):
        return self.torch.from_numpy(array)

    def handle(self, array):
        """A host array as this library's users hold it, made once: that is not timed."""
        return self.tensor(array)

    def place(self, values, transposed):
        """A packed copy on the device, not timed; its axes exchanged there, which is fast."""
        array = self.tensor(values).to("cuda")
        return array.t().contiguous() if transposed else array

    def fetch(self, array):
        return array.contiguous().cpu().numpy()

    def clear(self, array):
        array.zero_()
        self.synchronize()

    def synchronize(self):
        self.stream.synchronize()

    # From and to the host `copy_` waits for the device.
    def upload(self, target, host):
        target.copy_(host)

    def download(self, host, source):
        host.copy_(source)

    def fresh(self, source):
        return source.cpu()

    def as_numpy(self, host):
        return host.numpy()

    def across(self, target, source):
        target.copy_(source)
        self.synchronize()

    def allocate_and_free(self):
        self.torch.empty(ALLOCATION, dtype=self.torch.uint8, device="cuda")


class CuPy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.cupy = cupy
        self.version = ("cupy", cupy.__version__)
        cupy.zeros(1)
        self.stream = cupy.cuda.get_current_stream()

    def pinned(self, size):
        return np.frombuffer(self.cupy.cuda.alloc_pinned_memory(size), np.uint8, size)

    def handle(self, array):
        return array

    def device(self, like):
        return self.cupy.empty(like.shape, like.dtype)

    def place(self, values, transposed):
        array = self.cupy.asarray(values)
        return self.cupy.ascontiguousarray(array.T) if transposed else array

    def fetch(self, array):
        return self.cupy.ascontiguousarray(array).get()

    def clear(self, array):
        array.fill(0)
        self.synchronize()

    def synchronize(self):
        self.stream.synchronize()

    def upload(self, target, host):
        # `set` brings a strided array into one piece itself, and does not wait.
        target.set(host)
        self.synchronize()

    # `get` waits for the device.
    def download(self, host, source):
        if host.flags.c_contiguous:
            source.get(out=host)
        else:
            host[...] = source.get()

    def fresh(self, source):
        return source.get()

    def as_numpy(self, host):
        return host

    def across(self, target, source):
        self.cupy.copyto(target, source)
        self.synchronize()

    def allocate_and_free(self):
        self.cupy.cuda.alloc(ALLOCATION)


class Arrays:
    """The arrays of one point. `stored` is a host array as it lies in memory, `host` what of it is copied.

    What is compared is indexed as `stored` is: of a transposed array the axes are exchanged on the device.
    """

    def __init__(self, library, host_memory, pattern, size, words):
        self.library, self.size = library, size
        self.transposed = pattern == "transposed"
        values = words[: size // 4]
        if self.transposed:
            rows = 1 << ((size // 4).bit_length() - 1) // 2
            self.values = values.reshape(rows, -1).view(np.float32)
            self.stored = np.empty_like(self.values)
            self.host = self.stored.T
        elif pattern == "padded rows":
            self.values = values.view(np.uint8).reshape(-1, ROW)
            padded = np.zeros((size // ROW, ROW + GAP), np.uint8)
            self.stored = self.host = padded[:, :ROW]
        else:
            self.values = values.view(np.uint8)
            self.stored = library.pinned(size) if host_memory == "pinned" else np.empty_like(self.values)
            self.host = self.stored
        self.stored[...] = self.values
        self.handle = library.handle(self.host)
        self.little = library.device(np.empty(LITTLE, np.uint8))
        self.sample = WHOLE if size <= WHOLE_UP_TO else spread(self.values.shape)

    def on_device(self, flip):
        """A packed array on the device with either content."""
        return self.library.place(flipped(self.values, flip), self.transposed)

    def empty_on_device(self):
        return self.library.device(self.host)

    def warm(self):
        """Work on the stream that copies, done when this returns: a download would else find it cold."""
        self.library.clear(self.little)

    def write(self, where, flip):
        self.stored[where] = flipped(self.values[where], flip)

    def check_device(self, array, where, flip):
        # Fetched before it is compared; the axes are exchanged on the device.
        array = array.T if self.transposed else array
        self.check(self.library.fetch(array[where]), where, flip)

    def check(self, found, where, flip):
        if not np.array_equal(bits(found), bits(flipped(self.values[where], flip))):
            raise ValueError(f"{self.size} bytes arrived wrong")


def bits(array):
    """Whole numbers, which compare by their bits: floats do not."""
    return array.view(np.uint32) if array.dtype == np.float32 else array


def flipped(values, flip):
    """The other content differs in every byte, and no byte of it is 0 either."""
    if not flip:
        return values
    if values.dtype == np.float32:
        return (np.ascontiguousarray(values).view(np.uint32) ^ np.uint32(0x80808080)).view(np.float32)
    return values ^ np.uint8(0x80)


def spread(shape):
    """Every so many elements along each axis, the very last among them."""
    if len(shape) == 1:
        step = shape[0] // 512
        return (slice(step - 1, None, step),)
    return tuple(slice((n - 1) % max(n // 32, 1), None, max(n // 32, 1)) for n in shape)


def content(size):
    """Words that tell where they belong, and of which no byte is 0."""
    words = np.arange(size // 4, dtype=np.uint32)
    words *= np.uint32(2654435761)
    words |= np.uint32(0x01010101)
    return words


def upload(library, arrays):
    target = arrays.empty_on_device()

    def prepare(where, flip):
        arrays.write(where, flip)
        library.clear(target)

    def check(where, flip):
        arrays.check_device(target, where, flip)

    return prepare, lambda flip: library.upload(target, arrays.handle), check


def download(library, arrays):
    sources = [arrays.on_device(flip) for flip in (False, True)]

    def prepare(where, flip):
        arrays.stored[where] = 0

    def check(where, flip):
        arrays.check(arrays.stored[where], where, flip)

    return prepare, lambda flip: library.download(arrays.handle, sources[flip]), check


def fresh(library, arrays):
    sources = [arrays.on_device(flip) for flip in (False, True)]
    arrived = []

    def copy(flip):
        arrived.append(library.fresh(sources[flip]))

    def check(where, flip):
        array = library.as_numpy(arrived.pop())
        arrays.check(array[where], where, flip)
        array[where] = 0

    return lambda where, flip: None, copy, check


def across(library, arrays):
    sources = [arrays.on_device(flip) for flip in (False, True)]
    target = arrays.empty_on_device()

    def check(where, flip):
        arrays.check_device(target, where, flip)

    return (
        lambda where, flip: library.clear(target),
        lambda flip: library.across(target, sources[flip]),
        check,
    )


def timed(bench, arrays):
    """Seconds of each timed copy, which is complete when the call returns. Each is checked."""
    prepare, copy, check = bench

    def one(where, flip):
        prepare(where, flip)
        arrays.warm()
        before = time.perf_counter()
        copy(flip)
        seconds = time.perf_counter() - before
        check(where, flip)
        return seconds

    size = arrays.size
    at_least = AT_LEAST if size < LARGE else AT_LEAST_OF_LARGE if size <= SLOW else AT_LEAST_OF_SLOW
    start = time.perf_counter()
    for turn in range(WARM_UP):
        if turn > 0 and time.perf_counter() - start > BUDGET_S:
            break
        one(arrays.sample, bool(turn % 2))
    seconds, start = [], time.perf_counter()
    while True:
        with_this, took = len(seconds) + 1, time.perf_counter() - start
        last = with_this >= at_least and (with_this >= AT_MOST or took >= BUDGET_S)
        last = last or (with_this >= AT_LEAST_OF_SLOW and took >= PATIENCE_S)
        seconds.append(one(WHOLE if last else arrays.sample, bool(len(seconds) % 2)))
        if last:
            return seconds


def quantile(values, share):
    return float(np.quantile(values, share))


def point(size, seconds):
    rates = [size / s / 1e9 for s in seconds]
    return {
        "bytes": size,
        "gbps_median": quantile(rates, 0.5),
        "gbps_p10": quantile(rates, 0.1),
        "gbps_p90": quantile(rates, 0.9),
        "seconds": [round(s, 9) for s in seconds],
    }


def figure(library, name, unit, values):
    return {
        "name": name,
        "implementation": library.name,
        "unit": unit,
        "median": quantile(values, 0.5),
        "p10": quantile(values, 0.1),
        "p90": quantile(values, 0.9),
        "values": values,
    }


COPIES = (
    ("h2d", "pinned", None, upload),
    ("h2d", "pageable", None, upload),
    ("h2d", "strided", "padded rows", upload),
    ("h2d", "strided", "transposed", upload),
    ("d2h", "pinned", None, download),
    ("d2h", "pageable", None, download),
    ("d2h", "fresh", None, fresh),
    ("d2h", "strided", "padded rows", download),
    ("d2h", "strided", "transposed", download),
    ("d2d", "none", None, across),
)


def series(library, kind, sizes, words):
    direction, host_memory, pattern, bench = kind
    points = []
    for size in sizes:
        if pattern and size < SMALLEST_STRIDED:
            continue
        arrays = Arrays(library, host_memory, pattern, size, words)
        points.append(point(size, timed(bench(library, arrays), arrays)))
    result = {"implementation": library.name, "direction": direction, "host_memory": host_memory}
    if pattern:
        result["pattern"] = pattern
    return result | {"points": points}


def figures(library, all_series):
    """The time of an allocation, and of the smallest copy of the sweep."""
    microseconds = []
    for _ in range(210):
        before = time.perf_counter()
        library.allocate_and_free()
        microseconds.append((time.perf_counter() - before) * 1e6)
    result = [figure(library, "allocate and free 16 MiB", "us", microseconds[10:])]
    for entry in all_series:
        smallest = entry["points"][0]
        if (entry["direction"], entry["host_memory"], smallest["bytes"]) == ("h2d", "pageable", 4):
            values = [s * 1e6 for s in smallest["seconds"]]
            result.append(figure(library, "4-byte copy to the device", "us", values))
    return result


def measure(library, sizes, words):
    """The series and the figures of one library."""
    result = []
    for kind in COPIES:
        entry = series(library, kind, sizes, words)
        if not entry["points"]:
            continue
        result.append(entry)
        best = max(p["gbps_median"] for p in entry["points"])
        name = " ".join(part for part in kind[:3] if part)
        print(f"{library.name} {name}: best median {best:.1f} GB/s", flush=True)
    return result, figures(library, result)


def all_libraries(sizes):
    """What all libraries measured, and why which of them measured nothing."""
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    found, left_out, words = {"series": [], "figures": [], "peers": versions}, [], None
    for library in (PyTorch, CuPy):
        try:
            opened = library()
            words = content(sizes[-1]) if words is None else words
            measured = measure(opened, sizes, words)
        except Exception as error:  # whatever stops it: missing, no driver it can use, out of memory
            left_out.append(f"{library.name}: {in_a_line(error)}")
            continue
        found["series"] += measured[0]
        found["figures"] += measured[1]
        package, version = opened.version
        versions[package] = str(version)  # PyTorch's is a class of its own
    return found, left_out


def in_a_line(error):
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--smallest", type=int, default=2, help="exponent of 2 of the smallest size in bytes")
    parser.add_argument("--largest", type=int, default=30, help="exponent of 2 of the largest size in bytes")
    args = parser.parse_args()
    if not 2 <= args.smallest <= args.largest <= 34:
        parser.error("expected 2 <= smallest <= largest <= 34")
    return args


def main():
    args = arguments()
    if np is None:
        sys.exit("bandwidth.py: expected numpy, which PyTorch and CuPy need, got none; get it: pip install numpy")
    result, left_out = all_libraries([1 << exponent for exponent in range(args.smallest, args.largest + 1)])
    if not result["series"]:
        sys.exit(f"bandwidth.py: expected PyTorch or CuPy and a GPU, got {'; '.join(left_out)}; {REMEDY}")
    for reason in left_out:
        print(f"left out: {reason}")
    print("measured with " + ", ".join(f"{package} {version}" for package, version in result["peers"].items()))
    with open(args.out + ".part", "w") as file:
        json.dump(result, file)
    os.replace(args.out + ".part", args.out)


if __name__ == "__main__":
    main()
