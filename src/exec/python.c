/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/python.h"

#include "base/json.h"
#include "base/pack.h"
#include "base/process.h"
#include "base/str.h"
#include "exec/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const uint8_t ay_embedded_python[], ay_embedded_python_end[], ay_embedded_pack[], ay_embedded_pack_end[];

enum {
	IMPORT_S = 300, /* a cold disk may have to read a gigabyte */
	LOOK_S = 20,
	VERSION_MAX = 60,
	NOT_THERE = 3, /* exit status of version_look */
	HELLO_MAX = 64 << 10,
	FD_FAR = 3,
	FD_EXTENSION = 5,
	FDS = 6,
	FDS_MAX = 16,
	ARGS_MAX = 32,
	WORDS = 2000, /* bytes of error output that are read of an interpreter that failed */
};

const char ay_python_boot[] =
	"import importlib, importlib.util, os, sys\n"
	"pack, at, sources = os.pread(4, 1 << 26, 0), 0, {'assay': b''}\n"
	"os.close(4)\n"
	"while at < len(pack):\n"
	"    end = pack.index(b'\\n', at)\n"
	"    name, size = pack[at:end].decode().split()\n"
	"    at = end + 1 + int(size)\n"
	"    sources[name] = pack[end + 1:at]\n"
	"class Pack:\n"
	"    def find_spec(self, name, path=None, target=None):\n"
	"        if name in sources:\n"
	"            return importlib.util.spec_from_loader(name, self, is_package=name == 'assay')\n"
	"    def create_module(self, spec):\n"
	"        return None\n"
	"    def exec_module(self, module):\n"
	"        text = self.get_source(module.__name__)\n"
	"        exec(compile(text, module.__name__ + '.py', 'exec'), module.__dict__)\n"
	"    def get_source(self, name):\n"
	"        return sources[name].decode()\n"
	"sys.meta_path.insert(0, Pack())\n"
	"sys.dont_write_bytecode = True\n"
	"importlib.import_module(sys.argv[1]).main(sys.argv[2:])\n";

int ay_python_pack(struct ay_err *err)
{
	int fd = ay_launch_memfd("assay-pack", ay_embedded_pack, (size_t)(ay_embedded_pack_end - ay_embedded_pack),
				 0);

	return fd < 0 ? ay_fail_errno(err, AY_ERR_EXEC, "cannot set up an interpreter") : fd;
}

/* --- a child with an interpreter -------------------------------------------------------------------------- */

/* Starts a child. fd[i] becomes descriptor i; -1: /dev/null. */
static pid_t start(const char *path, char *const *argv, const char *const *env, const int *fd, int nfd)
{
	int high[FDS_MAX];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < nfd; i++)
		high[i] = fd[i] < 0 ? open("/dev/null", O_RDWR) : fcntl(fd[i], F_DUPFD, 64);
	for (int i = 0; i < nfd; i++)
		if (dup2(high[i], i) < 0)
			_exit(127);
	syscall(SYS_close_range, nfd, ~0U, 0);
	if (!chdir("/"))
		execve(path, argv, (char *const *)env);
	_exit(127);
}

/* --- a program of assay's --------------------------------------------------------------------------------- */

const char *ay_python_last_words(struct ay_arena *a, int fd)
{
	char buf[WORDS + 1];
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n = end <= 0 ? 0 : pread(fd, buf, WORDS, end > WORDS ? end - WORDS : 0);
	struct ay_str b = { 0 };
	const char *s;

	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n > 0 ? n : 0] = 0;
	s = strrchr(buf, '\n');
	s = s ? s + 1 : buf;
	ay_str_add_safe(&b, s, strlen(s), 300);
	s = ay_strdup(a, b.len ? ay_str_text(&b) : "it gives no reason");
	ay_str_release(&b);
	return s;
}

pid_t ay_python_start(const char *path, const char *const *args, const int *fd, int n, struct ay_err *err)
{
	const char *argv[ARGS_MAX] = { path, "-c", ay_python_boot };
	const int pack = ay_python_pack(err);
	int all[FDS_MAX];
	struct ay_arena a = { 0 };
	pid_t pid;

	if (pack < 0)
		return -1;
	AY_ASSERT(n <= FDS_MAX);
	for (int i = 0; i < FDS_MAX; i++)
		all[i] = i == AY_PYTHON_PACK ? pack : i < n ? fd[i] : -1;
	for (int i = 0; args[i]; i++) {
		AY_ASSERT(i + 4 < ARGS_MAX);
		argv[i + 3] = args[i];
	}
	pid = start(path, (char *const *)argv, ay_python_environment(&a), all,
		    n > AY_PYTHON_PACK ? n : AY_PYTHON_PACK + 1);
	if (pid < 0)
		ay_fail_errno(err, AY_ERR_EXEC, "cannot start '%s'", path);
	close(pack);
	ay_arena_release(&a);
	return pid;
}

