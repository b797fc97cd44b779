/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/forge.h"
#include "forge/headers.h"
#include "base/file.h"
#include "base/process.h"
#include "exec/exec.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const schemas[] = { "t::one(Tensor a) -> Tensor", "t::two(Tensor a, *, Scalar b=1) -> Tensor" };

struct fixture {
	struct ay_arena a;
	struct ay_err err;
	struct ay_forge f;
	const struct ay_proto *proto[2];
};

static void setup(struct fixture *b, const char *cache)
{
	*b = (struct fixture){ 0 };
	if (ay_forge_init(&b->f, cache, &b->err))
		CHECKF(false, "%s", b->err.msg);
	if (!b->f.cc)
		test_skip("no compiler");
	for (int i = 0; i < 2; i++) {
		struct ay_schema *s;
		struct ay_proto *p;

		if (ay_schema_parse(&b->a, schemas[i], &s, &b->err) || ay_proto_make(&b->a, s, &p, &b->err))
			test_skip("%s", b->err.msg);
		b->proto[i] = p;
	}
}

static struct ay_built build(struct fixture *b, enum ay_lang lang, const char *source, size_t n)
{
	struct ay_built built;

	CHECKF(!ay_forge_build(&b->f, &b->a, source, n, lang, 2, b->proto, 60, &built, &b->err), "%s", b->err.msg);
	return built;
}

static struct ay_built build_text(struct fixture *b, enum ay_lang lang, const char *source)
{
	return build(b, lang, source, strlen(source));
}

static void teardown(struct fixture *b)
{
	ay_forge_release(&b->f);
	ay_arena_release(&b->a);
}

/* Loads an object and counts its entries. */
static int entries(struct fixture *b, const struct ay_built *built)
{
	struct ay_exec_spec spec = { .so_fd = built->fd, .load_timeout_s = 5 };
	struct ay_exec_entries e;
	struct ay_outcome o;
	struct ay_exec *x;

	CHECKF(!ay_exec_start(&spec, &b->a, &x, &e, &o, &b->err) && o.what == AY_EXEC_RAN, "%s %s", b->err.msg,
	       o.text);
	ay_exec_stop(x);
	return e.n;
}

#define ONE "int t_one(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx) { return 0; }\n"

TEST(forge_builds_c)
{
	struct fixture b;
	struct ay_built k;

	setup(&b, "");
	k = build_text(&b, AY_LANG_C, "#include <assay/kernel.h>\n" ONE);
	CHECKF(k.ok && !k.cached, "%s", k.log);
	CHECK(fcntl(k.fd, F_GET_SEALS) == (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL));
	CHECK(entries(&b, &k) == 1);
	CHECKF(strstr(k.command, "-O3 -march=native") && !strstr(k.command, "fast-math"), "%s", k.command);
	CHECK(strlen(k.sha256) == 64);
	close(k.fd);
	/* _GNU_SOURCE in the source works, although the forge's text comes before it. */
	k = build_text(&b, AY_LANG_C,
		       "#define _GNU_SOURCE\n#include <math.h>\n#pragma GCC diagnostic error \"-Wimplicit\"\n"
		       "void f(float *s, float *c) { sincosf(1, s, c); }\n" ONE);
	CHECKF(k.ok, "%s", k.log);
	close(k.fd);
	teardown(&b);
}

TEST(forge_builds_cxx)
{
	struct fixture b;
	struct ay_built k;

	setup(&b, "");
	if (!b.f.cxx)
		test_skip("no C++ compiler");
	k = build_text(&b, AY_LANG_CXX,
		       "#include <assay/kernel.h>\n#include <vector>\n#include <algorithm>\n"
		       "extern \"C\" int t_one(const ay_tensor *a, ay_tensor *out, const ay_ctx *)\n"
		       "{ std::vector<int> v(3); std::sort(v.begin(), v.end()); return v[0]; }\n");
	CHECKF(k.ok, "%s", k.log);
	if (k.ok)
		CHECK(entries(&b, &k) == 1);
	close(k.fd);
	k = build_text(&b, AY_LANG_CXX,
		       "#include <assay/kernel.h>\n"
		       "extern \"C\" int t_two(const ay_tensor *a, double b, ay_tensor *out, const ay_ctx *) { "
		       "return 0; }\n");
	CHECKF(!k.ok && strstr(k.log, "t_two") && strstr(k.log, "kernel.cc:2"), "%s", k.log);
	teardown(&b);
}

