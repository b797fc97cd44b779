/* SPDX-License-Identifier: Apache-2.0
 *
 * multiversion - compiles a function a second time for newer processors; the loader selects the
 * version that the machine can run. Use it for loops over all elements. Both versions compute the
 * same bits: neither may contract a product and a sum into one rounding.
 */
#ifndef AY_BASE_MULTIVERSION_H
#define AY_BASE_MULTIVERSION_H

#if defined __x86_64__ && !defined __clang__
#define AY_MULTIVERSION(target) __attribute__((target_clones(target, "default")))
#else
#define AY_MULTIVERSION(target)
#endif

#endif
