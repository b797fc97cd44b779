/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline_select - finds, builds, loads and checks the baseline of a case: a library, another
 * kernel, or the reference.
 */
#include "judge/baseline_select.h"

#include "base/file.h"
#include "exec/launch.h"
#include "timing/baseline.h"
#include "timing/libtorch.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 4 << 20 };

static const double build_timeout_s = 120;

/* The library that replaces the origin of an operator on this machine: for the CPU, and for a
 * GPU. */
static const struct {
	const char *source, *library, *cuda;
} homes[] = { { "cublas", "openblas", "cublas" }, { "aten", "openblas", "cublas" } };

bool ay_perf_is_cuda(const struct ay_judge *j)
{
	return j->policy.device && j->policy.device->info.kind == AY_DEV_CUDA;
}

bool ay_perf_is_aten(const char *name)
{
	return !strcmp(name, "aten");
}

bool ay_perf_is_library(const char *name)
{
	if (ay_perf_is_aten(name))
		return true;
	for (const char *const *p = ay_baseline_names; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

int ay_perf_check_baseline(const char *baseline, struct ay_err *err)
{
	enum ay_lang lang;

	static const char *const words[] = { "auto", "reference", "none", "ref" };

	for (size_t i = 0; baseline && i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i], baseline))
			return 0;
	if (!baseline || ay_perf_is_library(baseline))
		return 0;
	if (ay_file_exists(baseline))
		return ay_lang_of(baseline, &lang, err);
	return ay_fail(
		err, AY_ERR_USAGE,
		"--baseline is auto, reference, ref, aten, openblas, cublas, none or a kernel's file; there is "
		"no file '%s'",
		baseline);
}

void ay_perf_drop_base(struct ay_perf *k)
{
	int *const fd[] = { &k->base_fd, &k->timed_fd, &k->least_fd };

	if (k->base_schema) {
		ay_judge_release(&k->base);
		for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
			if (*fd[i] >= 0)
				close(*fd[i]);
	}
	k->base_schema = NULL;
	k->base_about = NULL;
	k->base_folders = NULL;
	k->base_fd = k->timed_fd = k->least_fd = -1;
}

/* Lists every function of the operator's file that the baseline may define, in k->arena. Returns
 * their number, or -1 if assay failed. */
static int list_protos(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		       const struct ay_proto ***out, struct ay_err *err)
{
	int n = 0, most = 0;

	for (int i = 0; i < j->registry->n; i++)
		most += strcmp(j->registry->op[i].path, sc->op->path) ? 0 : j->registry->op[i].nschema;
	*out = AY_NEW_N(&k->arena, const struct ay_proto *, most + 1);
	for (int i = 0; i < j->registry->n; i++) {
		const struct ay_entry_op *e = &j->registry->op[i];

		for (int s = 0; s < e->nschema && !strcmp(e->path, sc->op->path); s++) {
			struct ay_proto *p;

			if (ay_proto_make(&k->arena, e->schema[s], &p, err))
				return -1;
			(*out)[n++] = p;
		}
	}
	return n;
}

/* Loads the baseline in k->base_fd and k->base_about. If that fails, k->why says so. */
static int load(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc, struct ay_err *err)
{
	struct ay_policy policy = j->policy;
	struct ay_report rep;
	bool derived;

	policy.torch_own = k->base_about && k->base_fd < 0;
	policy.spare = policy.torch_own ? j->policy.spare_base : NULL;
	k->base_schema = sc->schema;
	policy.folders = k->timed_fd >= 0 ? ay_libtorch_folders(&k->arena, j->policy.python->folders)
					  : k->base_folders;
	if (ay_judge_init(&k->base, j->registry, &policy, k->base_fd, k->base_about, &k->arena, &rep, err))
		return -1;
	if (rep.verdict != AY_VERDICT_NONE)
		k->why = "the baseline cannot be loaded";
	else if (!ay_judge_has(&k->base, sc->schema, &derived))
		k->why = "the baseline has no function for this overload";
	return 0;
}