/* nvcc needs no GPU. What it builds loads without one, because its runtime opens the driver only
 * when it is first used. */
/* nvcc takes a second of a core for a file. */
TEST_SLOW(forge_builds_cuda)
{
	struct fixture b;
	struct ay_built k;

	setup(&b, "");
	if (!b.f.nvcc)
		test_skip("no nvcc");
	k = build_text(&b, AY_LANG_CU,
		       "static __global__ void f(float *y) { y[threadIdx.x] = 1; }\n"
		       "int t_one(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n"
		       "{ f<<<1, 32, 0, (cudaStream_t)ctx->stream>>>((float *)out->data); return AY_OK; }\n");
	CHECKF(k.ok && strstr(k.command, "-arch=sm_90"), "%s %s", k.command, k.log);
	if (k.ok)
		CHECK(entries(&b, &k) == 1);
	close(k.fd);
	k = build_text(&b, AY_LANG_CU,
		       "extern \"C\" int t_two(const ay_tensor *a, double b, ay_tensor *out, const ay_ctx *ctx) { "
		       "return 0; }\n");
	CHECKF(!k.ok && strstr(k.log, "t_two"), "%s", k.log);
	k = build_text(&b, AY_LANG_CU, "__global__ void f(float *y) { y[0] = nothing; }\n");
	CHECKF(!k.ok && strstr(k.log, "kernel.cu(1)"), "%s", k.log);
	teardown(&b);
}

TEST(forge_wrong_signature_is_the_compilers_error)
{
	struct fixture b;
	struct ay_built k;

	setup(&b, "");
	k = build_text(
		&b, AY_LANG_C,
		"#include <assay/kernel.h>\n"
		"int t_two(const ay_tensor *a, double b, ay_tensor *out, const ay_ctx *ctx) { return 0; }\n");
	CHECKF(!k.ok && k.fd < 0 && strstr(k.log, "t_two") && strstr(k.log, "kernel.c:2"), "%s", k.log);
	CHECKF(!strstr(k.log, "assay-forge"), "%s", k.log);
	teardown(&b);
}

TEST(forge_log_is_safe_to_print)
{
	struct fixture b;
	struct ay_built k;
	struct ay_str big = { 0 };

	setup(&b, "");
	k = build_text(&b, AY_LANG_C, "#error \x1b[31mred\x07\xff\n");
	CHECKF(!k.ok && strstr(k.log, "red") && !strchr(k.log, 0x1b) && !strchr(k.log, 0x07), "%s", k.log);
	for (int i = 0; i < 2000; i++)
		ay_str_addf(&big, "int a%d = no_such_%d;\n", i, i);
	ay_str_addf(&big, "#pragma message \"%0*d\"\n", 20000, 1);
	k = build_text(&b, AY_LANG_C, ay_str_text(&big));
	CHECKF(!k.ok && strlen(k.log) <= (8 << 10) + 20, "%zu", strlen(k.log));
	ay_str_release(&big);
	teardown(&b);
}

TEST(forge_stops_a_compiler)
{
	struct fixture b;
	struct ay_built k;
	static const char bomb[] = "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
				   "int v[] = { B(B(B(1,))) };\n";

	setup(&b, "");
	CHECK(!ay_forge_build(&b.f, &b.a, bomb, strlen(bomb), AY_LANG_C, 2, b.proto, 0.5, &k, &b.err));
	CHECKF(!k.ok && k.fd < 0 && k.log[0], "%s", k.log);
	CHECK(k.wall_s < 5);
	teardown(&b);
}

