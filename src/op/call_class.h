/* SPDX-License-Identifier: Apache-2.0
 *
 * call_class - properties that a call may have, in classes: five dimensions, a tensor that is not dense,
 * keepdim, a last size that is 3 more than a multiple of 13. A kernel may be wrong in every call with one
 * of them and right in all others, so cases should have many.
 */
#ifndef AY_OP_CALL_CLASS_H
#define AY_OP_CALL_CLASS_H

#include "op/call.h"

/*    name     word       the kernel is wrong where ... */
#define AY_CALL_CLASSES(C)                                                                         \
	C(RANK, "rank", "a tensor has five (or six) dimensions")                                   \
	C(LAYOUT, "layout", "one argument has three or more dimensions and is not dense")          \
	C(FLAG, "flag", "one flag, word or optional argument has one of its values")               \
	C(RESIDUE, "residue", "the largest tensor's last size leaves a remainder, modulo 2 to 16") \
	C(LARGE, "large", "a tensor is larger than any listed quick one")                          \
	C(LAZY, "lazy", "an argument is lazily conjugated or negated")

enum ay_call_class {
#define C(name, word, text) AY_CALL_CLASS_##name,
	AY_CALL_CLASSES(C)
#undef C
		AY_CALL_CLASS_COUNT,
};

struct ay_call_class_info {
	const char *word, *text;
};
extern const struct ay_call_class_info ay_call_class_table[AY_CALL_CLASS_COUNT];

/* A set of properties. Each is a number that has the class, the overload and a detail. Start with {0}. */
struct ay_properties {
	int n, cap;
	uint64_t *v;
};

static inline enum ay_call_class ay_property_class(uint64_t property)
{
	return (enum ay_call_class)(property >> 60);
}

/* Adds the properties of a call whose results have elements. `largest`: elements of the largest tensor
 * of the listed cases. */
void ay_properties_add(struct ay_properties *p, const struct ay_call *c, int64_t largest);
/* Sorts the set and drops repetitions, as ay_properties_have needs it. */
void ay_properties_sort(struct ay_properties *p);
bool ay_properties_have(const struct ay_properties *p, uint64_t property);
void ay_properties_release(struct ay_properties *p);

#endif