const char *ay_python_source(const char *module, size_t *len)
{
	return ay_pack_find((const char *)ay_embedded_pack, (const char *)ay_embedded_pack_end, module, len);
}

/* Waits for the child and returns its status as waitpid gives it. Kills it at the deadline and sets
 * *late. */
static int wait_for(pid_t pid, double timeout_s, bool *late)
{
	const int64_t deadline = ay_now_ns() + (int64_t)(timeout_s * 1e9);
	int status = 0;

	*late = false;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (ay_now_ns() > deadline && !*late) {
			*late = true;
			kill(pid, SIGKILL);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
	return status;
}

int ay_python_program(const char *path, const char *const *args, int out, double timeout_s, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	const int words = memfd_create("assay-words", MFD_CLOEXEC);
	pid_t pid;
	bool late;
	int rc = -1;

	if (access(path, X_OK))
		return ay_fail_errno(err, AY_ERR_USAGE, "cannot run the interpreter '%s'", path);
	pid = words < 0 ? -1 : ay_python_start(path, args, (const int[]){ -1, out, words }, 3, err);
	if (pid > 0) {
		rc = wait_for(pid, timeout_s, &late) ? -1 : 0;
		if (rc)
			ay_fail(err, AY_ERR_EXEC, "%s",
				late ? "it took too long" : ay_python_last_words(&a, words));
	} else if (!err->code) {
		ay_fail_errno(err, AY_ERR_EXEC, "cannot start '%s'", path);
	}
	if (words >= 0)
		close(words);
	ay_arena_release(&a);
	return rc;
}

const char *ay_python_output(struct ay_arena *a, const char *path, const char *module, const char *arg,
			     size_t *len, struct ay_err *err)
{
	const char *const args[] = { module, arg, NULL };
	int out = memfd_create("assay-output", MFD_CLOEXEC);
	char *text = NULL;
	off_t n;

	if (out < 0) {
		ay_fail_errno(err, AY_ERR_EXEC, "cannot start '%s'", path);
	} else if (ay_python_program(path, args, out, IMPORT_S, err)) {
		ay_err_prefix(err, "%s, %s", path, module);
	} else {
		n = lseek(out, 0, SEEK_END);
		text = ay_alloc(a, (size_t)n + 1);
		*len = n > 0 && pread(out, text, (size_t)n, 0) == n ? (size_t)n : 0;
		text[*len] = 0;
	}
	if (out >= 0)
		close(out);
	return text;
}

/* --- its packages ------------------------------------------------------------------------------------------ */

/* Reads the package's files that state its version, without importing it. */
static const char version_look[] =
	"import importlib.metadata as m, importlib.util as u, os, re, sys\n"
	"s = u.find_spec(sys.argv[1])\n"
	"if not s: sys.exit(3)\n"
	"for d in s.submodule_search_locations or []:\n"
	"    for f in ('version.py', '_version.py', '__init__.py'):\n"
	"        p = os.path.join(d, f)\n"
	"        t = open(p, errors='replace').read() if os.path.isfile(p) else ''\n"
	"        found = re.search(r'^(?:__version__|version)\\b[^\\'\"\\n]*= *[\\'\"]([^\\'\"\\n]+)', t, re.M)\n"
	"        if found: sys.exit(print(found[1]))\n"
	"try: print(m.version(sys.argv[1]))\n"
	"except m.PackageNotFoundError: print('of no known version')\n";

int ay_python_version(struct ay_arena *a, const char *path, const char *package, const char **version,
		      struct ay_err *err)
{
	const char *const argv[] = { path, "-c", version_look, package, NULL };
	const struct ay_run_spec spec = {
		.argv = argv, .env = ay_python_environment(a), .dir = "/", .timeout_s = LOOK_S, .output_max = 1000
	};
	struct ay_run_result r = { 0 };
	struct ay_str b = { 0 };
	int rc = ay_process_run(&spec, &r, err);

	*version = NULL;
	if (!rc && !r.timed_out && !r.status) {
		ay_str_add_safe(&b, ay_str_text(&r.output), strcspn(ay_str_text(&r.output), "\n"), VERSION_MAX);
		*version = ay_strdup(a, ay_str_text(&b));
	} else if (!rc && (r.timed_out || r.status != NOT_THERE)) {
		rc = ay_fail(err, AY_ERR_EXEC, "'%s' does not say which version of %s it has", path, package);
	}
	ay_str_release(&b);
	ay_str_release(&r.output);
	return rc;
}

/* --- the zygote ------------------------------------------------------------------------------------------- */

static const char *text_of(struct ay_arena *a, const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? ay_strdup(a, s) : NULL;
}

static int read_hello(struct ay_python *p, const char *text, size_t n, struct ay_err *err)
{
	json_t *o = json_loadb(text, n, 0, NULL), *folders = json_object_get(o, "folders"), *f;
	const char **list = AY_NEW_N(&p->arena, const char *, json_array_size(folders) + 1);
	size_t i;

	p->version = text_of(&p->arena, o, "python");
	p->torch = text_of(&p->arena, o, "torch");
	p->triton = text_of(&p->arena, o, "triton");
	p->library = text_of(&p->arena, o, "library");
	json_array_foreach(folders, i, f)
		list[i] = ay_strdup(&p->arena, json_is_string(f) ? json_string_value(f) : "/");
	p->folders = list;
	json_decref(o);
	if (!p->version || !p->torch)
		return ay_fail(err, AY_ERR_EXEC, "%s said something else than hello", p->path);
	return 0;
}

static int hear_hello(struct ay_python *p, int words, struct ay_err *err)
{
	struct pollfd f = { .fd = p->far.sock, .events = POLLIN };
	char *buf = ay_alloc(&p->arena, HELLO_MAX);
	ssize_t n = -1;

	if (poll(&f, 1, IMPORT_S * 1000) > 0)
		n = recv(p->far.sock, buf, HELLO_MAX, 0);
	if (n > 0)
		return read_hello(p, buf, (size_t)n, err);
	return ay_fail(
		err, AY_ERR_EXEC,
		"%s cannot be made ready for kernels: %s (put its torch in order with `%s`, or name another "
		"interpreter with --python)",
		p->path, f.revents ? ay_python_last_words(&p->arena, words) : "importing torch takes too long",
		ay_python_mend(&p->arena, p->path));
}

static int start_template(struct ay_python *p, struct ay_err *err)
{
	char *const argv[] = { (char *)p->path, "-c", (char *)ay_python_boot, "assay.boot", NULL };
	int sock[2], pack = ay_python_pack(err), rc = -1;
	int so = ay_launch_memfd("assay-python", ay_embedded_python,
				 (size_t)(ay_embedded_python_end - ay_embedded_python), 0);
	int words = memfd_create("assay-words", MFD_CLOEXEC);

	if (pack >= 0 && so >= 0 && words >= 0 && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock)) {
		const int fd[] = {
			-1, -1, words, [FD_FAR] = sock[1], [AY_PYTHON_PACK] = pack, [FD_EXTENSION] = so
		};

		p->far.sock = sock[0];
		p->pid = start(p->path, argv, ay_python_template_environment(p), fd, FDS);
		close(sock[1]);
		rc = p->pid > 0 ? hear_hello(p, words, err) : -1;
	}
	if (rc && !err->code)
		ay_fail_errno(err, AY_ERR_EXEC, "cannot start '%s'", p->path);
	if (pack >= 0)
		close(pack);
	if (so >= 0)
		close(so);
	if (words >= 0)
		close(words);
	return rc;
}

