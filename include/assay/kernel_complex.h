/* SPDX-License-Identifier: Apache-2.0
 *
 * Complex elements for a kernel in C, as C's own complex numbers. Complex tensors are c64 or c128 here; any real dtype is
 * read as a number without imaginary part.
 */
#ifndef ASSAY_KERNEL_COMPLEX_H
#define ASSAY_KERNEL_COMPLEX_H

#include <assay/kernel.h>
#include <complex.h>

/* Reads an element; of a conjugated view, as it means. */
static inline double complex ay_read_complex(const ay_tensor *t, int64_t at)
{
	double complex z = ay_dt(t) == AY_C64    ? ((const float complex *)t->data)[at]
			   : ay_dt(t) == AY_C128 ? ((const double complex *)t->data)[at]
						 : ay_read(t, at);

	return t->flags & AY_CONJ ? conj(z) : z;
}

static inline void ay_write_complex(const ay_tensor *t, int64_t at, double complex z)
{
	if (ay_dt(t) == AY_C64)
		((float complex *)t->data)[at] = (float complex)z;
	else
		((double complex *)t->data)[at] = z;
}

static inline double complex ay_scalar_complex(ay_scalar s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return s.v.b;
	case AY_SCALAR_INT: return (double)s.v.i;
	case AY_SCALAR_FLOAT: return s.v.f;
	default: return __builtin_complex(s.v.c[0], s.v.c[1]);
	}
}

#endif
