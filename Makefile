# SPDX-License-Identifier: Apache-2.0
#
#   make              build/assay; says which packages are missing, installs nothing
#   make deps         install the Debian packages that building and judging need
#   make demo         judge and time a few bundled kernels: about a minute
#   make demo-torch   make torch, then make demo with ATen as the baseline
#   make torch        an interpreter with torch in build/venv, which build/assay finds by itself: minutes, 2.3 GB, once
#   make check-deps   install the Debian packages that `make check` needs beside those of make deps
#   make test         the fast tests: C only, no downloads
#   make check        everything this machine can run; `make check T=name` runs the unit tests whose name has `name`
#   make asan         the tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   make fuzz         every fuzz target for FUZZ_S seconds (15)
#   make bench        the figures of bench/
#   make portable     build/portable/assay: needs nothing but glibc where it runs
#   make install      into PREFIX (/usr/local)
#   make format       lay the sources out as .clang-format says

B       ?= build
PREFIX  ?= /usr/local
FUZZ_S  ?= 15
T       ?=
CC      ?= cc
OPT     ?= -O2 -g
VERSION := 0.2.0
Q       := $(if $V,,@)
# `make V=1` prints the commands
say      = $(if $V,,@echo "  $1 $@")

# Warnings are errors where we develop and in CI; a user's newer compiler must not stop the build.
WERROR  := $(if $(wildcard .git)$(CI),-Werror)
WARN    := -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wvla $(WERROR)
# No fused multiply-add: fills must give the same bits everywhere, and the oracle's error must be the one we know.
CFLAGS  += -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) -ffp-contract=off -fno-math-errno -pthread -Isrc -Iinclude $(SAN)
# now: a function that is looked up when it is first called has all registers saved on the stack, with what was copied last
LDFLAGS += -pthread -Wl,-z,now $(SAN)
LDLIBS  += -ljansson -lseccomp -lcrypto -lm -ldl