TEST(forge_caches)
{
	struct fixture b;
	struct ay_built k;
	char cmd[300];

	setup(&b, test_dir());
	k = build_text(&b, AY_LANG_C, ONE);
	CHECK(k.ok && !k.cached);
	close(k.fd);
	k = build_text(&b, AY_LANG_C, ONE);
	CHECK(k.ok && k.cached && entries(&b, &k) == 1);
	close(k.fd);
	k = build_text(&b, AY_LANG_C, ONE "\n");
	CHECK(k.ok && !k.cached);
	close(k.fd);
	/* A link is not followed: the object is built again and replaces the link. */
	snprintf(cmd, sizeof cmd, "cd %s && for f in *.so; do mv $f $f.old; ln -s $f.old $f; done", test_dir());
	CHECK(!system(cmd));
	k = build_text(&b, AY_LANG_C, ONE);
	CHECK(k.ok && !k.cached);
	close(k.fd);
	k = build_text(&b, AY_LANG_C, ONE);
	CHECK(k.ok && k.cached);
	close(k.fd);
	teardown(&b);
}

/* An object that was built elsewhere, without the forge's text. */
TEST(forge_takes_an_object)
{
	struct fixture b;
	struct ay_built k;
	struct ay_run_result res;
	char *so, *src = NULL, *data;
	size_t n;

	setup(&b, "");
	so = ay_sprintf(&b.a, "%s/own.so", test_dir());
	src = ay_sprintf(&b.a, "%s/own.c", test_dir());
	CHECK(!ay_file_write(src, "int t_one(void) { return 0; }\n", 30, &b.err));
	const char *argv[] = { b.f.cc, "-shared", "-fPIC", "-o", so, src, NULL };
	struct ay_run_spec spec = { .argv = argv, .timeout_s = 60, .output_max = 1000 };
	CHECK(!ay_process_run(&spec, &res, &b.err) && !res.status);
	ay_str_release(&res.output);
	if (ay_file_read(&b.a, so, 1 << 20, &data, &n, &b.err))
		test_skip("%s", b.err.msg);
	k = build(&b, AY_LANG_SO, data, n);
	CHECKF(k.ok, "%s", k.log);
	if (k.ok)
		CHECK(entries(&b, &k) == 1);
	close(k.fd);
	teardown(&b);
}

/* The example of docs/kernel-abi.md, unchanged. */
TEST(forge_documented_example_compiles)
{
	struct fixture b;
	struct ay_built k;
	struct ay_schema *s;
	struct ay_proto *p;
	char *doc, *from, *to;
	size_t n;

	setup(&b, "");
	if (ay_file_read(&b.a, "docs/kernel-abi.md", 1 << 20, &doc, &n, &b.err))
		test_skip("not run in the repository: %s", b.err.msg);
	from = strstr(doc, "```c\n#include <assay/kernel.h>");
	to = from ? strstr(from + 5, "```") : NULL;
	CHECK(from && to);
	CHECK(!ay_schema_parse(&b.a, "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
			       &s, &b.err));
	CHECK(!ay_proto_make(&b.a, s, &p, &b.err));
	b.proto[0] = p;
	if (from && to) {
		k = build(&b, AY_LANG_C, from + 5, (size_t)(to - from - 5));
		CHECKF(k.ok && !k.log[0] && entries(&b, &k) == 1, "%s", k.log);
		close(k.fd);
	}
	teardown(&b);
}

static const struct ay_kernel_header *header_named(const char *path)
{
	for (int i = 0; i < AY_NKERNEL_HEADERS; i++)
		if (!strcmp(ay_kernel_headers[i].path, path))
			return &ay_kernel_headers[i];
	return NULL;
}