/* Returns true if the zygote has ended, for example killed for memory. It has no state that could
 * be lost. */
static bool has_ended(const struct ay_python *p)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == p->pid;
}

int ay_python_open(struct ay_python *p, struct ay_err *err)
{
	const char *path;

	if (p->owner == getpid() && !has_ended(p))
		return 0;
	ay_python_close(p);
	*p = (struct ay_python){ .wish = p->wish, .device = p->device, .owner = getpid(), .far = { .sock = -1 } };
	pthread_mutex_init(&p->far.lock, NULL);
	if (ay_embedded_python_end - ay_embedded_python == 0) {
		ay_fail(err, AY_ERR_EXEC,
			"this assay was built without Python's headers: install python3-dev and build it again");
	} else if (!ay_python_find(&p->arena, p->wish, &path, err)) {
		p->path = path;
		if (!start_template(p, err))
			return 0;
	}
	ay_python_close(p);
	return -1;
}

void ay_python_close(struct ay_python *p)
{
	if (p->owner != getpid())
		return;
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->far.sock >= 0)
		close(p->far.sock);
	pthread_mutex_destroy(&p->far.lock);
	ay_arena_release(&p->arena);
	*p = (struct ay_python){ .wish = p->wish, .device = p->device };
}

/* --- the description of a kernel --------------------------------------------------------------------------- */

