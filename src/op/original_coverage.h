/* SPDX-License-Identifier: Apache-2.0
 *
 * original_coverage - facts about the benchmark that the set of operators was taken from
 * (KernelGenBench at commit b1966bc): how many cases its test of an operator runs, whether that
 * test can detect anything, and which of its listed overloads are not tensor kernels. The set
 * is closed, so these facts are a table. Facts about an operator itself are in its own file
 * under ops/.
 */
#ifndef AY_OP_ORIGINAL_COVERAGE_H
#define AY_OP_ORIGINAL_COVERAGE_H

#include "op/registry.h"

struct ay_original_coverage {
	const char *name;
	int cases;          /* number of cases that its test runs */
	const char *broken; /* why that test, or part of it, cannot detect anything; NULL: it can */
	/* why assay has more or fewer cases in its place; NULL: the numbers are equal */
	const char *why;
};

/* Returns NULL if no facts about this operator are known. */
const struct ay_original_coverage *ay_original_coverage_find(const char *name);
extern const struct ay_original_coverage ay_original_coverages[]; /* {0}-ended, sorted by name */

/* Why an overload is not a tensor kernel: the word for tables, and the sentence. */
/* clang-format off */
#define AY_OMITS(X)                                                                              \
	X(NUMBERS, "numbers", "numbers in, a number out: TorchScript's arithmetic on the host")  \
	X(LISTS, "lists", "lists, strings, devices and enums: built-ins of TorchScript")         \
	X(TWIN, "twins", "hacked_twin: the same call, its list of tensors without None")         \
	X(NAMED, "named", "named dimensions, which PyTorch 2.13 has dropped")
/* clang-format on */

enum ay_omit {
#define X(name, word, text) AY_OMIT_##name,
	AY_OMITS(X)
#undef X
		AY_OMIT_COUNT
};

struct ay_omitted {
	const char *name;
	enum ay_omit omit;
	/* separated by spaces; the overload without a name is `default`, as in torch.ops */
	const char *overloads;
};

extern const struct ay_omitted ay_omissions[]; /* {0}-ended, sorted by name */
const char *ay_omit_word(enum ay_omit o);
const char *ay_omit_text(enum ay_omit o);
/* Returns the number of overloads in a row. */
int ay_omitted_count(const struct ay_omitted *o);

#endif
