/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/forge.h"

int ay_lang_of(const char *path, enum ay_lang *lang, struct ay_err *err)
{
	static const struct {
		const char *end;
		enum ay_lang lang;
	} known[] = { { ".c", AY_LANG_C },     { ".cc", AY_LANG_CXX }, { ".cpp", AY_LANG_CXX },
		      { ".cxx", AY_LANG_CXX }, { ".so", AY_LANG_SO },  { ".py", AY_LANG_PY },
		      { ".cu", AY_LANG_CU } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (ay_ends(path, known[i].end)) {
			*lang = known[i].lang;
			return 0;
		}
	}
	return ay_fail(err, AY_ERR_USAGE,
		       "'%s': not a language of kernels known here (.c, .cc, .cpp, .cxx, .cu, .so, .py)", path);
}
