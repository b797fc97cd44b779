#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which Python of this machine is used, in one place: the first of $PYTHON, $PATH and /usr/bin that will do. One in
# $PATH may be a shim that runs nothing, too old, or without headers, so each is asked.
# python.sh headers: prints -IDIR with Python.h of 3.9 or later; nothing if there is none.
# python.sh any: prints the path of an interpreter of 3.9 or later.
# python.sh venv: prints the path of an interpreter of 3.10 or later that can make a virtual environment, likewise.
case $1 in
headers) ask='
import os, sys, sysconfig
d = sysconfig.get_paths()["include"]
print("-I" + d if sys.version_info >= (3, 9) and os.path.exists(d + "/Python.h") else "")' ;;
any) ask='
import sys
print(sys.executable if sys.version_info >= (3, 9) else "")' ;;
venv) ask='
import ensurepip, sys, venv
print(sys.executable if sys.version_info >= (3, 10) else "")' ;;
*) echo "usage: python.sh headers | any | venv" >&2; exit 2 ;;
esac
for p in "${PYTHON:-}" python3 /usr/bin/python3; do
	[ -n "$p" ] || continue
	said=$("$p" -c "$ask" 2> /dev/null) && [ -n "$said" ] && echo "$said" && exit 0
done
exit 0
