/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the interpreter, and says what to do if there is none.
 */
#include "exec/python.h"

#include "base/file.h"
#include "base/process.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_S = 20 };

/* The state of a search; `seen`: the places it has looked at, for its message. */
struct search {
	struct ay_arena *a;
	struct ay_str seen;
	struct ay_python_choice *c;
};

static bool has_torch(struct ay_arena *a, const char *path)
{
	const char *const argv[] = { path, "-c",
				     "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)",
				     NULL };
	const struct ay_run_spec spec = {
		.argv = argv,
		.env = ay_python_environment(a),
		.dir = "/", /* not the user's folder, in which a folder `torch` may lie */
		.timeout_s = LOOK_S,
		.output_max = 1000
	};
	struct ay_run_result r = { 0 };
	struct ay_err ignored = { 0 };
	const bool yes = !ay_process_run(&spec, &r, &ignored) && !r.status && !r.timed_out;

	ay_str_release(&r.output);
	return yes;
}

/* Chooses the interpreter `path` if it exists and has torch. */
static bool try_path(struct search *s, const char *path, const char *why)
{
	if (access(path, X_OK))
		return false;
	ay_str_addf(&s->seen, "%s%s", s->seen.len ? ", " : "", path);
	if (!has_torch(s->a, path))
		return false;
	s->c->path = path;
	s->c->why = why;
	return true;
}

static bool try_active(struct search *s)
{
	const char *env = getenv("VIRTUAL_ENV");

	return env && env[0] == '/' && try_path(s, ay_sprintf(s->a, "%s/bin/python3", env), "in $VIRTUAL_ENV");
}

/* Returns true if venv/ may be used. If the program lies in a folder that all users can write to,
 * another user may have put venv/ there. So its owner must be root, the program's owner, or the
 * user. */
static bool is_trusted(const char *venv)
{
	struct stat v, program;

	return !stat(venv, &v) && (!v.st_uid || v.st_uid == geteuid() ||
				   (!stat("/proc/self/exe", &program) && v.st_uid == program.st_uid));
}

/* The interpreter of the folder venv beside this program, which `make torch` makes; NULL if there is none. */
static const char *find_beside(struct ay_arena *a)
{
	const char *venv = ay_file_beside(a, "venv"), *path;

	if (!venv || !is_trusted(venv))
		return NULL;
	path = ay_sprintf(a, "%s/bin/python3", venv);
	return access(path, X_OK) ? NULL : path;
}

static bool try_beside(struct search *s)
{
	const char *path = find_beside(s->a);

	return path && try_path(s, path, "in the folder venv beside this program");
}

static bool try_path_variable(struct search *s)
{
	for (const char *p = getenv("PATH"); p && *p; p += strcspn(p, ":"), p += *p == ':')
		if (*p == '/' && try_path(s, ay_sprintf(s->a, "%.*s/python3", (int)strcspn(p, ":"), p),
					  "the first python3 of $PATH that has torch"))
			return true;
	return false;
}

/* Returns an absolute path, because the interpreter is started in another folder. Links are not
 * resolved: a virtual environment is recognised by them. */
static const char *absolute(struct ay_arena *a, const char *path)
{
	char here[4096];

	if (path[0] == '/' || !getcwd(here, sizeof here))
		return path;
	if (strchr(path, '/'))
		return ay_sprintf(a, "%s/%s", here, path);
	for (const char *p = getenv("PATH"); p && *p; p += strcspn(p, ":"), p += *p == ':') {
		const char *there = ay_sprintf(a, "%.*s/%s", (int)strcspn(p, ":"), p, path);

		if (*p == '/' && !access(there, X_OK))
			return there;
	}
	return path;
}

/* --- what the user names -------------------------------------------------------------------------------------- */

static const char *wished(const char *wish)
{
	const char *env = getenv("ASSAY_PYTHON");

	return wish ? wish : env && env[0] ? env : NULL;
}

const char *ay_python_named(const char *wish)
{
	const char *word = wished(wish);

	return word && strcmp(word, "none") != 0 ? word : NULL;
}