/* Returns false if no interpreter starts; k->why says why. */
static bool has_interpreter(struct ay_perf *k, struct ay_python *python)
{
	struct ay_err no = { 0 };

	if (!python)
		k->why = "there is no interpreter for the baseline";
	else if (ay_python_open(python, &no))
		k->why = ay_strdup(&k->arena, no.msg);
	return !k->why;
}

/* Takes a kernel in Python, or torch's own functions, as the baseline. If the interpreter does not
 * start, k->why says why. */
static int take_python(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		       const char *source, size_t len, struct ay_err *err)
{
	const struct ay_proto **protos;
	const int n = list_protos(k, j, sc, &protos, err);
	struct ay_python *python = j->policy.python;

	if (n < 0)
		return -1;
	if (!has_interpreter(k, python))
		return 0;
	k->base_fd = source ? ay_launch_memfd("assay-baseline", source, len, 0) : -1;
	if (source && k->base_fd < 0)
		return ay_fail_errno(err, AY_ERR_EXEC, "cannot hand over the baseline");
	if (!source) /* how torch is called: see docs/timing.md */
		k->version = ay_sprintf(&k->arena, "%s (python)", python->torch);
	k->base_about = ay_python_about(&k->arena, &(struct ay_python_kernel){ .file = k->name,
									       .backend = source ? NULL : "aten",
									       .use = AY_TORCH_ALL,
									       .n = n,
									       .proto = protos });
	return load(k, j, sc, err);
}

static bool is_own(const struct ay_judge *j, const struct ay_entry_op *op)
{
	return j->policy.ref_fd > 0 && op->op[0]->flags & AY_OWN;
}

/* Takes the user's own reference as the baseline. It runs unchanged in a jail, like any kernel in
 * Python. */
static int take_own(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		    struct ay_err *err)
{
	const struct ay_proto **protos;
	int n;

	if (!is_own(j, sc->op)) {
		k->why = "the operator is not that of --ref";
		return 0;
	}
	k->name = ay_strdup(&k->arena, ay_file_basename(j->policy.ref_file));
	n = list_protos(k, j, sc, &protos, err);
	if (n < 0)
		return -1;
	if (!has_interpreter(k, j->policy.python))
		return 0;
	k->base_fd = fcntl(j->policy.ref_fd, F_DUPFD_CLOEXEC, 0);
	if (k->base_fd < 0)
		return ay_fail_errno(err, AY_ERR_EXEC, "cannot hand over the reference");
	k->base_about = ay_python_about(
		&k->arena,
		&(struct ay_python_kernel){
			.file = k->name, .use = AY_TORCH_ALL, .function = "reference", .n = n, .proto = protos });
	return load(k, j, sc, err);
}

/* Builds one object that calls ATen's function. *fd is -1 without an error if it does not
 * compile. */
static int build_libtorch(struct ay_perf *k, const struct ay_judge *j, const struct ay_proto *p,
			  enum ay_libtorch what, int *fd, struct ay_err *err)
{
	const char *library = j->policy.python->library;
	const char *source = ay_libtorch_source(&k->arena, p, what, library,
						ay_perf_is_cuda(j) ? ay_libtorch_cuda(&k->arena, library) : NULL);
	struct ay_built b = { .fd = -1 };
	int rc = ay_forge_build(k->forge, &k->arena, source, strlen(source), AY_LANG_C, 1, &p, build_timeout_s, &b,
				err);

	*fd = rc || !b.ok ? -1 : b.fd;
	return rc;
}

/* Takes torch's own function as the baseline, called from C like the kernel. */
static int take_libtorch(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
			 struct ay_err *err)
{
	struct ay_proto *p;

	k->base_schema = sc->schema; /* the built objects are released with it */
	if (ay_proto_make(&k->arena, sc->schema, &p, err) ||
	    build_libtorch(k, j, p, AY_LIBTORCH_JUDGED, &k->base_fd, err) ||
	    build_libtorch(k, j, p, AY_LIBTORCH_TIMED, &k->timed_fd, err) ||
	    build_libtorch(k, j, p, AY_LIBTORCH_LEAST, &k->least_fd, err))
		return -1;
	if (k->base_fd < 0 || k->timed_fd < 0 || k->least_fd < 0) {
		k->why = "the baseline does not compile";
		return 0;
	}
	k->version = ay_sprintf(&k->arena, "%s (C ABI)", j->policy.python->torch);
	return load(k, j, sc, err);
}

