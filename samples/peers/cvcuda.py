#!/usr/bin/env python3
"""Does with CV-CUDA's Python API what the samples do from Rust, on the same machine.

    cvcuda.py --out FILE [--record FOLDER]

Measures the calls and the pipeline of the sample cvcuda_speed in the same way, and makes every call that the sample
cvcuda_operators recorded in FOLDER again, comparing the outputs bit for bit. Writes {"calls": [...], "pipelines": [...],
"operators": [...], "peers": {...}}; "peers" holds the versions. Exits with 1 where an output differs, or where
something is missing, which one line names.

Everything that Python can do beforehand is done beforehand: device arrays are allocated and wrapped once, and every
operator writes to an existing output. CuPy copies each photograph from an ordinary array.
"""
import argparse
import json
import os
import platform
import sys
import time
import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)

# This file has the name of the package that it uses.
sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != os.path.dirname(os.path.abspath(__file__))]

CALLS, MEASUREMENTS, WARM_UP_S = 500, 41, 1.0
IMAGES, BATCHES = 32, 15
PHOTO, INPUT = (1080, 1920), (224, 224)
MEAN, DEVIATION = (0.406, 0.456, 0.485), (0.225, 0.224, 0.229)

try:
    import numpy as np
    import cupy as cp
    import cvcuda
except Exception as error:  # a broken library may raise anything
    print(f"expected numpy, cupy and cvcuda, got: {' '.join(str(error).split())[:200]}; where there is a GPU: "
          "pip install cvcuda-cu12 cupy-cuda12x")
    sys.exit(1)


def wrap(array, layout):
    return cvcuda.as_tensor(array, layout)


def median(values):
    return float(np.median(values))


def once(call):
    """Seconds a call, of CALLS in a row; then waits for the device."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    took = (time.perf_counter() - start) / CALLS
    cp.cuda.Device().synchronize()
    return took


def timed(calls):
    """All calls in turns, after a second in which processors reach their speed."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP_S:
        for call in calls.values():
            once(call)
    seconds = {name: [] for name in calls}
    for _ in range(MEASUREMENTS):
        for name, call in calls.items():
            seconds[name].append(once(call))
    return [
        {"call": name, "implementation": "python", "us_median": median(values) * 1e6, "seconds": values}
        for name, values in seconds.items()
    ]


def measure_calls():
    class Buffer:
        """As NVIDIA's page has it: an object with the CUDA array interface and nothing else."""

    buffer = Buffer()
    memory = cp.zeros((*PHOTO, 3), cp.uint8)
    buffer.__cuda_array_interface__ = memory.__cuda_array_interface__
    tensor = wrap(memory, "HWC")
    new = lambda shape, dtype=cvcuda.Type.U8, layout="HWC": cvcuda.Tensor(shape, dtype, layout)
    shape = (64, 64, 3)
    small, floats = new(shape), new(shape, cvcuda.Type.F32)
    large, same, other, part = new((*INPUT, 3)), new(shape), new(shape, cvcuda.Type.F32), new((32, 32, 3))
    planes = new((3, 64, 64), layout="CHW")
    number = lambda value: wrap(cp.full((1, 1, 1, 3), value, cp.float32), "NHWC")
    base, scale, rect = number(0.5), number(0.25), cvcuda.RectI(8, 8, 32, 32)
    linear, code, border = cvcuda.Interp.LINEAR, cvcuda.ColorConversion.BGR2RGB, cvcuda.Border.REFLECT101
    return timed({
        "as_tensor": lambda: cvcuda.as_tensor(buffer, "HWC"),
        "cuda": lambda: tensor.cuda(),
        "Tensor": lambda: cvcuda.Tensor(shape, cvcuda.Type.U8, "HWC"),
        "resize_into": lambda: cvcuda.resize_into(large, small, linear),
        "cvtcolor_into": lambda: cvcuda.cvtcolor_into(same, small, code),
        "convertto_into": lambda: cvcuda.convertto_into(other, small, 2.0, 0.0),
        "normalize_into": lambda: cvcuda.normalize_into(other, floats, base, scale),
        "reformat_into": lambda: cvcuda.reformat_into(planes, small),
        "gaussian_into": lambda: cvcuda.gaussian_into(same, small, (3, 3), (1.0, 1.0), border),
        "flip_into": lambda: cvcuda.flip_into(same, small, 0),
        "customcrop_into": lambda: cvcuda.customcrop_into(part, small, rect),
    })