bool ay_python_is_chosen(const struct ay_python *p)
{
	const char *word = wished(p->wish);
	struct ay_arena a = { 0 };
	bool beside;

	if (word)
		return strcmp(word, "none") != 0;
	beside = find_beside(&a) != NULL;
	ay_arena_release(&a);
	return beside;
}

static int choose_named(struct ay_arena *a, const char *word, struct ay_python_choice *c, struct ay_err *err)
{
	if (!strcmp(word, "none"))
		return ay_fail(err, AY_ERR_USAGE,
			       "Python is turned off ('none'): name an interpreter with torch to turn it on");
	c->path = word = absolute(a, word);
	if (access(word, X_OK))
		return ay_fail_errno(err, AY_ERR_USAGE, "cannot run the interpreter '%s'", word);
	return has_torch(a, word) ? 0
				  : ay_fail(err, AY_ERR_USAGE,
					    "'%s' has no torch: install it there, or name another interpreter "
					    "with --python",
					    word);
}

int ay_python_choose(struct ay_arena *a, const char *wish, struct ay_python_choice *c, struct ay_err *err)
{
	const char *word = wished(wish);
	struct search s = { .a = a, .c = c };

	*c = (struct ay_python_choice){ .named = ay_python_named(wish) != NULL };
	if (word) {
		c->why = wish ? "named with --python" : "named by $ASSAY_PYTHON";
		return choose_named(a, word, c, err);
	}
	if (try_active(&s) || try_beside(&s) || try_path_variable(&s)) {
		ay_str_release(&s.seen);
		return 0;
	}
	c->seen = s.seen.len ? ay_strdup(a, ay_str_text(&s.seen)) : "there is no python3 in $PATH";
	ay_str_release(&s.seen);
	return ay_fail(err, AY_ERR_USAGE,
		       "no python3 with torch was found (%s): get one with `%s`, or name one with --python",
		       c->seen, ay_python_get(a));
}

int ay_python_find(struct ay_arena *a, const char *wish, const char **path, struct ay_err *err)
{
	struct ay_python_choice c;
	const int rc = ay_python_choose(a, wish, &c, err);

	*path = c.path;
	return rc;
}

/* --- advice ------------------------------------------------------------------------------------------------- */

/* Returns "make torch" if the program lies in the folder build of assay's own tree; NULL if it was
 * installed. */
static const char *make_torch(struct ay_arena *a)
{
	char *root = ay_file_beside(a, ""), here[4096];
	struct ay_str b = { 0 };
	const char *command;
	size_t n;

	if (!root || (n = strlen(root)) <= strlen("/build/") ||
	    strcmp(root + n - strlen("/build/"), "/build/") != 0)
		return NULL;
	root[n - strlen("/build/")] = 0;
	if (!ay_file_exists(ay_sprintf(a, "%s/tools/venv.sh", root)))
		return NULL;
	if (getcwd(here, sizeof here) && !strcmp(here, root))
		return "make torch";
	ay_str_add(&b, "make -C ");
	ay_shell_word(&b, root);
	ay_str_add(&b, " torch");
	command = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return command;
}

const char *ay_python_get(struct ay_arena *a)
{
	const char *make = make_torch(a);

	return make ? make
		    : "python3 -m venv ~/assay-torch && ~/assay-torch/bin/pip install torch numpy && "
		      "export ASSAY_PYTHON=~/assay-torch/bin/python3";
}

const char *ay_python_mend(struct ay_arena *a, const char *path)
{
	const char *venv = ay_file_beside(a, "venv/"), *make = make_torch(a), *command;
	struct ay_str b = { 0 };

	if (venv && make && ay_starts(path, venv)) {
		ay_str_add(&b, "rm -r ");
		ay_shell_word(&b, venv);
		ay_str_addf(&b, " && %s", make);
	} else {
		ay_shell_word(&b, path);
		ay_str_add(&b, " -m pip install --force-reinstall torch");
	}
	command = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return command;
}
