#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a virtual environment with the torch that the tests are written for. Quick when it is there already.
# venv.sh DIR [look]; `look` downloads nothing. 77: it is not there, and the last line says why.
dir=$1 look=${2:-}
# Where pip gets them from is pip's own business (a CPU build of torch will do). Its triton comes with torch where the
# build wants one; ours is for builds that do not.
torch='torch==2.13.0 numpy==2.4.6 transformers==5.22.2 pyarrow==26.0.1'
triton='triton==3.9.0'
stamp=$dir/assay-stamp

[ "$(cat "$stamp" 2> /dev/null)" = "$torch $triton" ] && [ -x "$dir/bin/python3" ] && exit 0
[ "$look" != look ] || { echo "no torch in $dir: make torch installs it"; exit 77; }
python=$(sh tools/python.sh venv)
[ -n "$python" ] || { echo "no Python 3.10 or later that can make a virtual environment: install python3-venv"; exit 77; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
try() { # WHAT COMMAND...
	what=$1
	shift
	"$@" > "$log" 2>&1 && return
	echo "cannot $what: $(grep -iE 'error|failed|no space' "$log" | tail -n 1 | cut -c 1-300)"
	exit 77
}
install() { try "install $*" "$dir/bin/python3" -m pip install --quiet --no-input --disable-pip-version-check "$@"; }

echo "installing torch into $dir: minutes, once"
rm -rf "$dir"
try "make a virtual environment with $python" "$python" -m venv "$dir"
install $torch
"$dir/bin/python3" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("triton") is None)' || install $triton
try "import torch" "$dir/bin/python3" -c 'import torch, triton, numpy, transformers, pyarrow'
echo "$torch $triton" > "$stamp"