# --- what there is -----------------------------------------------------------------------------------------------
NUMS    := d ld z lz
OPFILES := $(sort $(wildcard ops/*/*.c))
STEMS   := $(notdir $(OPFILES:.c=))
INSIDE  := $(wildcard src/exec/runtime/*.c) src/exec/wire.c src/device/cuda.c
EXECSRC := $(wildcard src/exec/native/*.c) $(INSIDE)
PYSRC   := $(wildcard torch/exec/*.c) $(INSIDE) $(addprefix src/sandbox/,jail_child.c jail_root.c zygote.c)
PACK    := $(sort $(wildcard torch/assay/*.py))
PROMPTS := $(sort $(wildcard src/llm/prompts/*.txt))
# Headers of any Python from 3.9 on: the extension is the same for all.
PYINC   := $(shell sh tools/python.sh headers)
# refnum.c is compiled once per number type, like the operators that call it.
SRC     := $(filter-out src/op/refnum.c,$(wildcard src/*/*.c))
LIBOBJ  := $(SRC:%.c=$B/obj/%.o) $(NUMS:%=$B/obj/src/op/refnum_%.o) $B/obj/src/exec/embed.o
# Baselines are carried as sources, and compiled in for what they say of their libraries.
BASES   := $(wildcard baselines/*.c)
LIBOBJ  += $B/obj/src/timing/embed.o $(BASES:%.c=$B/obj/%.o) $B/obj/src/llm/embed.o $B/obj/src/device/embed.o
OPOBJ   := $(foreach n,$(NUMS),$(OPFILES:%.c=$B/obj/%_$n.o)) $B/obj/registry.o
CMDOBJ  := $(patsubst %.c,$B/obj/%.o,$(wildcard cmd/*.c)) $B/obj/cmd/embed_docs.o
TESTOBJ := $(patsubst %.c,$B/obj/%.o,$(wildcard tests/unit/*.c) $(addprefix torch/exec/,heap.c block_cache.c))
BENCHOBJ := $(patsubst %.c,$B/obj/%.o,$(wildcard bench/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$B/fuzz/%,$(wildcard tests/fuzz/*.c))

ifneq ($(words $(STEMS)),$(words $(sort $(STEMS))))
$(error two operator files have the same name: $(STEMS))
endif

.PHONY: all demo portable headless test torch check asan fuzz fuzzers bench bench-objects bench-aa bench-overhead install format deps check-deps has-deps demo-torch clean FORCE
all: $B/assay

$B/assay: $(CMDOBJ) $(OPOBJ) $(LIBOBJ)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$B/test: $(TESTOBJ) $(filter-out $B/obj/cmd/main.o,$(CMDOBJ)) $(OPOBJ) $(LIBOBJ)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/obj/%.o: %.c | has-deps
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_$(*F)) -MMD -MP -c -o $@ $<

# Operators and refnum.c, once per number type; the table is renamed so that all of them link.
define num_rules
$B/obj/ops/%_$1.o: ops/%.c | has-deps
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$(CC) $(CFLAGS) -DAY_NUM_$1 -Day_ops_$$(*F)=ay_ops_$$(*F)_$1 -MMD -MP -c -o $$@ $$<
$B/obj/src/op/refnum_$1.o: src/op/refnum.c | has-deps
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$(CC) $(CFLAGS) -DAY_NUM_$1 -MMD -MP -c -o $$@ $$<
endef
$(foreach n,$(NUMS),$(eval $(call num_rules,$n)))

# The registry is the file list: adding ops/NS/STEM.c adds its table ay_ops_STEM.
$B/registry.c: tools/registry.sh $(OPFILES) $B/opfiles.txt
	$(Q)sh tools/registry.sh $(OPFILES) > $@
$B/opfiles.txt: FORCE
	@mkdir -p $B; echo "$(OPFILES)" | cmp -s - $@ || echo "$(OPFILES)" > $@
$B/obj/registry.o: $B/registry.c | has-deps
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

# The native executor is a small program of its own, carried inside assay and started from memory.
EXECH   := $(wildcard src/exec/*.h src/device/cuda.h src/exec/runtime/*.h src/sandbox/*.h torch/exec/*.h) include/assay/kernel.h
$B/assay-native: $(EXECSRC) $(EXECH) | has-deps
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(filter-out -fsanitize%,$(CFLAGS)) -o $@ $(EXECSRC) -ldl -pthread
# The Python executor is an extension that a warm interpreter loads; without Python's headers it is empty.
$B/assay-python.so: $(PYSRC) $(wildcard torch/exec/*.h) $(EXECH) | has-deps
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(if $(PYINC),$(CC) $(filter-out -fsanitize%,$(CFLAGS)) $(PYINC) -fPIC -shared -o $@ $(PYSRC),: > $@; echo "  no Python.h here: this assay will judge no Python kernels (apt-get install python3-dev)")
$B/torch.pack: tools/pack.sh $(PACK)
	@mkdir -p $(@D)
	$(Q)sh tools/pack.sh $(PACK) > $@
$B/obj/src/exec/embed.o: src/exec/embed.S $B/assay-native $B/assay-python.so $B/torch.pack $(wildcard include/assay/*.h)
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -c -o $@ -DEXECUTOR='"$B/assay-native"' -DPYTHON_SO='"$B/assay-python.so"' -DPACK='"$B/torch.pack"' $<
$B/obj/src/timing/embed.o: src/timing/embed.S $(BASES) $(wildcard baselines/*.h) src/timing/ceiling.cu
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -c -o $@ $<
$B/obj/src/device/embed.o: src/device/embed.S src/base/host_device.h $(addprefix src/tensor/,in_bound.h error_weight.h) $(addprefix src/device/,fill_units.h compare_units.h matmul_bound.h dev_fill.cu dev_compare.cu matmul_check.cu)
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -c -o $@ $<
$B/prompts.pack: tools/pack.sh $(PROMPTS)
	@mkdir -p $(@D)
	$(Q)sh tools/pack.sh $(PROMPTS) > $@
$B/obj/src/llm/embed.o: src/llm/embed.S $B/prompts.pack
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -c -o $@ -DPROMPTS='"$B/prompts.pack"' $<

# Pages that are made of the operators are as long as the operators are many: `assay ops` and `assay mutants` print them.
PAGES   := $(filter-out docs/README.md docs/mutants.md docs/catalogue.md,$(sort $(wildcard docs/*.md)))
$B/docs.pack: tools/pack.sh $(PAGES)
	@mkdir -p $(@D)
	$(Q)sh tools/pack.sh $(PAGES) > $@
$B/obj/cmd/embed_docs.o: cmd/embed_docs.S $B/docs.pack
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) -c -o $@ -DDOCS='"$B/docs.pack"' $<

CFLAGS_main := -DAY_VERSION='"$(VERSION)"'
CFLAGS_cublas := -DDESCRIBED
# The ceilings of a processor include its fused multiply-add.
CFLAGS_ceiling_loops := -ffp-contract=fast
# Fresh content is written as fast as memory takes it; judging is converting and comparing.
$(foreach f,inputs dtype oracle value_stats fill philox,$(eval CFLAGS_$f := -O3))

-include $(shell find $B/obj -name '*.d' 2>/dev/null)

# --- one binary for other machines -------------------------------------------------------------------------------
# The libraries that are not glibc's go in from their archives; the executor inside needs glibc alone as it is. What
# glibc must be there at least is read from the symbol versions of both.
PORTABLE_A := $(foreach l,jansson seccomp crypto,-l:lib$l.a)
portable: $B/portable/assay
	$(Q)sh tools/portable.sh $< $B/assay-native $(if $(PYINC),$B/assay-python.so)
$B/portable/assay: $(CMDOBJ) $(OPOBJ) $(LIBOBJ)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(PORTABLE_A) -lm -ldl
# The unit tests likewise, for a machine with a GPU and nothing to build with; they look for assay beside them.
$B/portable/test: $(TESTOBJ) $(filter-out $B/obj/cmd/main.o,$(CMDOBJ)) $(OPOBJ) $(LIBOBJ) $B/portable/assay
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(PORTABLE_A) -lm -ldl
# For tests/portable.sh: assay as it is where there are no headers of Python.
headless: $(CMDOBJ) $(OPOBJ) $(LIBOBJ)
	$(Q)$(CC) $(LDFLAGS) -o $(OUT) $(filter-out $B/obj/src/exec/embed.o,$^) $(PYTHON_EMBED) $(LDLIBS)

# What Python kernels need: Python's headers, without which assay was built with an empty extension, and torch.
torch:
	@sh tools/deps.sh say python
	@[ -s $B/assay-python.so ] || rm -f $B/assay-python.so
	@$(MAKE) --no-print-directory $B/assay
	@sh tools/venv.sh $B/venv
	@$B/assay doctor --quick | grep -E '^[a-z]+ +(extension|Python|torch) '

demo: $B/assay
	@sh tools/demo.sh $B/assay $B
demo-torch: torch demo

# --- tests -------------------------------------------------------------------------------------------------------
test: $B/assay $B/test
	sh tools/check.sh test $B "$T"
check:
	sh tools/check.sh $(if $T,test,all) $B "$T"
asan:
	$(MAKE) B=build/asan OPT='-O1 -g1' SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined' \
		build/asan/assay build/asan/test
	sh tools/check.sh asan build/asan "$T"

# What is fuzzed is compiled once for all targets.
FUZZ_CC    := $(firstword $(foreach c,clang clang-19 clang-16 clang-14,$(shell command -v $c 2>/dev/null)))
FUZZ_FLAGS := -std=c11 -D_GNU_SOURCE -O1 -g -Isrc -Iinclude -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_OBJ   := $(patsubst %.c,$B/fuzz/obj/%.o,$(filter src/base/% src/tensor/% src/op/% src/exec/wire% src/exec/result_desc% src/judge/verdict% \
	src/judge/job% src/forge/lang% src/timing/stats% src/timing/ceiling_level% src/store/% \
	$(addsuffix %,$(addprefix src/llm/,sse provider openai anthropic retry api_key http_try reply code_fences symbols unfenced_code)),\
	$(filter-out src/op/torch_op.c,$(SRC))))
$B/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,FUZZ)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
-include $(FUZZ_OBJ:.o=.d)
$B/fuzz/%: tests/fuzz/%.c $(FUZZ_OBJ)
	$(call say,FUZZ)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -lm -lcrypto -ljansson
fuzzers: $(FUZZERS)
fuzz: $(FUZZERS)
	sh tools/check.sh fuzz $B $(FUZZ_S)

$B/bench: $B/obj/bench/bench.o $B/obj/bench/bench_help.o $(OPOBJ) $(LIBOBJ)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$B/bench-%: $B/obj/bench/%.o $B/obj/bench/bench_help.o $(OPOBJ) $(LIBOBJ)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
bench: $B/bench $B/test
	$B/bench
	ASSAY_BENCH=1 $B/test exec_round_trips

bench-aa bench-overhead: bench-%: $B/bench-%
	$<
# `make check` compiles the benchmarks, which it does not run.
bench-objects: $(BENCHOBJ)

install: $B/assay
	install -D -m 755 $B/assay $(DESTDIR)$(PREFIX)/bin/assay
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/assay $(wildcard include/assay/*.h)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/assay/suites $(wildcard suites/*.trace)

format:
	$(or $(shell command -v clang-format-14),clang-format) -i $(shell git ls-files '*.[ch]' '*.cu')

# Installs as root, else asks once; nothing else in this file installs a package.
deps:
	@sh tools/deps.sh install run
check-deps:
	@sh tools/deps.sh install check
has-deps:
	@sh tools/deps.sh say build
clean:
	rm -rf build