/* What include/assay/ has is what the forge provides, word for word, and what docs/kernel-abi.md lists. */
TEST(forge_provides_every_header)
{
	struct fixture b = { 0 };
	struct dirent *e;
	char *doc, *text;
	size_t n;
	int found = 0;
	DIR *dir = opendir("include/assay");

	if (!dir || ay_file_read(&b.a, "docs/kernel-abi.md", 1 << 20, &doc, &n, &b.err))
		test_skip("not run in the repository: %s", b.err.msg);
	while ((e = readdir(dir))) {
		const struct ay_kernel_header *h = header_named(ay_sprintf(&b.a, "assay/%s", e->d_name));

		if (e->d_name[0] == '.')
			continue;
		found++;
		CHECKF(h, "no row in src/forge/headers.h: %s", e->d_name);
		CHECKF(strstr(doc, ay_sprintf(&b.a, "| `%s` |", e->d_name)), "not in docs/kernel-abi.md: %s",
		       e->d_name);
		CHECK(!ay_file_read(&b.a, ay_sprintf(&b.a, "include/assay/%s", e->d_name), 1 << 20, &text, &n,
				    &b.err));
		CHECKF(h && (size_t)(h->end - h->text) == n && !memcmp(h->text, text, n), "another text: %s",
		       e->d_name);
	}
	closedir(dir);
	CHECK(found == AY_NKERNEL_HEADERS);
	ay_arena_release(&b.a);
}

/* Each header compiles without another one before it, and without warnings; so do all of them with every compiler here. */
TEST_SLOW(forge_headers_stand_alone)
{
	static const char *const compilers[] = { "clang", "clang-14", "gcc" };
	struct fixture b;
	const char *all = "";

	setup(&b, "");
	for (int i = 0; i < AY_NKERNEL_HEADERS; i++) {
		const char *line = ay_sprintf(&b.a, "#include <%s>\n", ay_kernel_headers[i].path);
		struct ay_built k = build_text(&b, AY_LANG_C, ay_sprintf(&b.a, "%s%s", line, ONE));

		all = ay_sprintf(&b.a, "%s%s", line, all);
		CHECKF(k.ok && !k.log[0], "%s: %s", ay_kernel_headers[i].path, k.log);
		close(k.fd);
	}
	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
		struct ay_built k;

		b.f.cc = ay_file_program(&b.a, compilers[i]);
		if (!b.f.cc)
			continue;
		k = build_text(&b, AY_LANG_C, ay_sprintf(&b.a, "%s%s", all, ONE));
		CHECKF(k.ok && !k.log[0], "%s: %s", compilers[i], k.log);
		close(k.fd);
	}
	teardown(&b);
}

/* The example of docs/kernel-abi.md that uses helpers. */
TEST(forge_documented_helpers_compile)
{
	struct fixture b;
	struct ay_built k;
	struct ay_schema *s;
	struct ay_proto *p;
	char *doc, *from, *to;
	size_t n;

	setup(&b, "");
	if (ay_file_read(&b.a, "docs/kernel-abi.md", 1 << 20, &doc, &n, &b.err))
		test_skip("not run in the repository: %s", b.err.msg);
	from = strstr(doc, "```c\n#include <assay/kernel_elementwise.h>");
	to = from ? strstr(from + 5, "```") : NULL;
	CHECK(from && to);
	CHECK(!ay_schema_parse(&b.a, "aten::square(Tensor self) -> Tensor", &s, &b.err));
	CHECK(!ay_proto_make(&b.a, s, &p, &b.err));
	b.proto[0] = p;
	if (from && to) {
		k = build(&b, AY_LANG_C, from + 5, (size_t)(to - from - 5));
		CHECKF(k.ok && !k.log[0] && entries(&b, &k) == 1, "%s", k.log);
		close(k.fd);
	}
	teardown(&b);
}

TEST(forge_knows_languages)
{
	struct ay_err err = { 0 };
	enum ay_lang lang = AY_LANG_SO;

	CHECK(!ay_lang_of("a/b.c", &lang, &err) && lang == AY_LANG_C);
	CHECK(!ay_lang_of("b.cpp", &lang, &err) && lang == AY_LANG_CXX);
	CHECK(!ay_lang_of("b.so", &lang, &err) && lang == AY_LANG_SO);
	CHECK(ay_lang_of("b.rs", &lang, &err) && strstr(err.msg, ".cc"));
}

TEST(forge_compiler_by_name)
{
	struct ay_err err = { 0 };
	struct ay_forge f;

	setenv("ASSAY_CC", "no-such-compiler", 1);
	CHECK(ay_forge_init(&f, "", &err) && strstr(err.msg, "no-such-compiler"));
	ay_forge_release(&f);
	unsetenv("ASSAY_CC");
}
