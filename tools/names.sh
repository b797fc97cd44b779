#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names are unique: no two source files of one name, no two struct, union or enum tags of one name, and none of the words
# that a reader would have to decode (docs/glossary.md has the words that this project uses instead).
# names.sh
bad=0
# kernel.h and its helpers are compiled into kernels, never beside the judge's own types.
sources() { git ls-files src cmd torch include baselines | grep -E '\.(c|h|cu)$'; }
own() { sources | grep -v '^include/'; }

twice=$(sources | sed 's#.*/##' | sort | uniq -d)
for f in $twice; do
	echo "two files are named $f: $(sources | grep "/$f\$" | tr '\n' ' ')"
	bad=1
done

tags=$(own | xargs grep -hoE '\b(struct|union|enum) [a-z_0-9]+ ?\{' | tr '{' ' ' | awk '{print $2}' | sort | uniq -d)
for t in $tags; do
	echo "two types have the tag $t: $(own | xargs grep -lE "\b(struct|union|enum) $t ?\{" | tr '\n' ' ')"
	bad=1
done

# Words for processes that name no actor, and the metaphors that were renamed.
words='whoever|somebody|nobody|anybody|strangers?|crew|sitters?|witness(es)?|concord|amiss|stretch(es)?|speaker|stand-?ins?|seats?'
words="$words|loans?|lent|lends?|lending|rigs?|scene|drowned|restless|swayed|bury|hard sets?"
prose() { git ls-files '*.c' '*.h' '*.cu' '*.py' '*.sh' '*.md' '*.test' Makefile | grep -v '^tools/names.sh'; }
found=$(prose | xargs grep -niE "\b($words)\b" | cut -c 1-140)
[ -z "$found" ] || { echo "$found"; echo "words of tools/names.sh: $(echo "$found" | wc -l) lines"; bad=1; }
exit $bad