static int take_aten(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		     struct ay_err *err)
{
	/* the interpreter knows where torch is installed */
	if (!has_interpreter(k, j->policy.python))
		return 0;
	if (ay_perf_is_cuda(j) && j->policy.python->library &&
	    !ay_libtorch_cuda(&k->arena, j->policy.python->library)) {
		k->why = ay_sprintf(&k->arena, "torch %s has no CUDA", j->policy.python->torch);
		return 0;
	}
	if (j->kernel.about || !j->policy.python->library || !ay_libtorch_takes(sc->schema))
		return take_python(k, j, sc, NULL, 0, err);
	return take_libtorch(k, j, sc, err);
}

/* Builds a kernel from source and takes it as the baseline. If that fails, k->why says so. */
static int take_kernel(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		       const char *source, size_t len, enum ay_lang lang, struct ay_err *err)
{
	struct ay_built b = { .fd = -1 };
	const struct ay_proto **protos;
	int n;

	if (lang == AY_LANG_PY)
		return take_python(k, j, sc, source, len, err);
	n = list_protos(k, j, sc, &protos, err);
	if (n < 0 || ay_forge_build(k->forge, &k->arena, source, len, lang, n, protos, build_timeout_s, &b, err))
		return -1;
	if (!b.ok) {
		k->why = "the baseline does not compile";
		return 0;
	}
	k->base_fd = b.fd;
	k->base_about = NULL;
	return load(k, j, sc, err);
}

/* Returns why baseline and kernel do not run on the same kind of device; NULL: they do. */
static const char *wrong_place(const struct ay_judge *j, bool cuda)
{
	if (cuda == ay_perf_is_cuda(j))
		return NULL;
	return cuda ? "the baseline is for GPUs, and the kernel runs on the processor"
		    : "the baseline is for the processor, and the kernel runs on a GPU";
}

static int take_file(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		     struct ay_err *err)
{
	enum ay_lang lang;
	char *source;
	size_t len;

	if (ay_file_read(&k->arena, k->policy.baseline, SOURCE_MAX, &source, &len, err) ||
	    ay_lang_of(k->policy.baseline, &lang, err))
		return -1;
	k->name = ay_strdup(&k->arena, ay_file_basename(k->policy.baseline));
	/* other languages run on both */
	if (lang == AY_LANG_C || lang == AY_LANG_CXX || lang == AY_LANG_CU)
		k->why = wrong_place(j, lang == AY_LANG_CU);
	return k->why ? 0 : take_kernel(k, j, sc, source, len, lang, err);
}

/* Returns an interpreter whose torch may have brought CUDA's libraries; NULL: none. Imports
 * nothing. */
static const char *interpreter_of(struct ay_perf *k, const struct ay_judge *j)
{
	struct ay_err ignored = { 0 };
	const char *path;

	if (!j->policy.python || ay_python_find(&k->arena, j->policy.python->wish, &path, &ignored))
		return NULL;
	return path;
}

static int take_library(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
			const char *library, struct ay_err *err)
{
	struct ay_baseline b;

	k->name = library;
	if (ay_perf_is_aten(library))
		return take_aten(k, j, sc, err);
	k->why = wrong_place(j, ay_baseline_is_cuda(library));
	if (k->why)
		return 0;
	if (ay_baseline_find(library, j->registry, sc->schema, ay_perf_is_cuda(j) ? interpreter_of(k, j) : NULL,
			     &k->arena, &b, err))
		return -1;
	k->name = b.name;
	k->version = b.version;
	k->why = b.why;
	k->base_folders = b.folders;
	return b.source ? take_kernel(k, j, sc, b.source, b.len, AY_LANG_C, err) : 0;
}

