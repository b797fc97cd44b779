# due: PASS
"""BackendBench's older names: no overload in folder and function."""


def relu_kernel_impl(input):
    return input * (input > 0) if not input.is_floating_point() else input.clamp_min(0)