static const char *const uses[] = {
	[AY_TORCH_ALL] = "all", [AY_TORCH_HELPERS] = "helpers", [AY_TORCH_NONE] = "none"
};

int ay_torch_use_find(const char *word, enum ay_torch_use *use, struct ay_err *err)
{
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		if (!strcmp(word, uses[i])) {
			*use = (enum ay_torch_use)i;
			return 0;
		}
	}
	return ay_fail(err, AY_ERR_USAGE, "'%s': how much of torch a kernel may call is one of none, helpers, all",
		       word);
}

const char *ay_torch_use_name(enum ay_torch_use use)
{
	return uses[use];
}

/* Returns the names under which a file may define the function: those of KernelGenBench and
 * BackendBench, and the C symbol. */
static json_t *names_of(struct ay_arena *a, const struct ay_python_kernel *k, const struct ay_proto *p)
{
	const struct ay_schema *s = p->s;
	const bool plain = !s->overload[0];
	json_t *list = json_array();

	if (k->function) {
		json_array_append_new(list, json_string(k->function));
		return list;
	}
	json_array_append_new(list, json_string(plain ? s->base : ay_sprintf(a, "%s_%s", s->base, s->overload)));
	json_array_append_new(
		list, json_string(ay_sprintf(a, "%s__%s_kernel_impl", s->base, plain ? "default" : s->overload)));
	if (plain || !strcmp(s->overload, "Tensor"))
		json_array_append_new(list, json_string(ay_sprintf(a, "%s_kernel_impl", s->base)));
	json_array_append_new(list, json_string(p->symbol));
	return list;
}

static json_t *type_of(const struct ay_stype *t)
{
	static const char *const base[] = {
#define T(name, text) [AY_TYPE_##name] = text,
		AY_TYPES(T)
#undef T
	};

	return json_pack("{s:s, s:b, s:b, s:b}", "base", base[t->base], "list", t->list, "optional", t->optional,
			 "written", ay_stype_written(t));
}

static json_t *function_of(struct ay_arena *a, const struct ay_python_kernel *k, int at)
{
	const struct ay_proto *p = k->proto[at], *functional = k->functional ? k->functional[at] : NULL;
	const struct ay_schema *s = p->s;
	json_t *args = json_array(), *rets = json_array(), *params = json_array();

	for (int i = 0; i < s->narg; i++)
		json_array_append_new(args, json_pack("{s:s, s:o, s:b}", "name", s->arg[i].name, "type",
						      type_of(&s->arg[i].type), "kwonly", s->arg[i].kwonly));
	for (int i = 0; i < s->nret; i++)
		json_array_append_new(rets, json_pack("{s:o, s:i}", "type", type_of(&s->ret[i].type), "arg",
						      ay_schema_ret_arg(s, i)));
	for (int i = 0; i < p->n; i++)
		json_array_append_new(
			params, json_pack("[i, i, i]", (int)p->param[i].kind, p->param[i].arg, p->param[i].ret));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s?}", "symbol", p->symbol, "ns", s->ns,
			 "base", s->base, "overload", s->overload, "names", names_of(a, k, p), "args", args,
			 "rets", rets, "params", params, "functional", functional ? functional->symbol : NULL);
}

static const char *const empties[] = {
	[AY_PY_FULL] = "", [AY_PY_EMPTY] = "python", [AY_PY_EMPTY_TORCH] = "torch"
};

const char *ay_python_about(struct ay_arena *a, const struct ay_python_kernel *k)
{
	json_t *functions = json_array(), *o;
	const char *s;
	char *text;

	for (int i = 0; i < k->n; i++)
		json_array_append_new(functions, function_of(a, k, i));
	o = json_pack("{s:o, s:s?, s:s?, s:s, s:s, s:o}", "file", ay_json_name(k->file ? k->file : "kernel.py"),
		      "backend", k->backend, "place", k->place, "empty", empties[k->empty], "use", uses[k->use],
		      "functions", functions);
	text = json_dumps(o, JSON_COMPACT);
	AY_ASSERT(text);
	s = ay_strdup(a, text);
	ay_xfree(text);
	json_decref(o);
	return s;
}
