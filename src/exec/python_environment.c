/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/python.h"

#include "base/str.h"

#include <stdlib.h>

/* Passes on the variables that an interpreter may need. Keys and tokens are not passed on. */
const char *const *ay_python_environment(struct ay_arena *a)
{
	static const char *const keep[] = { "PATH",        "HOME",
					    "LANG",        "LC_ALL",
					    "PYTHONPATH",  "PYTHONHOME",
					    "VIRTUAL_ENV", "LD_LIBRARY_PATH",
					    "CUDA_HOME",   "CUDA_VISIBLE_DEVICES",
					    "TMPDIR" };
	const size_t n = sizeof keep / sizeof *keep;
	const char **env = AY_NEW_N(a, const char *, n + 4);
	int k = 0;

	for (size_t i = 0; i < n; i++)
		if (getenv(keep[i]))
			env[k++] = ay_sprintf(a, "%s=%s", keep[i], getenv(keep[i]));
	/* numpy's OpenBLAS would start threads, and the zygote must have none */
	env[k++] = "OPENBLAS_NUM_THREADS=1";
	env[k++] = "TRITON_INTERPRET=1";
	env[k++] = "PYTHONHASHSEED=0"; /* sets are iterated in one order in every process */
	return env;
}

/* With a GPU, Triton compiles and searches for the driver. Executors see the device files of one
 * GPU only, so it is their first, whatever its number in CUDA_VISIBLE_DEVICES was. */
const char *const *ay_python_template_environment(struct ay_python *p)
{
	const char *const *env = ay_python_environment(&p->arena);
	const char **with;
	int n = 0, k = 0;

	if (!p->device)
		return env;
	while (env[n])
		n++;
	with = AY_NEW_N(&p->arena, const char *, n + 6);
	for (int i = 0; i < n; i++)
		if (!ay_starts(env[i], "TRITON_INTERPRET=") && !ay_starts(env[i], "CUDA_VISIBLE_DEVICES="))
			with[k++] = env[i];
	with[k++] = "ASSAY_CUDA=1";
	/* copies from a GPU are large: torch requests pages of 2 MiB, as arenas do */
	with[k++] = "THP_MEM_ALLOC_ENABLE=1";
	for (int i = 0; p->device->info.env[i]; i++)
		if (!ay_starts(p->device->info.env[i], "LD_LIBRARY_PATH=") || !getenv("LD_LIBRARY_PATH"))
			with[k++] = p->device->info.env[i];
	if (p->device->info.libraries)
		with[k++] = ay_sprintf(&p->arena, "TRITON_LIBCUDA_PATH=%s", p->device->info.libraries);
	return with;
}
