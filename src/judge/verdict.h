/* SPDX-License-Identifier: Apache-2.0
 *
 * verdict - the possible results for a kernel on a case. A verdict is data, never an error of
 * assay.
 */
#ifndef AY_JUDGE_VERDICT_H
#define AY_JUDGE_VERDICT_H

/* Worst first: an operator's verdict is the worst of its judged cases. docs/verdicts.md explains
 * each. */
#define AY_VERDICTS(V)                                                             \
	V(CHEAT, "the kernel tried to deceive the judge")                          \
	V(CRASH, "the kernel's process died, or it raised an exception")           \
	V(OVERRUN, "the kernel touched memory outside its tensors")                \
	V(INPUT_WRITTEN, "the kernel wrote to an input")                           \
	V(TIMEOUT, "the kernel did not return in time")                            \
	V(OOM, "the kernel asked for more memory than there is")                   \
	V(BUILD, "the compiler refused the kernel")                                \
	V(LOAD, "the kernel could not be loaded, or does not define its function") \
	V(BAD_RESULT, "a result has the wrong shape, dtype, strides or place")     \
	V(MISMATCH, "some element is outside the error bound")                     \
	V(UNWRITTEN, "some element was never written")                             \
	V(UNSTABLE, "the same call was right once and wrong once")                 \
	V(IMPLAUSIBLE, "faster than the machine can be")                           \
	V(UNSUPPORTED, "the kernel says that it does not take this call")          \
	V(WEAK_CASE, "agrees, but the case proves too little")                     \
	V(SKIPPED, "not judged, with the reason")                                  \
	V(PASS, "within the error bound on every element")

enum ay_verdict {
#define V(name, text) AY_VERDICT_##name,
	AY_VERDICTS(V)
#undef V
		AY_VERDICT_COUNT,
	AY_VERDICT_NONE = AY_VERDICT_COUNT,
};

const char *ay_verdict_name(enum ay_verdict v);
const char *ay_verdict_text(enum ay_verdict v);
/* Returns AY_VERDICT_NONE if no verdict has that name. */
enum ay_verdict ay_verdict_find(const char *name);
/* Returns the worse of two verdicts. SKIPPED and WEAK_CASE count only if nothing else was
 * judged. */
enum ay_verdict ay_verdict_merge(enum ay_verdict a, enum ay_verdict b);

#endif
