#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs build/portable/assay where there is nothing but glibc: no compiler, no other library, no shell.
# portable.sh BUILD_DIR; 77 = no chroot here (what needs none was tested).
set -u
build=$1
fail() { echo "$1"; exit 1; }
PATH=$PATH:/usr/sbin:/sbin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

make -s B="$build" "$build/assay" portable > "$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
said=$(sh tools/portable.sh "$build/portable/assay" "$build/assay-native" $(find "$build/assay-python.so" -size +0)) || fail "$said"
echo "$said" | grep -qE 'needs glibc 2\.[0-9]+ or later, and nothing else$' || fail "not understood: $said"
echo "$said"

# The check must see one library too many.
echo 'int main(void) { return 0; }' > "$dir/planted.c"
cc -o "$dir/planted" "$dir/planted.c" -Wl,--no-as-needed -ljansson || exit 1
sh tools/portable.sh "$dir/planted" > "$dir/log" 2>&1 && fail "a program that needs jansson was called portable"
grep -q 'more than glibc: libjansson' "$dir/log" || { cat "$dir/log"; exit 1; }

# Built without Python's headers: all but Python kernels works, and it says so.
: > "$dir/empty.so"
cc -c -o "$dir/embed.o" -DEXECUTOR="\"$build/assay-native\"" -DPYTHON_SO="\"$dir/empty.so\"" -DPACK="\"$build/torch.pack\"" \
	src/exec/embed.S || exit 1
make -s B="$build" PYTHON_EMBED="$dir/embed.o" OUT="$dir/plain" headless > "$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
"$dir/plain" check kernels/python/relu.py > "$dir/log" 2>&1 && fail "a Python kernel was judged without an executor"
grep -q 'built without Python.s headers: install python3-dev and build it again' "$dir/log" || { cat "$dir/log"; exit 1; }
"$dir/plain" doctor --quick | grep -q '^note     extension  *built without' || fail "doctor misses the extension"
"$dir/plain" check kernels/c/aten_relu.c --timing none > "$dir/log" || { cat "$dir/log"; fail "C kernels need Python's headers"; }

# libcurl is opened where there is one, by this program too.
if ldconfig -p 2> /dev/null | grep -q 'libcurl\(-gnutls\)\{0,1\}\.so\.4'; then
	"$build/portable/assay" doctor --quick | grep -q '^ok  *libcurl  *libcurl/' || fail "it finds no libcurl"
fi

# A right and a wrong kernel, built here: the forge keeps the objects in its cache.
mkdir -p "$dir/bare/bin" "$dir/bare/dev" "$dir/bare/proc" "$dir/bare/tmp" "$dir/bare/k"
object() { # SOURCE NAME
	XDG_CACHE_HOME="$dir/cache-$2" "$build/assay" check "$1" --timing none > "$dir/log" 2>&1
	cp "$dir/cache-$2"/assay/*.so "$dir/bare/k/$2.so" || { cat "$dir/log"; exit 1; }
}
object kernels/c/aten_relu.c right
object kernels/wrong/aten_relu__leaky.c wrong
cp kernels/c/aten_relu.c kernels/python/relu.py "$dir/bare/k/"
cc -shared -fPIC -Iinclude -o "$dir/bare/k/bare.so" kernels/c/aten_relu.c || exit 1

# The loader and glibc's own libraries, where the loader looks for them.
loader=$(readelf -l "$build/portable/assay" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
libc=$(ldd "$build/portable/assay" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
mkdir -p "$dir/bare$(dirname "$loader")" "$dir/bare$(dirname "$libc")"
cp -L "$loader" "$dir/bare$loader"
for l in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do
	cp -L "$(dirname "$libc")/$l" "$dir/bare$(dirname "$libc")/" 2> /dev/null
done
cp "$build/portable/assay" "$dir/bare/bin/"
cp "$build/assay" "$dir/bare/bin/ordinary"
chmod 1777 "$dir/bare/tmp"
: > "$dir/bare/dev/null"

[ "$(id -u)" = 0 ] || { echo "skipped: chroot needs root"; exit 77; }
# inside COMMAND...: with the kernel's own /proc and /dev/null, which every Linux has; the mounts end with it
inside() {
	unshare -m sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev/null "$0/dev/null" || exit 99
		exec env -i HOME=/tmp PATH=/bin "$(command -v chroot)" "$0" "$@"' "$dir/bare" "$@" > "$dir/log" 2>&1
}
inside /bin/assay --version
status=$?
[ $status != 99 ] && ! grep -q 'unshare\|cannot change root' "$dir/log" ||
	{ echo "skipped: no chroot with a /proc here: $(cat "$dir/log")"; exit 77; }
[ $status = 0 ] || { cat "$dir/log"; fail "it does not start"; }

due() { # STATUS PATTERN COMMAND...
	want=$1 pattern=$2
	shift 2
	inside "$@"
	status=$?
	[ $status = "$want" ] && grep -q -- "$pattern" "$dir/log" && return
	cat "$dir/log"
	fail "'$*' ended with $status, not $want, or did not say '$pattern'"
}
due 127 'libjansson' /bin/ordinary --version # nothing but glibc is there
due 0 '^aten::relu ' /bin/assay ops
due 0 'int aten_relu(const ay_tensor \*self' /bin/assay show aten::relu
due 2 '^missing  C compiler' /bin/assay doctor
due 0 '^PASS ' /bin/assay check /k/right.so --op aten::relu
due 1 '^MISMATCH ' /bin/assay check /k/wrong.so --op aten::relu
due 2 'no C compiler here .*install one, or check the object' /bin/assay check /k/aten_relu.c
due 2 'no glue of assay.s inside: install clang or gcc' /bin/assay check /k/bare.so --op aten::relu
due 2 'no python3 with torch was found (there is no python3 in $PATH)' /bin/assay check /k/relu.py
due 2 'cannot run the interpreter .*/no/python' /bin/assay check /k/relu.py --python /no/python
due 2 '^note     Python  *no python3 with torch' /bin/assay doctor
due 2 '^note     libcurl  *missing: no language model can be asked' /bin/assay doctor
chroot "$dir/bare" /bin/assay doctor > "$dir/log" 2>&1
grep -q '^missing  system  *there is no /proc' "$dir/log" || { cat "$dir/log"; fail "doctor misses no /proc"; }
