# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of `assay check --dump` with numpy, as docs/verdicts.md says: dump.py DIR."""
import json
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
case = json.loads((folder / "case.json").read_text())
print(case["verdict"], case["case"])
for tensor in case["inputs"] + case["outputs"]:
    arrays = {k: np.load(folder / f) for k, f in tensor.items() if isinstance(f, str) and f.endswith(".npy")}
    assert all(a.shape == tuple(tensor["shape"]) for a in arrays.values())
    print(tensor["name"], tensor["dtype"], *(f"{k}:{a.dtype}" for k, a in arrays.items()))
    if "right" in arrays:
        got, want, error, bound = (np.atleast_1d(arrays[k]) for k in ("got", "want", "error", "bound"))
        right = np.atleast_1d(arrays["right"])
        parts = (lambda x: [x.real, x.imag]) if np.iscomplexobj(got) else (lambda x: [x])
        assert all(np.all(np.abs(e[right]) <= b[right]) for e, b in zip(parts(error), parts(bound)))
        if got.dtype != np.uint8 or tensor["dtype"] == "u8":
            assert np.array_equal(error[right], got.astype(error.dtype)[right] - want.astype(error.dtype)[right])
        print("wrong at", np.argwhere(~right).tolist())
