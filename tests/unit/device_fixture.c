/* SPDX-License-Identifier: Apache-2.0 */
#include "device_fixture.h"
#include "base/file.h"
#include "helpers.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- a command in its own process --- */

static _Noreturn void be_assay(rig_command run, const struct device_fault *fault, int argc, const char **argv)
{
	struct ay_registry registry;
	struct ay_arena arena = { 0 };
	struct ay_err err = { 0 };
	struct app app = { .registry = &registry, .arena = &arena, .version = "test", .fault = fault };
	int status = 2;

	setenv("XDG_CACHE_HOME", help_cache(), 1);
	if (!ay_registry_init(&registry, ay_op_files, &err))
		status = run(&app, argc, argv, &err);
	if (err.code) {
		fflush(stdout);
		fprintf(stderr, "assay: %s\n", err.msg);
		status = 2;
	}
	fflush(stdout);
	_exit(status);
}

int rig_run(struct ay_arena *a, rig_command cmd, const struct device_fault *fault, const char *args,
	    const char *in, char **out)
{
	char *words = ay_strdup(a, args), *path = ay_sprintf(a, "%s/out", test_dir());
	const char *argv[40];
	struct ay_err err = { 0 };
	int argc = 0, status = 0;
	size_t len;
	pid_t pid;

	for (char *w = strtok_r(words, " ", &words); w && argc < 40; w = strtok_r(NULL, " ", &words))
		argv[argc++] = w;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int from = open(in ? in : "/dev/null", O_RDONLY),
		    to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		if (from < 0 || to < 0 || dup2(from, 0) || dup2(to, 1) != 1 || dup2(to, 2) != 2)
			_exit(99);
		be_assay(cmd, fault, argc, argv);
	}
	waitpid(pid, &status, 0);
	if (ay_file_read(a, path, 16 << 20, out, &len, &err))
		*out = "";
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- what a run has --------------------------------------------------------------------------- */

static int device_of(const json_t *rec)
{
	const char *s = json_string_value(json_object_get(rec, "device")), *colon = s ? strchr(s, ':') : NULL;

	return colon ? atoi(colon + 1) % RIG_DEVICES : 0;
}

static void add_one(struct rig_found *f, const json_t *rec, bool is_case, const bool *gone, json_t *first)
{
	const char *sha = json_string_value(json_object_get(rec, "kernel_sha256")),
		   *file = json_string_value(json_object_get(rec, "file")),
		   *op = json_string_value(json_object_get(rec, "operator"));
	struct ay_arena a = { 0 };
	const char *whose = ay_sprintf(&a, "%s %s %s", sha ? sha : "", file ? file : "", file ? "" : op);
	const char *key = ay_sprintf(&a, "%s %s", whose,
				     is_case ? json_string_value(json_object_get(rec, "case")) : "kernel");

	f->twice += json_object_get(f->verdict, key) != NULL;
	json_object_set(f->verdict, key, json_object_get(rec, "verdict"));
	f->after += gone[device_of(rec)];
	f->cases += is_case;
	f->kernels += !is_case;
	if (is_case) {
		json_t *was = json_object_get(first, whose);

		f->on[device_of(rec)]++;
		if (was && json_integer_value(was) != device_of(rec) && json_integer_value(was) >= 0) {
			f->split++;
			json_object_set_new(first, whose, json_integer(-1));
		} else if (!was) {
			json_object_set_new(first, whose, json_integer(device_of(rec)));
		}
	}
	ay_arena_release(&a);
}

struct rig_found rig_look(struct ay_arena *a, const char *dir)
{
	struct rig_found f = { .verdict = json_object() };
	bool gone[RIG_DEVICES] = { false };
	json_t *first = json_object();
	struct ay_err err = { 0 };
	char *text = "", *at;
	size_t len;

	CHECKF(!ay_file_read(a, ay_sprintf(a, "%s/results.jsonl", dir), 64 << 20, &text, &len, &err), "%s",
	       err.msg);
	for (char *line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		json_t *rec = json_loads(line, 0, NULL);
		const char *type = json_string_value(json_object_get(rec, "type"));

		CHECKF(type, "torn: %s", line);
		if (type && (!strcmp(type, "case") || !strcmp(type, "kernel"))) {
			add_one(&f, rec, !strcmp(type, "case"), gone, first);
		} else if (type && !strcmp(type, "attempt")) {
			f.tried += (int)json_integer_value(json_object_get(rec, "cases"));
			f.passed += (int)json_integer_value(json_object_get(rec, "passed"));
		} else if (type && !strcmp(type, "error")) {
			f.errors++;
			f.error = json_incref(json_object_get(rec, "error"));
		} else if (type && !strcmp(type, "device")) {
			f.lost++;
			gone[device_of(rec)] = true;
		}
		json_decref(rec);
	}
	json_decref(first);
	return f;
}

void rig_check_whole(const struct rig_found *f, const struct rig_found *whole)
{
	CHECKF(f->cases == whole->cases && f->kernels == whole->kernels, "%d cases of %d kernels, not %d of %d",
	       f->cases, f->kernels, whole->cases, whole->kernels);
	CHECKF(!f->twice, "%d are there twice", f->twice);
	CHECKF(!f->after, "%d are of a device that was taken out before", f->after);
	CHECK(json_equal(f->verdict, whole->verdict));
}