def measure_pipeline():
    y, x, c = np.ogrid[: PHOTO[0], : PHOTO[1], :3]
    photos = [(index * 31 + y * 7 + x * 3 + c * 101).astype(np.uint8) for index in range(IMAGES)]
    stream = cvcuda.Stream()
    external = cp.cuda.ExternalStream(stream.handle)  # CuPy 14 warns that it goes; 13 knows no other way
    with stream, external:
        device = [cp.empty((*PHOTO, 3), cp.uint8) for _ in photos]
        images = [wrap(array[None], "NHWC") for array in device]
        pixels, planes = (IMAGES, *INPUT, 3), (IMAGES, 3, *INPUT)
        resized = cp.empty(pixels, cp.uint8)
        slots = [wrap(resized[index : index + 1], "NHWC") for index in range(IMAGES)]
        whole = wrap(resized, "NHWC")
        turned = wrap(cp.empty(pixels, cp.uint8), "NHWC")
        floats = wrap(cp.empty(pixels, cp.float32), "NHWC")
        normalized = wrap(cp.empty(pixels, cp.float32), "NHWC")
        output = wrap(cp.empty(planes, cp.float32), "NCHW")
        mean = wrap(cp.asarray(MEAN, cp.float32).reshape(1, 1, 1, 3), "NHWC")
        deviation = wrap(cp.asarray(DEVIATION, cp.float32).reshape(1, 1, 1, 3), "NHWC")
        code, linear = cvcuda.ColorConversion.BGR2RGB, cvcuda.Interp.LINEAR
        stddev = cvcuda.NormalizeFlags.SCALE_IS_STDDEV
        seconds = []
        for batch in range(BATCHES + 2):
            start = time.perf_counter()
            for array, photo, image, slot in zip(device, photos, images, slots):
                array.set(photo)
                cvcuda.resize_into(slot, image, linear)
            cvcuda.cvtcolor_into(turned, whole, code)
            cvcuda.convertto_into(floats, turned, 1.0 / 255.0, 0.0)
            cvcuda.normalize_into(normalized, floats, mean, deviation, stddev)
            cvcuda.reformat_into(output, normalized)
            stream.sync()
            if batch >= 2:
                seconds.append(time.perf_counter() - start)
    return {
        "implementation": "python", "images": IMAGES, "height": PHOTO[0], "width": PHOTO[1],
        "images_per_second_median": IMAGES / median(seconds), "seconds": seconds,
    }


def enum_of(kind, value):
    """The member of an enumeration with this number."""
    return kind(value)


def resize(output, inputs, a):
    cvcuda.resize_into(output, inputs[0], enum_of(cvcuda.Interp, a["interpolation"]))


def cvtcolor(output, inputs, a):
    cvcuda.cvtcolor_into(output, inputs[0], enum_of(cvcuda.ColorConversion, a["code"]))


ROUNDS = ("NEAREST", "TRUNCATE", "NEAREST_WRAP", "TRUNCATE_WRAP")


def convertto(output, inputs, a):
    # Before 0.17 there was one way to round, and the record has no other.
    rounding = {"round": getattr(cvcuda.Round, ROUNDS[a["round"]])} if hasattr(cvcuda, "Round") else {}
    cvcuda.convertto_into(output, inputs[0], a["scale"], a["offset"], **rounding)


def normalize(output, inputs, a):
    channels, planar = len(a["base"]), a["layout"].endswith("CHW")
    shape, layout = ((1, channels, 1, 1), "NCHW") if planar else ((1, 1, 1, channels), "NHWC")
    number = lambda values: wrap(cp.asarray(values, cp.float32).reshape(shape), layout)
    cvcuda.normalize_into(
        output, inputs[0], number(a["base"]), number(a["scale"]), a["flags"],
        globalscale=a["global_scale"], globalshift=a["shift"], epsilon=a["epsilon"],
    )


