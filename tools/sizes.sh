#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Large files and functions are a smell. Prints the five largest of each; fails if a name is not on the excused list.
excused_files=''
limit=600
bad=0
echo "largest files:"
git ls-files 'src/*.[ch]' 'ops/*.c' 'cmd/*.[ch]' 'include/*.h' 'torch/*.[ch]' 'torch/*.py' | xargs wc -l | grep -v total | sort -rn > /tmp/assay-sizes.$$
head -n 5 /tmp/assay-sizes.$$
for f in $(awk -v l=$limit '$1 > l { print $2 }' /tmp/assay-sizes.$$); do
	case " $excused_files " in *" $f "*) ;; *) echo "$f is over $limit lines"; bad=1 ;; esac
done
echo "longest functions:"
for f in $(git ls-files 'src/*.c' 'ops/*.c' 'cmd/*.c' 'torch/*.c'); do
	awk -v f="$f" '/^[a-z].*\)$/ { name = $0; start = NR } /^}/ { if (start) print NR - start + 1, f, name; start = 0 }' "$f"
done | sort -rn > /tmp/assay-sizes.$$
head -n 5 /tmp/assay-sizes.$$
awk '$1 > 80' /tmp/assay-sizes.$$ | grep . && { echo "over 80 lines"; bad=1; }
rm -f /tmp/assay-sizes.$$
exit $bad