/* Returns true if torch may be used as a baseline. Importing torch takes seconds, so a kernel in C
 * uses it only if the user has chosen an interpreter. */
static bool has_torch(const struct ay_judge *j)
{
	return j->policy.python && (j->kernel.about || ay_python_is_chosen(j->policy.python));
}

static const char *home_of(const struct ay_judge *j, const struct ay_entry_op *op)
{
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
		if (!strcmp(homes[i].source, ay_entry_source(op)))
			return ay_perf_is_cuda(j) ? homes[i].cuda : homes[i].library;
	return NULL;
}

/* Returns true if the operator has a reference that can be timed. For an operator outside the
 * catalogue, the stored answer was computed by ATen and took no time here. */
static bool has_reference(const struct ay_entry_op *op)
{
	return op->op[0]->reference && !(op->op[0]->flags & AY_UNCATALOGUED);
}

/* Takes the reference as the baseline. Random operators have none that can be timed. */
static enum ay_baseline_kind take_reference(struct ay_perf *k, const struct ay_suite_case *sc)
{
	ay_perf_drop_base(k);
	k->name = "reference";
	k->version = NULL;
	k->why = has_reference(sc->op) ? NULL
		 : sc->op->op[0]->flags & AY_UNCATALOGUED
			 ? "an operator outside the catalogue has no reference to time"
			 : "a random operator has no reference to time";
	return k->why ? AY_BASELINE_NONE : AY_BASELINE_REFERENCE;
}

static int take_home(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		     struct ay_err *err)
{
	const char *home = home_of(j, sc->op);

	if (!strcmp(sc->schema->ns, "aten") && has_torch(j)) {
		if (take_library(k, j, sc, "aten", err))
			return -1;
		if (!k->why || !home)
			return 0;
		ay_perf_drop_base(k);
		k->name = k->version = k->why = NULL;
	}
	if (home)
		return take_library(k, j, sc, home, err);
	if (is_own(j, sc->op))
		return take_own(k, j, sc, err);
	k->why = "no library has this operator";
	return 0;
}

int ay_perf_choose(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		   enum ay_baseline_kind *against, struct ay_err *err)
{
	const char *want = k->policy.baseline ? k->policy.baseline : "auto";
	const bool automatic = !strcmp(want, "auto");
	int rc = 0;

	*against = AY_BASELINE_NONE;
	if (!strcmp(want, "none")) {
		k->name = NULL;
		return 0;
	}
	if (!strcmp(want, "reference")) {
		*against = take_reference(k, sc);
		return 0;
	}
	if (k->base_schema != sc->schema) {
		ay_perf_drop_base(k);
		k->name = k->version = k->why = NULL;
		rc = automatic                  ? take_home(k, j, sc, err)
		     : !strcmp(want, "ref")     ? take_own(k, j, sc, err)
		     : ay_perf_is_library(want) ? take_library(k, j, sc, want, err)
						: take_file(k, j, sc, err);
	}
	if (!rc && !k->why)
		*against = AY_BASELINE_KERNEL;
	else if (!rc && automatic)
		*against = take_reference(k, sc);
	return rc;
}

/* A wrong baseline may be fast for the same reason. */
int ay_perf_trust(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		  enum ay_baseline_kind *against, const char **why, struct ay_err *err)
{
	struct ay_report rep;

	/* both are torch's own functions, which have just passed */
	if (*against != AY_BASELINE_KERNEL || (ay_judge_is_built_in(j) && ay_judge_is_built_in(&k->base)))
		return 0;
	if (ay_judge_case(&k->base, sc, a, &rep, err))
		return -1;
	if (rep.verdict == AY_VERDICT_PASS || rep.verdict == AY_VERDICT_WEAK_CASE)
		return 0;
	if ((!k->policy.baseline || !strcmp(k->policy.baseline, "auto")) && has_reference(sc->op)) {
		*against = AY_BASELINE_REFERENCE;
		return 0;
	}
	*against = AY_BASELINE_NONE;
	*why = ay_sprintf(a, "the baseline gets %s on this case", ay_verdict_name(rep.verdict));
	return 0;
}
