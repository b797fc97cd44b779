/* SPDX-License-Identifier: Apache-2.0
 *
 * caseline - one call of one operator on described inputs, as one line of text:
 *
 *   aten::add.Tensor((T([20, 320, 15], f16), T([15], f16, stride=(2,))), {'alpha': 0.5}) seed=7
 *
 * Parsing needs no schema, so the line of any operator can be read, stored and printed.
 * ay_call_bind (call.h) binds a line to a schema. The grammar is in docs/case-lines.md. Beside the
 * canonical form the parser accepts: aten.add.Tensor, a "cnt: N," prefix, strides as a positional
 * list, tuples for lists, and (through ay_reader) `Operator:` headers.
 */
#ifndef AY_OP_CASELINE_H
#define AY_OP_CASELINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "op/value.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_kw {
	const char *name;
	int col;
	struct ay_value v;
};

struct ay_case {
	const char *ns, *base,
		/* overload: "" for the default one. base NULL: the line names no operator. */
		*overload;
	int narg, nkw;
	struct ay_value *arg;
	struct ay_kw *kw;
	int64_t cnt; /* how often a traced model made this call; -1 = not given */
	bool has_seed;
	uint64_t seed;
	/* timed=CONTENT:SET: the inputs are those of a timed call, which follow from the
	 * seed (timing/inputs.h). */
	bool is_timed;
	uint64_t timed_content;
	int timed_set;
};

enum { AY_LINE_MAX = 1 << 20 };

/* Parses len bytes of text without a newline. Errors name the column. */
int ay_case_parse(struct ay_arena *a, const char *text, size_t len, struct ay_case **out, struct ay_err *err);
void ay_case_print(struct ay_str *b, const struct ay_case *c);
bool ay_case_equal(const struct ay_case *a, const struct ay_case *b);
/* Adds the operator's name, as "aten::add.Tensor". */
void ay_case_opname(struct ay_str *b, const struct ay_case *c);
/* Splits "ns::base.overload" or "ns.base.overload". ".default" means the empty overload. Without a
 * namespace, ns is NULL. Of a name with one point ("aten.relu") the first part is the namespace,
 * unless the second part is "default". */
int ay_opname_parse(struct ay_arena *a, const char *text, size_t len, const char **ns, const char **base,
		    const char **overload, struct ay_err *err);

/* Reads a file of case lines. Blank lines and # comments are skipped; an `Operator:` header applies
 * to the lines after it. */
struct ay_reader {
	const char *text;
	size_t len, pos;
	int line;       /* number of the line just read, 1-based */
	const char *op; /* the operator of the last header, a pointer into text; NULL = none */
	size_t op_len;
};

/* Returns 1 and the next case in *out, 0 at the end of the text, or -1 for a bad line, with its
 * place in err. After -1 the next call continues with the following line. */
int ay_reader_next(struct ay_reader *r, struct ay_arena *a, struct ay_case **out, struct ay_err *err);

#endif
