# SPDX-License-Identifier: Apache-2.0
"""Lists the folders of this machine that an interpreter reads, for the root of its jail."""
import os
import sys

COVERED = ["/usr/lib", "/usr/local/lib", "/lib", "/lib64"]  # visible in every jail
LEFT_OUT = {"/", "/usr", "/usr/local"}


def names(path):
    """Yields the folder's given name, each folder that its links lead to, and its name without
    links. A virtual environment is recognised by its name, and imports go through that name."""
    path = os.path.abspath(path)
    yield path
    while os.path.islink(path):
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        yield path
    yield os.path.realpath(path)


def folders():
    """Returns the interpreter's prefixes and import path, without folders inside others."""
    given = [p for p in [sys.prefix, sys.base_prefix, *sys.path] if p and os.path.isdir(p)]
    wanted = {name for p in given for name in names(p)}
    found = []
    for p in sorted(wanted - LEFT_OUT - {os.path.realpath(".")}):
        if not any(p == c or p.startswith(c + "/") for c in COVERED + found):
            found.append(p)
    return found