def reformat(output, inputs, a):
    cvcuda.reformat_into(output, inputs[0])


def gaussian(output, inputs, a):
    kernel, sigma = tuple(a["kernel"]), tuple(a["sigma"])
    cvcuda.gaussian_into(output, inputs[0], kernel, sigma, enum_of(cvcuda.Border, a["border"]))


def flip(output, inputs, a):
    cvcuda.flip_into(output, inputs[0], a["code"])


def customcrop(output, inputs, a):
    cvcuda.customcrop_into(output, inputs[0], cvcuda.RectI(*a["rect"]))


def copymakeborder(output, inputs, a):
    border = enum_of(cvcuda.Border, a["border"])
    cvcuda.copymakeborder_into(output, inputs[0], border, a["value"], top=a["top"], left=a["left"])


def rotate(output, inputs, a):
    interpolation = enum_of(cvcuda.Interp, a["interpolation"])
    cvcuda.rotate_into(output, inputs[0], a["degrees"], tuple(a["shift"]), interpolation)


def warp_affine(output, inputs, a):
    cvcuda.warp_affine_into(
        output, inputs[0], np.asarray(a["matrix"], np.float32), enum_of(cvcuda.Interp, a["interpolation"]),
        border_mode=enum_of(cvcuda.Border, a["border"]), border_value=np.asarray(a["value"], np.float32),
    )


def composite(output, inputs, a):
    cvcuda.composite_into(output, *inputs)


OPERATORS = {f.__name__: f for f in (
    resize, cvtcolor, convertto, normalize, reformat, gaussian, flip, customcrop, copymakeborder, rotate, warp_affine,
    composite,
)}


def compare(folder):
    """How many calls of each operator gave the same bytes, and of those that did not, the first."""
    with open(os.path.join(folder, "operators.json"), encoding="utf-8") as file:
        record = json.load(file)
    content = np.fromfile(os.path.join(folder, "operators.bin"), np.uint8)

    def array(index):
        entry = record["arrays"][index]
        part = content[entry["offset"] : entry["offset"] + entry["bytes"]]
        return part.view(np.dtype(entry["typestr"])).reshape(entry["shape"]), entry["layout"]

    results = {name: {"operator": name, "calls": 0, "equal": 0, "first_difference": None} for name in OPERATORS}
    for call in record["calls"]:
        expected, layout = array(call["output"])
        # Where an operator writes nothing, the sample's output is 0.
        found = cp.zeros(expected.shape, expected.dtype)
        inputs = [array(index) for index in call["inputs"]]
        tensors = [wrap(cp.asarray(part), name) for part, name in inputs]
        arguments = {**call["arguments"], "layout": inputs[0][1]}
        OPERATORS[call["operator"]](wrap(found, layout), tensors, arguments)
        cp.cuda.Device().synchronize()
        result = results[call["operator"]]
        result["calls"] += 1
        if cp.asnumpy(found).tobytes() == expected.tobytes():
            result["equal"] += 1
        elif result["first_difference"] is None:
            result["first_difference"] = {**arguments, "dtype": str(expected.dtype), "input": str(inputs[0][0].dtype)}
    return list(results.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--record")
    args = parser.parse_args()
    document = {
        "calls": measure_calls(),
        "pipelines": [measure_pipeline()],
        "operators": compare(args.record) if args.record else [],
        "peers": {"cvcuda": cvcuda.__version__, "cupy": cp.__version__, "numpy": np.__version__,
                  "python": platform.python_version()},
    }
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(document, file)
    for call in document["calls"]:
        print(f"{call['call']:15} {call['us_median']:6.2f} us")
    print(f"{'pipeline':15} {document['pipelines'][0]['images_per_second_median']:6.0f} images a second")
    for result in document["operators"]:
        difference = f", first: {result['first_difference']}" if result["first_difference"] else ""
        print(f"{result['operator']:15} {result['equal']} of {result['calls']} calls equal bit for bit{difference}")
    return 0 if all(result["equal"] == result["calls"] for result in document["operators"]) else 1


if __name__ == "__main__":
    sys.exit(main())
