/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/python.h"

#include "base/str.h"

#include <stdlib.h>

/* What of our environment an interpreter may need; keys and tokens stay here. */
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
	env[k++] = "OPENBLAS_NUM_THREADS=1"; /* numpy's would start threads, and a template must have none */
	env[k++] = "TRITON_INTERPRET=1";
	env[k++] = "PYTHONHASHSEED=0"; /* sets in one order, whenever they are gone through */
	return env;
}

/* With a GPU Triton compiles, and looks for the driver. Copies see the nodes of one GPU: it is the first there, whatever
 * number it has among those that we were shown. */
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
	with[k++] =
		"THP_MEM_ALLOC_ENABLE=1"; /* what comes from a GPU is large: as of arenas, pages are asked for by 2 MiB */
	for (int i = 0; p->device->info.env[i]; i++)
		if (!ay_starts(p->device->info.env[i], "LD_LIBRARY_PATH=") || !getenv("LD_LIBRARY_PATH"))
			with[k++] = p->device->info.env[i];
	if (p->device->info.libraries)
		with[k++] = ay_sprintf(&p->arena, "TRITON_LIBCUDA_PATH=%s", p->device->info.libraries);
	return with;
}
