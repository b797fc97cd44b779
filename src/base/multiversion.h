/* SPDX-License-Identifier: Apache-2.0
 *
 * clones - what is done with every number is compiled once more for newer processors, and the loader takes what the
 * machine has. What is computed is the same: no clone may contract a product and a sum.
 */
#ifndef AY_BASE_MULTIVERSION_H
#define AY_BASE_MULTIVERSION_H

#if defined __x86_64__ && !defined __clang__
#define AY_MULTIVERSION(target) __attribute__((target_clones(target, "default")))
#else
#define AY_MULTIVERSION(target)
#endif

#endif
