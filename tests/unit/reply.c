/* SPDX-License-Identifier: Apache-2.0
 *
 * reply - tests of answers of every kind with their due outcomes, and of properties that hold for
 * any bytes.
 */
#include "test.h"
#include "base/str.h"
#include "llm/reply.h"
#include "llm/symbols.h"

#include <string.h>

#define F      "```"
#define KERNEL "int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n{\n\treturn 0;\n}\n"
#define HEAD   "#include <assay/kernel.h>\n"
#define PY     "def relu(self):\n    return self\n"

static const char *const names_c[] = { "aten_relu", "aten_relu_out", NULL };
static const char *const names_py[] = { "relu", "relu_out", "aten_relu", NULL };

struct planted {
	const char *what;
	enum ay_lang lang;
	enum ay_chat_end end;
	const char *text;
	enum ay_reply_kind kind;
	const char *source; /* NULL = none */
	int blocks;
};

#define C  AY_LANG_C, AY_CHAT_STOP
#define P  AY_LANG_PY, AY_CHAT_STOP
#define CL AY_LANG_C, AY_CHAT_LENGTH
#define PL AY_LANG_PY, AY_CHAT_LENGTH

/* clang-format off */
static const struct planted planted[] = {
	/* one block */
	{ "plain", C, "Here it is:\n" F "c\n" HEAD KERNEL F "\nIt is right.", AY_REPLY_FENCED, HEAD KERNEL, 1 },
	{ "no label", C, F "\n" KERNEL F, AY_REPLY_FENCED, KERNEL, 1 },
	{ "other label", C, F "cpp title=\"x.c\"\n" KERNEL F, AY_REPLY_FENCED, KERNEL, 1 },
	{ "unknown label", C, F "kernel\n" KERNEL F, AY_REPLY_FENCED, KERNEL, 1 },
	{ "braced label", P, F "{.python .numbered}\n" PY F, AY_REPLY_FENCED, PY, 1 },
	{ "tildes", C, "~~~c\n" KERNEL "~~~\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "longer fence", C, "`````c\n" KERNEL "// " F "\n" F "\n`````\n", AY_REPLY_FENCED, KERNEL "// " F "\n" F "\n", 1 },
	{ "fence closed by a longer one", C, F "c\n" KERNEL "`````\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "carriage returns", P, "Yes:\r\n" F "python\r\ndef relu(self):\r\n    return self\r\n" F "\r\n", AY_REPLY_FENCED, PY, 1 },
	{ "indented in a list", P, "1. Write:\n   " F "python\n   def relu(self):\n       return self\n   " F "\n", AY_REPLY_FENCED, PY, 1 },
	{ "indented by tabs", P, "\t" F "python\n\tdef relu(self):\n\t    return self\n\t" F "\n", AY_REPLY_FENCED, PY, 1 },
	{ "all of it indented", P, F "python\n    def relu(self):\n        return self\n" F "\n", AY_REPLY_FENCED, PY, 1 },
	{ "fence in a docstring", P, F "python\ndef relu(self):\n    \"\"\"\n    " F "\n    x\n    " F "\n    \"\"\"\n    return self\n" F "\n",
	  AY_REPLY_FENCED, "def relu(self):\n    \"\"\"\n    " F "\n    x\n    " F "\n    \"\"\"\n    return self\n", 1 },
	{ "inline words are no fences", C, "Use " F "c" F " or\n" F "x" F " here.\n" F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "glued to a sentence", C, "Here it is: " F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "glued to the last line", C, F "c\n" HEAD "int aten_relu(void) { return 0; }" F "\nDone.\n", AY_REPLY_FENCED,
	  HEAD "int aten_relu(void) { return 0; }\n", 1 },
	{ "a label in the code's own text", C, F "c\n" KERNEL "// in a " F "c\n" F "\n", AY_REPLY_FENCED, KERNEL "// in a " F "c\n", 1 },
	{ "wrapped in markdown", C, F "markdown\n# Kernel\n" F "c\n" KERNEL F "\n" F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "nothing that is wanted", C, F "c\nint other(void)\n{\n}\n" F "\n", AY_REPLY_FENCED, "int other(void)\n{\n}\n", 1 },
	{ "a macro defines it", C, F "c\n#define K(n) int n(void) { return 0; }\nK(aten_relu)\n" F "\n", AY_REPLY_FENCED,
	  "#define K(n) int n(void) { return 0; }\nK(aten_relu)\n", 1 },

	/* several */
	{ "a draft, then the kernel", C, F "c\nint aten_relu(void) { return 1; }\n" F "\nBetter:\n" F "c\n" KERNEL F "\n", AY_REPLY_SEVERAL,
	  KERNEL, 2 },
	{ "kernel, then a test", C, F "c\n" KERNEL F "\n" F "c\nint main(void)\n{\n\treturn aten_relu(0, 0, 0);\n}\n" F "\n", AY_REPLY_SEVERAL,
	  KERNEL, 2 },
	{ "kernel, then its prototype", C, F "c\n" KERNEL F "\n" F "c\nint aten_relu(const ay_tensor *, ay_tensor *, const ay_ctx *);\n" F "\n",
	  AY_REPLY_SEVERAL, KERNEL, 2 },
	{ "kernel, then how to build it", C, F "c\n" KERNEL F "\n" F "bash\ncc -shared aten_relu.c\n" F "\n", AY_REPLY_SEVERAL, KERNEL, 2 },
	{ "kernel, then how to use it", P, F "python\n" PY F "\n" F "python\nimport torch\nfrom kernel import relu\nx = torch.ones(3)\nprint(relu(x))\n" F "\n",
	  AY_REPLY_SEVERAL, PY, 2 },
	{ "variables of a snippet are no part of it", P,
	  F "python\ndef relu(x):\n    y = x\n    return y\n" F "\n" F "python\nx = 3\ny = relu(x)\n" F "\n", AY_REPLY_SEVERAL,
	  "def relu(x):\n    y = x\n    return y\n", 2 },
	{ "C beside a wrapper in Python", P, F "c\nint relu(void) { return 0; }\n" F "\n" F "python\n" PY F "\n", AY_REPLY_SEVERAL, PY, 2 },
	{ "only words about it", C, F "text\nplan: aten_relu\n" F "\n", AY_REPLY_NO_CODE, NULL, 1 },
	{ "none is wanted, the longest", C, F "\nint a;\n" F "\n" F "c\nint long_one(int x)\n{\n\treturn x;\n}\n" F "\n" F "\nok\n" F "\n",
	  AY_REPLY_SEVERAL, "int long_one(int x)\n{\n\treturn x;\n}\n", 3 },
	{ "a block that was never ended, then another", C, F "c\nint aten_relu(void) { return 1; }\n" F "c\n" KERNEL F "\n", AY_REPLY_SEVERAL, KERNEL, 2 },

	/* several that are one file */
	{ "helpers, then the kernel", C, F "c\n" HEAD "static int twice(int x)\n{\n\treturn 2 * x;\n}\n" F "\nand\n" F
	  "c\nint aten_relu(int x)\n{\n\treturn twice(x);\n}\n" F "\n", AY_REPLY_JOINED,
	  HEAD "static int twice(int x)\n{\n\treturn 2 * x;\n}\nint aten_relu(int x)\n{\n\treturn twice(x);\n}\n", 2 },
	{ "a header by its name", C, "`tile.h`:\n" F "c\nenum { TILE = 64 };\n" F "\n" F "c\n" HEAD "#include \"tile.h\"\nint aten_relu(void)\n{\n\treturn TILE;\n}\n" F "\n",
	  AY_REPLY_JOINED, "enum { TILE = 64 };\n" HEAD "int aten_relu(void)\n{\n\treturn TILE;\n}\n", 2 },
	{ "a header behind the kernel", C, F "c\n#include \"t.h\"\nint aten_relu(void) { return N; }\n" F "\n" F "c\n// t.h\n#define N 3\n" F "\n",
	  AY_REPLY_JOINED, "// t.h\n#define N 3\nint aten_relu(void) { return N; }\n", 2 },
	{ "imports and the device's half, then the launch", P,
	  F "python\nimport triton\nimport triton.language as tl\n\n@triton.jit\ndef relu_kernel(x):\n    pass\n" F "\n" F
	  "python\nimport torch\n\ndef relu(self):\n    relu_kernel[(1,)](self)\n    return torch.empty(0)\n" F "\n",
	  AY_REPLY_JOINED,
	  "import triton\nimport triton.language as tl\n\n@triton.jit\ndef relu_kernel(x):\n    pass\n"
	  "import torch\n\ndef relu(self):\n    relu_kernel[(1,)](self)\n    return torch.empty(0)\n", 2 },
	{ "includes, then the kernel", C, F "c\n" HEAD "#include <math.h>\n" F "\n" F "c\n" KERNEL F "\n", AY_REPLY_JOINED,
	  HEAD "#include <math.h>\n" KERNEL, 2 },
	{ "a helper of a helper", P, F "python\ndef a(x):\n    return x\n" F "\n" F "python\ndef b(x):\n    return a(x)\n" F "\n" F
	  "python\ndef relu(self):\n    return b(self)\n" F "\n", AY_REPLY_JOINED,
	  "def a(x):\n    return x\ndef b(x):\n    return a(x)\ndef relu(self):\n    return b(self)\n", 3 },
	{ "of two helpers the later", C, F "c\nstatic int f(void) { return 1; }\n" F "\n" F "c\nstatic int f(void) { return 2; }\n" F "\n" F
	  "c\nint aten_relu(void) { return f(); }\n" F "\n", AY_REPLY_JOINED, "static int f(void) { return 2; }\nint aten_relu(void) { return f(); }\n", 3 },
	{ "one overload a block", C, F "c\n" HEAD "int aten_relu(void) { return 1; }\n" F "\nand\n" F "c\nint aten_relu_out(void) { return 2; }\n" F "\n",
	  AY_REPLY_JOINED, HEAD "int aten_relu(void) { return 1; }\nint aten_relu_out(void) { return 2; }\n", 2 },
	{ "one overload a block, each a file of its own", C,
	  F "c\nstatic int f(void) { return 1; }\nint aten_relu(void) { return f(); }\n" F "\n" F
	  "c\nstatic int f(void) { return 1; }\nint aten_relu_out(void) { return f(); }\n" F "\n",
	  AY_REPLY_SEVERAL, "static int f(void) { return 1; }\nint aten_relu_out(void) { return f(); }\n", 2 },
	{ "one overload a block in Python", P,
	  F "python\nimport torch\ndef f(x):\n    return x\ndef relu(x):\n    return f(x)\n" F "\n" F
	  "python\ndef f(x):\n    return x\ndef relu_out(x, *, out):\n    return f(x)\n" F "\n",
	  AY_REPLY_JOINED,
	  "import torch\ndef f(x):\n    return x\ndef relu(x):\n    return f(x)\ndef f(x):\n    return x\n"
	  "def relu_out(x, *, out):\n    return f(x)\n", 2 },
	{ "one overload a block, one of them twice", C, F "c\nint aten_relu(void) { return 1; }\n" F "\n" F "c\nint aten_relu_out(void) { return 2; }\n" F
	  "\nBetter:\n" F "c\nint aten_relu(void) { return 3; }\n" F "\n", AY_REPLY_JOINED,
	  "int aten_relu_out(void) { return 2; }\nint aten_relu(void) { return 3; }\n", 3 },
	{ "another whole kernel is no helper", C, F "c\nstatic int f(void) { return 1; }\nint aten_relu(void) { return f(); }\n" F "\n" F
	  "c\nint aten_relu(void) { return f(); }\n" F "\n", AY_REPLY_SEVERAL, "int aten_relu(void) { return f(); }\n", 2 },

	/* thinking */
	{ "thinks with a draft", C, "<think>\nMaybe\n" F "c\nint aten_relu(void) { return 1; }\n" F "\n</think>\n" F "c\n" KERNEL F "\n",
	  AY_REPLY_FENCED, KERNEL, 1 },
	{ "the opening tag is the server's", C, "Maybe\n" F "c\nint aten_relu(void) { return 1; }\n" F "\nso.</think>\n\n" F "c\n" KERNEL F "\n",
	  AY_REPLY_FENCED, KERNEL, 1 },
	{ "a fence left open in thought", C, "<thinking>hm " F "\n" F "c\nint x\n</thinking>\n" F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "thinks twice", C, "<think>a</think>\n<reasoning>\n" F "c\nint aten_relu(void) { return 1; }\n" F "\n</reasoning>" "\n" F "c\n" KERNEL F "\n",
	  AY_REPLY_FENCED, KERNEL, 1 },
	{ "thinks inside a thought", C, F "c\nint aten_relu(void) { return 1; }\n" F "\n<think>\n<think>\na\n</think>\nb\n</think>\n" F "c\n" KERNEL F "\n",
	  AY_REPLY_FENCED, KERNEL, 1 },
	{ "thinks up to the fence", C, "<think>\nso.</think> " F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "thinks in capitals", C, "<THINK>\nint aten_relu\n</THINK>\n" F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "never stops thinking", C, "<think>\nWell.\n" F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "cut while thinking", CL, "<think>\nWell.\n" F "c\n" KERNEL F "\nBut", AY_REPLY_TRUNCATED, NULL, 1 },
	{ "thinks and says nothing", C, "<think>\n" F "c\n" KERNEL F "\n</think>\n", AY_REPLY_NO_CODE, NULL, 0 },
	{ "a tag inside a line is text", C, "I </think> so <think> not\n" F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },

	/* no fence */
	{ "bare", C, HEAD "\n" KERNEL, AY_REPLY_BARE, HEAD "\n" KERNEL, 0 },
	{ "bare between words", C, "Here is the kernel. I don't use threads :(\n\n" HEAD "\n" KERNEL "\nIt isn't fast.\n", AY_REPLY_BARE, HEAD "\n" KERNEL, 0 },
	{ "words that begin as code does", C, "static memory is\nusing nothing here.\n\n" HEAD "\n" KERNEL, AY_REPLY_BARE, HEAD "\n" KERNEL, 0 },
	{ "bare Python", P, "Sure, from here on import nothing.\n\nimport torch\n\n" PY "\nThat is it.\n", AY_REPLY_BARE, "import torch\n\n" PY, 0 },
	{ "bare and cut", CL, HEAD "\n" KERNEL, AY_REPLY_TRUNCATED, NULL, 0 },
	{ "words alone", C, "The function aten_relu(self) should be fast; use vectors.\n", AY_REPLY_NO_CODE, NULL, 0 },

	/* no end */
	{ "cut in the block", CL, F "c\n" HEAD "int aten_relu(const ay_ten", AY_REPLY_TRUNCATED, NULL, 1 },
	{ "cut behind the block", CL, F "c\n" KERNEL F "\nThis works bec", AY_REPLY_FENCED, KERNEL, 1 },
	{ "cut in an example behind the block", CL, F "c\n" KERNEL F "\n" F "c\nint main(void)\n{\n", AY_REPLY_SEVERAL, KERNEL, 2 },
	{ "cut in the second attempt", CL, F "c\nint aten_relu(void) { return 1; }\n" F "\nBetter:\n" F "c\n" KERNEL "static", AY_REPLY_TRUNCATED, NULL, 2 },
	{ "cut before any code", PL, "First let us consider", AY_REPLY_TRUNCATED, NULL, 0 },
	{ "cut before a word", CL, "", AY_REPLY_TRUNCATED, NULL, 0 },
	{ "whole, but without its last fence", C, F "c\n" KERNEL, AY_REPLY_UNCLOSED, KERNEL, 1 },

	/* nothing */
	{ "empty", C, "", AY_REPLY_EMPTY, NULL, 0 },
	{ "blank", C, " \n\t\r\n", AY_REPLY_EMPTY, NULL, 0 },
	{ "empty fences", C, F "c\n" F "\n", AY_REPLY_NO_CODE, NULL, 0 },
	{ "refuses", AY_LANG_C, AY_CHAT_REFUSED, F "c\n" KERNEL F "\n", AY_REPLY_REFUSED, NULL, 0 },
	{ "refuses in words", C, "I'm sorry, but I can't help with that.", AY_REPLY_REFUSED, NULL, 0 },
	{ "is sorry and helps", C, "Sorry for the error.\n" F "c\n" KERNEL F "\n", AY_REPLY_FENCED, KERNEL, 1 },
	{ "failed", AY_LANG_C, AY_CHAT_FAILED, "", AY_REPLY_EMPTY, NULL, 0 },
};
/* clang-format on */

static void parse(struct ay_arena *a, const struct planted *p, struct ay_reply *r)
{
	const struct ay_chat_answer answer = { .end = p->end, .text = p->text };

	ay_reply_parse(a, &answer, p->lang, p->lang == AY_LANG_PY ? names_py : names_c, r);
}

TEST(reply_planted_answers_get_the_outcome_they_are_due)
{
	bool seen[AY_REPLY_KINDS] = { false };
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
		const struct planted *p = &planted[i];
		struct ay_reply r;

		parse(&a, p, &r);
		seen[r.kind] = true;
		CHECKF(r.kind == p->kind, "%s: due %s, got %s", p->what, ay_reply_name(p->kind),
		       ay_reply_name(r.kind));
		CHECKF(r.blocks == p->blocks, "%s: %d blocks, not %d", p->what, p->blocks, r.blocks);
		CHECKF(!r.source == !p->source, "%s: %s", p->what, r.source ? r.source : "no source");
		if (r.source && p->source) {
			CHECK_STR(r.source, p->source);
			CHECKF(r.len == strlen(p->source), "%s: length %zu", p->what, r.len);
		}
	}
	for (int k = 0; k < AY_REPLY_KINDS; k++)
		CHECKF(seen[k], "no planted answer is '%s'", ay_reply_name((enum ay_reply_kind)k));
	ay_arena_release(&a);
}

TEST(reply_outcomes_have_names_of_their_own)
{
	for (int i = 0; i < AY_REPLY_KINDS; i++)
		for (int k = 0; k < i; k++)
			CHECKF(strcmp(ay_reply_name((enum ay_reply_kind)i),
				      ay_reply_name((enum ay_reply_kind)k)) &&
				       strcmp(ay_reply_text((enum ay_reply_kind)i),
					      ay_reply_text((enum ay_reply_kind)k)),
			       "%d and %d", i, k);
}

/* --- any bytes -------------------------------------------------------------------------------- */

/* Returns true if every line of the source is in the answer, up to blanks before it and a carriage
 * return after it. */
static bool is_of(const char *text, size_t len, const struct ay_reply *r)
{
	const char *end = r->source + r->len;

	for (const char *p = r->source, *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (nl > p && !memmem(text, len, p, (size_t)(nl - p)))
			return false;
	}
	return r->len <= len + 1; /* a last line may gain a line end */
}

/* Returns true if the outcome and the presence of a source agree. */
static bool is_consistent(const struct ay_reply *r, bool cut)
{
	const bool judged = r->kind <= AY_REPLY_UNCLOSED;

	return !r->source == !judged && (judged ? r->len > 0 && r->source[r->len] == 0 : !r->len) &&
	       r->blocks >= 0 &&
	       (!cut || (r->kind != AY_REPLY_UNCLOSED && r->kind != AY_REPLY_BARE && r->kind != AY_REPLY_EMPTY));
}

TEST(reply_checks_of_these_tests_find_what_is_planted)
{
	const char text[] = "a line\nand more\n";
	const struct ay_reply own = { AY_REPLY_FENCED, "line\nand more\n", 14, 1 };
	const struct ay_reply invented = { AY_REPLY_FENCED, "line\nnot more\n", 14, 1 };
	const struct ay_reply none = { AY_REPLY_FENCED, NULL, 0, 1 }, some = { AY_REPLY_NO_CODE, "x", 1, 1 };

	CHECK(is_of(text, strlen(text), &own));
	CHECK(!is_of(text, strlen(text), &invented));
	CHECK(is_consistent(&own, false));
	CHECK(!is_consistent(&none, false) && !is_consistent(&some, false));
	CHECK(!is_consistent(&(struct ay_reply){ AY_REPLY_BARE, "x", 1, 0 }, true));
}

static const char *const pieces[] = {
	"```",
	"\n",
	"c\n",
	"~~~",
	"````",
	"\t",
	"    ",
	"<think>",
	"</think>",
	"\r\n",
	KERNEL,
	PY,
	HEAD,
	"def ",
	"relu",
	"aten_relu",
	"(",
	")",
	"{",
	"}",
	"\"\"\"",
	"'",
	"\"",
	"/*",
	"*/",
	"//",
	"#define X ",
	"\\\n",
	"import torch\n",
	"from x import (",
	"#include \"a.h\"\n",
	"a.h\n",
	"enum {",
	"=",
	",",
	"markdown\n",
	"python\n",
	"\xff\xfe",
	"\xe2\x80\x99",
	"text ",
};

/* splitmix64 */
static uint64_t next(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

TEST(reply_never_gives_what_is_not_in_the_answer)
{
	enum { ROUNDS = 20000, PIECES = 40 };
	struct ay_arena a = { 0 };
	uint64_t g = 1;
	int sources = 0;

	for (int i = 0; i < ROUNDS && !test_failures(); i++) {
		const int n = (int)(next(&g) % PIECES);
		const bool cut = next(&g) & 1, python = next(&g) & 1;
		struct ay_str text = { 0 };
		struct ay_reply r;

		for (int k = 0; k < n; k++) {
			const uint64_t u = next(&g) % (sizeof pieces / sizeof *pieces + 1);

			if (u == sizeof pieces / sizeof *pieces)
				ay_str_addc(&text, (char)next(&g)); /* NUL among others */
			else
				ay_str_add(&text, pieces[u]);
		}
		ay_reply_find(&a, ay_str_text(&text), text.len, cut, python ? AY_LANG_PY : AY_LANG_C,
			      python ? names_py : names_c, &r);
		CHECKF(is_consistent(&r, cut), "round %d: %s", i, ay_reply_name(r.kind));
		CHECKF(!r.source || is_of(ay_str_text(&text), text.len, &r), "round %d: %s\n---\n%s", i, r.source,
		       ay_str_text(&text));
		sources += r.source != NULL;
		ay_str_release(&text);
		ay_arena_clear(&a);
	}
	CHECKF(sources > ROUNDS / 20, "only %d answers had a source", sources);
	ay_arena_release(&a);
}

TEST(reply_bytes_of_any_kind_are_kept)
{
	const char text[] = F "c\nint aten_relu(void) { return '\0' + '\xff'; }\n" F "\n";
	const char want[] = "int aten_relu(void) { return '\0' + '\xff'; }\n";
	struct ay_arena a = { 0 };
	struct ay_reply r;

	ay_reply_find(&a, text, sizeof text - 1, false, AY_LANG_C, names_c, &r);
	CHECK(r.kind == AY_REPLY_FENCED && r.len == sizeof want - 1 && !memcmp(r.source, want, r.len));
	ay_arena_release(&a);
}

/* Megabytes of each input that is difficult to parse. The test checks that parsing ends, not its
 * speed. */
TEST(reply_megabytes_come_to_an_end)
{
	static const char *const again[] = { "```\nx\n```\n",
					     "```c\nint aten_relu(void) { return 0; }\n```\n",
					     "<think>",
					     "</think>\n",
					     "```c\n",
					     "`",
					     " ",
					     "((((",
					     "{",
					     "\"\"\"",
					     "'",
					     "#define a \\\n",
					     "/*",
					     "a ",
					     "import a,",
					     "```c\nint f(void) { g(); }\n```\n" };
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof again / sizeof *again; i++)
		for (int python = 0; python < 2; python++) {
			struct ay_str text = { 0 };
			struct ay_reply r;

			while (text.len < 2u << 20)
				ay_str_add(&text, again[i]);
			ay_reply_find(&a, ay_str_text(&text), text.len, false, python ? AY_LANG_PY : AY_LANG_C,
				      python ? names_py : names_c, &r);
			CHECKF(is_consistent(&r, false), "%s: %s", again[i], ay_reply_name(r.kind));
			if (i == 0)
				CHECK(r.blocks > 100000 && r.kind == AY_REPLY_SEVERAL);
			ay_str_release(&text);
			ay_arena_clear(&a);
		}
	ay_arena_release(&a);
}

/* --- words ------------------------------------------------------------------------------------ */

static void check_defines(bool python, const char *text, const char *defined, const char *other)
{
	struct ay_arena a = { 0 };
	struct ay_symbols s;

	(python ? ay_symbols_python : ay_symbols_c)(&a, text, strlen(text), &s);
	if (defined)
		CHECKF(ay_symbols_has(s.def, s.ndef, defined) || ay_symbols_has(s.import, s.nimport, defined),
		       "%s: %s", defined, text);
	if (other)
		CHECKF(!ay_symbols_has(s.def, s.ndef, other) && !ay_symbols_has(s.import, s.nimport, other),
		       "not %s: %s", other, text);
	ay_arena_release(&a);
}

TEST(reply_symbols_are_those_of_the_top_level)
{
	check_defines(false, "int f(int x)\n{\n\tg(x);\n}\n", "f", "g");
	check_defines(false, "int f(int x);\n", NULL, "f");
	check_defines(false, "/* int f(int x) { */ // g() {\nconst char *s = \"h() {\";\n", "s", "f");
	check_defines(false, "extern \"C\" {\nint f(void) {}\n}\n", "f", NULL);
	check_defines(false, "namespace a {\nint f(void) {}\n}\nint g() {}\n", "g", "a");
	check_defines(false, "template <int N> __global__ void __launch_bounds__(256) k(float *x) { }\n", "k",
		      "__launch_bounds__");
	check_defines(
		false,
		"static inline __attribute__((always_inline)) int f(void) __attribute__((cold));\nint h(void) { }",
		"h", "f");
	check_defines(false, "struct row {\n\tint a;\n};\ntypedef struct row line;\n", "line", "a");
	check_defines(false, "enum { A = 1, B };\n#define C(x) \\\n\tD\n", "B", "D");
	check_defines(false, "static const float table[] = { f(1) };\n", "table", "f");
	check_defines(false, "float x = f(1) + g();\nint h(void) { }", "h", "x");
	check_defines(false, "char q = '\"'; int f(void) { }", "f", NULL);
	check_defines(true, "def f(x):\n    def g():\n        pass\n", "f", "g");
	check_defines(true, "class K:\n    def f(self):\n        pass\n", "K", "f");
	check_defines(
		true,
		"try:\n    import numpy as np\n    def f():\n        pass\nexcept ImportError:\n    np = None\n",
		"f", "numpy");
	check_defines(true, "from a.b import (c as d,\n    e)\n", "e", "c");
	check_defines(true, "import a.b, c.d as e\n", "a", "b");
	check_defines(true, "\"\"\"\ndef f():\n\"\"\"\nx = 'def g():'\n", "x", "f");
	check_defines(true, "f, g = 1, 2\nh == 3\ni: int = 4\n", "i", "h");
	check_defines(true, "f(a,\nb = 3)\n", NULL, "b");
	check_defines(true, "async def f():\n    pass\n", "f", "async");
}
