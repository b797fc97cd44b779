#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which Debian packages this machine lacks: `say` names them in one line, `install` installs them, as root or after asking.
# deps.sh say|install LEVEL; of build: what compiling needs; python: and `make torch`; run: and what assay opens at run time;
# check: and what only `make check` needs.
action=$1 level=$2 need=
has() { printf '#include <%s>\nint main(void){return 0;}\n' "$1" | ${CC:-cc} -x c -fsyntax-only - 2>/dev/null; }
command -v $(echo "${CC:-cc}" | cut -d" " -f1) >/dev/null || need="$need gcc libc6-dev"
# without a compiler nothing is found, and all of these are named
has jansson.h || need="$need libjansson-dev"
has seccomp.h || need="$need libseccomp-dev"
has openssl/evp.h || need="$need libssl-dev"
if [ "$level" != build ]; then
	# without Python's headers the build works too, with an empty extension: assay then judges no Python kernels
	[ -n "$(sh tools/python.sh headers)" ] || need="$need python3-dev"
	[ -n "$(sh tools/python.sh venv)" ] || need="$need python3-venv"
fi
if [ "$level" = run ] || [ "$level" = check ]; then
	# what nothing here links to: the library of a baseline, and the client that speaks to models
	PATH="$PATH:/sbin" ldconfig -p 2>/dev/null | grep -q 'libopenblas\.so\.0' || need="$need libopenblas0-pthread"
	PATH="$PATH:/sbin" ldconfig -p 2>/dev/null | grep -q 'libcurl\.so\.4' || need="$need libcurl4"
	# clang compiles kernels where it is found; gcc 12 lost up to 20x on a tiled product
	for c in clang clang-19 clang-16 clang-14; do command -v $c >/dev/null && clang=$c && break; done
	[ -n "${clang:-}" ] || need="$need clang-14"
fi
if [ "$level" = check ]; then
	# a test compares libcurl's header with the declarations of ours
	has curl/curl.h || need="$need libcurl4-openssl-dev"
	has dlpack/dlpack.h || need="$need libdlpack-dev"
	command -v clang-format-14 >/dev/null || need="$need clang-format-14"
	printf 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n){return d && n > 3 ? 0 : 0;}\n' |
		${clang:-false} -x c -fsanitize=fuzzer - -o /dev/null 2>/dev/null || need="$need clang-14 libclang-rt-14-dev"
fi
[ -n "$need" ] || exit 0
if [ "$action" = say ]; then
	case $level in check) target=check-deps ;; *) target=deps ;; esac
	echo "missing packages:$need (make $target installs them)" >&2
	exit 1
fi
line="apt-get install -y --no-install-recommends$need"
if ! command -v apt-get >/dev/null; then
	echo "missing: $need (Debian's names; install them with this machine's package manager)" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	echo "installing:$need"
	apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive $line >/dev/null
elif [ -t 0 ]; then
	printf 'These packages are missing. Run `sudo %s`? [Y/n] ' "$line"
	read -r answer
	case $answer in n* | N*) exit 1 ;; esac
	sudo sh -c "apt-get update -qq && $line"
else
	echo "packages are missing; run: sudo $line" >&2
	exit 1
fi
