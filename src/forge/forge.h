/* SPDX-License-Identifier: Apache-2.0
 *
 * forge - compiles a kernel's source into a shared object in a sealed memfd.
 *
 * The source is compiled under a fixed name with a fixed command line. The glue of its operators is
 * included before it, so that a wrong signature is a compiler error and not a crash. Objects are
 * cached under the SHA-256 of source, glue, headers, command line, compiler and processor.
 */
#ifndef AY_FORGE_FORGE_H
#define AY_FORGE_FORGE_H

#include "base/arena.h"
#include "base/err.h"
#include "op/proto.h"
#include "sandbox/sandbox.h"

#include <stdbool.h>

enum ay_lang {
	AY_LANG_C,
	AY_LANG_CXX,
	AY_LANG_SO,
	AY_LANG_CU,        /* CUDA C++ with a host entry, for a GPU */
	AY_LANG_PY,        /* Python: not compiled */
	AY_LANG_ATEN,      /* torch's own functions: no source */
	AY_LANG_FLAG_GEMS, /* the functions of the package flag_gems: no source */
};

struct ay_forge {
	struct ay_arena arena;
	const char *cc, *cxx; /* full paths; clang is preferred to gcc; NULL = none found */
	/* path, size and time of each compiler's file, for the cache key */
	const char *cc_id, *cxx_id;
	const char *nvcc, *nvcc_id; /* the CUDA compiler, as cc and cc_id */
	/* what nvcc builds for, "sm_90a"; a caller with a GPU sets it after ay_forge_init */
	const char *cuda_arch;
	/* model name and a digest of its features, for the cache key and the records */
	const char *cpu;
	const char *cache_dir; /* NULL: no cache */
	/* Sandbox for the compiler's jail, borrowed; the caller may set it after ay_forge_init.
	 * NULL: each build makes a full sandbox of its own. */
	struct ay_sandbox *sandbox;
};

struct ay_built {
	bool ok;
	int fd; /* sealed memfd of the shared object, which the caller closes; -1 if !ok */
	bool cached;
	double wall_s;       /* of the compiler */
	char sha256[65];     /* of the source */
	const char *log;     /* the compiler's messages, cut and safe to print; in the arena */
	const char *command; /* the command line, for the record */
};

/* Finds the compilers. ASSAY_CC, ASSAY_CXX and ASSAY_NVCC override the search. cache_dir: the cache
 * folder; NULL: $XDG_CACHE_HOME/assay or ~/.cache/assay; "": no cache. */
int ay_forge_init(struct ay_forge *f, const char *cache_dir, struct ay_err *err);
void ay_forge_release(struct ay_forge *f);
/* Returns the first line of `program --version`, in the arena. Returns NULL with err if the
 * program fails. */
const char *ay_forge_version(struct ay_arena *a, const char *program, struct ay_err *err);
/* Finds the language from the file name. Returns -1 with a message that lists the known ones. */
int ay_lang_of(const char *path, enum ay_lang *lang, struct ay_err *err);
/* Builds a kernel. A kernel that does not compile gives built->ok = false, not an error. For
 * AY_LANG_SO `source` is the shared object itself. The forge wraps it in another object, which
 * carries it and looks its functions up by name; their signatures are not checked. Without a C
 * compiler, an object is used unchanged if the forge built it on another machine, because its glue
 * is then inside. */
int ay_forge_build(struct ay_forge *f, struct ay_arena *a, const char *source, size_t len, enum ay_lang lang,
		   int nproto, const struct ay_proto *const *proto, double timeout_s, struct ay_built *built,
		   struct ay_err *err);

#endif
