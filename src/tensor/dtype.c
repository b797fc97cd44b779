/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation. All rows pass through double, except where double is too narrow. i64
 * has a loop of its own into long double, and a long double is stored to an integer through
 * int64_t. A long double that is stored to a float is first rounded "to odd" into a double: an
 * inexact result always has its last bit set. So it is neither a tie nor a representable value
 * of any narrower dtype, and the second rounding gives the result of a single rounding (Boldo
 * and Melquiond 2008; it needs two spare bits, and 53 >= 24 + 2).
 *
 * A complex row is two real rows whose elements alternate: hence the strides on the side of
 * the numbers.
 */
#include "tensor/dtype.h"
#include "base/multiversion.h"
#include "base/err.h"
#include "tensor/half_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Numbers converted at a time where a row needs an intermediate type; two such buffers fit in the
 * L1 cache. */
enum { CHUNK = 256 };

#define SIGN_D 0x8000000000000000u
#define INF_D  0x7ff0000000000000u
#define FRAC_D 0x000fffffffffffffu

/* clang-format off */
const struct ay_dt_info ay_dt_table[AY_DT_COUNT] = {
#define D(id, name, torch, cls, bytes, code, bits, mant, emin, emax) \
	[AY_DT_##id] = { name, torch, AY_CLASS_##cls, bytes, code, bits, mant, emin, emax },
	AY_DTYPES(D)
#undef D
};
/* clang-format on */

/* --- Names --- */

/* PyTorch's second names. bfloat16 and the 8-bit types have none. */
static const struct {
	const char *name;
	enum ay_dt dt;
} aliases[] = {
	{ "short", AY_DT_I16 }, { "int", AY_DT_I32 },    { "long", AY_DT_I64 },
	{ "half", AY_DT_F16 },  { "float", AY_DT_F32 },  { "double", AY_DT_F64 },
	{ "chalf", AY_DT_C32 }, { "cfloat", AY_DT_C64 }, { "cdouble", AY_DT_C128 },
};

static bool same(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && !memcmp(name, s, len);
}

enum ay_dt ay_dt_find(const char *name, size_t len)
{
	for (int dt = 0; dt < AY_DT_COUNT; dt++)
		if (same(ay_dt_table[dt].name, name, len) || same(ay_dt_table[dt].torch, name, len))
			return (enum ay_dt)dt;
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (same(aliases[i].name, name, len))
			return aliases[i].dt;
	return AY_DT_NONE;
}

enum ay_dt ay_dt_from_dl(int code, int bits)
{
	for (int dt = 0; dt < AY_DT_COUNT; dt++)
		if (ay_dt_table[dt].dl_code == code && ay_dt_table[dt].dl_bits == bits)
			return (enum ay_dt)dt;
	return AY_DT_NONE;
}

enum ay_dt ay_dt_component(enum ay_dt dt)
{
	switch (dt) {
	case AY_DT_C32: return AY_DT_F16;
	case AY_DT_C64: return AY_DT_F32;
	case AY_DT_C128: return AY_DT_F64;
	default: return dt;
	}
}

/* --- One number --- */

static inline uint64_t bits_of(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

static inline double of_bits(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof x);
	return x;
}

static inline float of_bits_f(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof x);
	return x;
}

static inline double pow2(int e)
{
	return of_bits(e >= -1022 ? (uint64_t)(e + 1023) << 52 : (uint64_t)1 << (e + 1074));
}

/* A float narrower than f32: sign, exponent, `frac` bits of fraction. `over` is the bit pattern
 * after the largest finite value: infinity, or NaN for f8e4m3fn. So a carry out of the last finite
 * value gives the right result. `nan` is the NaN that is written; payloads are not kept. */
struct small {
	int bits, frac, emin;
	uint32_t over, nan;
};

static const struct small f8e4m3fn = { 8, 3, -6, 0x7f, 0x7f };
static const struct small f8e5m2 = { 8, 2, -14, 0x7c, 0x7f };
static const struct small f16 = { 16, 10, -14, 0x7c00, 0x7e00 };
static const struct small bf16 = { 16, 7, -126, 0x7f80, 0x7fc0 };

/* Uses bit operations and selects, and no subnormal operand. A subnormal would cost a microcode
 * assist. It would read as zero in a thread that a library has put into flush-to-zero mode. */
static inline double unpack(const struct small *f, uint32_t b)
{
	const uint64_t sign = (uint64_t)(b >> (f->bits - 1)) << 63;
	const uint32_t mag = b & ((1u << (f->bits - 1)) - 1);
	const uint64_t tiny = bits_of((int32_t)mag * pow2(f->emin - f->frac));
	uint64_t u = ((uint64_t)mag << (52 - f->frac)) + ((uint64_t)(1022 + f->emin) << 52);

	u = mag >> f->frac ? u : tiny;
	u |= mag >= f->over ? INF_D : 0;
	return of_bits(u | sign);
}

/* Rounds to nearest, ties to even. The shifts are equal for every number, so that vectors can do
 * it. A normal result is the double's own bits, rounded where the fraction ends; a carry into the
 * exponent is right as it is. A subnormal result is made by adding a power of two whose last bit
 * has the weight of the result's last bit: the addition rounds there. */
static inline uint32_t pack(const struct small *f, double x)
{
	const int drop = 52 - f->frac;
	const uint64_t mag = bits_of(x) & ~SIGN_D, least = (uint64_t)(1023 + f->emin) << 52;
	const double steps = pow2(f->emin + drop);
	const uint64_t tiny = bits_of(of_bits(mag) + steps) - bits_of(steps);
	const uint64_t rounded = (mag + ((uint64_t)1 << (drop - 1)) - 1 + (mag >> drop & 1)) >> drop;
	uint64_t q = rounded - ((uint64_t)(1022 + f->emin) << f->frac);

	q = (int64_t)mag < (int64_t)least ? tiny : q;
	q = (int64_t)q < (int64_t)f->over ? q : f->over;
	q = (int64_t)mag > (int64_t)INF_D ? f->nan : q;
	return (uint32_t)(q | bits_of(x) >> 63 << (f->bits - 1));
}

/* Returns x if it is a double, else the one of its two neighbouring doubles that ends in an odd
 * bit. DBL_MAX ends in an odd bit, so overflow needs no case of its own. Only zero becomes zero. */
static inline double to_odd(long double x)
{
	const double d = (double)x;
	const uint64_t u = bits_of(d);

	if ((long double)d == x || x != x)
		return d;
	if (u & 1)
		return d;
	return of_bits(fabsl((long double)d) > fabsl(x) ? u - 1 : u + 1);
}

/* Returns x truncated, modulo 2^64; 0 if x is not finite. */
static int64_t wrap(long double x)
{
	uint64_t u;

	if (!isfinite(x))
		return 0;
	x = fmodl(x, 0x1p64L); /* exact */
	u = (uint64_t)fabsl(x);
	return (int64_t)(x < 0 ? -u : u); /* gcc and clang define this conversion as modulo 2^64 */
}

static inline int64_t to_int(double x)
{
	return fabs(x) < 0x1p63 ? (int64_t)x : wrap(x);
}

static inline int64_t to_int_ld(long double x)
{
	return fabsl(x) < 0x1p63L ? (int64_t)x : wrap(x);
}

/* --- Rows --- */

struct row {
	enum ay_dt dt; /* real */
	int64_t step;  /* bytes from element to element */
	int imag;      /* bytes from the real to the imaginary part; 0: no imaginary part */
};

static struct row row_of(enum ay_dt dt, int64_t stride)
{
	const struct ay_dt_info *info = ay_dt_info(dt);

	return (struct row){ ay_dt_component(dt), stride * info->bytes,
			     ay_dt_is_complex(dt) ? info->bytes / 2 : 0 };
}

/* Puts a loop into each case of the switch. Uses memcpy, because the bytes may have any type and
 * alignment; it compiles to one move. */
#define LOAD_BY(type, number, step, gap)              \
	for (int64_t i = 0; i < n; i++) {             \
		type v;                               \
                                                      \
		memcpy(&v, src + i * step, sizeof v); \
		dst[i * gap] = number;                \
	}
#define LOAD(type, number)                                      \
	if (step == (int64_t)sizeof(type) && gap == 1)          \
		LOAD_BY(type, number, (int64_t)sizeof(type), 1) \
	else                                                    \
		LOAD_BY(type, number, step, gap)                \
	break

AY_MULTIVERSION("avx2") static void load_plain(struct row r, const void *from, int64_t n, double *dst, int gap)
{
	const unsigned char *src = from;
	const int64_t step = r.step;

	switch (r.dt) {
	case AY_DT_B8: LOAD(uint8_t, v != 0);
	case AY_DT_U8: LOAD(uint8_t, v);
	case AY_DT_I8: LOAD(int8_t, v);
	case AY_DT_I16: LOAD(int16_t, v);
	case AY_DT_I32: LOAD(int32_t, v);
	case AY_DT_I64: LOAD(int64_t, (double)v);
	case AY_DT_F8E4M3FN: LOAD(uint8_t, unpack(&f8e4m3fn, v));
	case AY_DT_F8E5M2: LOAD(uint8_t, unpack(&f8e5m2, v));
	case AY_DT_F16: LOAD(uint16_t, unpack(&f16, v));
	case AY_DT_BF16: LOAD(uint16_t, of_bits_f((uint32_t)v << 16));
	case AY_DT_F32: LOAD(float, v);
	case AY_DT_F64: LOAD(double, v);
	default: AY_BUG("load of dtype %d", r.dt);
	}
}

/* Elements that the processor's own instructions (half_rows.h) have left are converted LEFT at
 * a time. */
enum { LEFT = 32 };

static bool dense(struct row r, int gap)
{
	return r.step == ay_dt_info(r.dt)->bytes && gap == 1;
}

static void load_d(struct row r, const void *from, int64_t n, double *dst, int gap)
{
	const unsigned char *src = from;
	int64_t m;

	if (r.dt != AY_DT_F16 || !dense(r, gap)) {
		load_plain(r, from, n, dst, gap);
		return;
	}
	for (int64_t i = 0; (i += ay_f16_load(src + i * r.step, n - i, dst + i)) < n; i += m) {
		m = n - i < LEFT ? n - i : LEFT;
		load_plain(r, src + i * r.step, m, dst + i, 1);
	}
}

static void load_ld(struct row r, const void *from, int64_t n, long double *dst, int gap)
{
	const unsigned char *src = from;
	const int64_t step = r.step;
	double buf[CHUNK];

	switch (r.dt) {
	case AY_DT_I64: LOAD(int64_t, v);
	default:
		for (int64_t at = 0; at < n; at += CHUNK) {
			const int64_t m = n - at < CHUNK ? n - at : CHUNK;

			load_d(r, src + at * step, m, buf, 1);
			for (int64_t i = 0; i < m; i++)
				dst[(at + i) * gap] = buf[i];
		}
	}
}

#define STORE_BY(type, number, step, gap)             \
	for (int64_t i = 0; i < n; i++) {             \
		const double x = src[i * gap];        \
		const type v = (type)(number);        \
                                                      \
		memcpy(dst + i * step, &v, sizeof v); \
	}
#define STORE(type, number)                                      \
	if (step == (int64_t)sizeof(type) && gap == 1)           \
		STORE_BY(type, number, (int64_t)sizeof(type), 1) \
	else                                                     \
		STORE_BY(type, number, step, gap)                \
	break

/* For floats and b8, a double from to_odd is as good as the long double. */
AY_MULTIVERSION("avx2")
static void store_plain(struct row r, unsigned char *dst, int64_t n, const double *src, int gap)
{
	const int64_t step = r.step;

	switch (r.dt) {
	case AY_DT_B8: STORE(uint8_t, x != 0);
	case AY_DT_F8E4M3FN: STORE(uint8_t, pack(&f8e4m3fn, x));
	case AY_DT_F8E5M2: STORE(uint8_t, pack(&f8e5m2, x));
	case AY_DT_F16: STORE(uint16_t, pack(&f16, x));
	case AY_DT_BF16: STORE(uint16_t, pack(&bf16, x));
	case AY_DT_F32: STORE(float, x);
	case AY_DT_F64: STORE(double, x);
	default: AY_BUG("store of dtype %d", r.dt);
	}
}

static void store_floats(struct row r, unsigned char *dst, int64_t n, const double *src, int gap)
{
	int64_t (*const fast)(void *, int64_t, const double *) = r.dt == AY_DT_F16    ? ay_f16_store
								 : r.dt == AY_DT_BF16 ? ay_bf16_store
										      : NULL;
	int64_t m;

	if (!fast || !dense(r, gap)) {
		store_plain(r, dst, n, src, gap);
		return;
	}
	for (int64_t i = 0; (i += fast(dst + i * r.step, n - i, src + i)) < n; i += m) {
		m = n - i < LEFT ? n - i : LEFT;
		store_plain(r, dst + i * r.step, m, src + i, 1);
	}
}

#undef STORE
#define STORE(type)                                   \
	for (int64_t i = 0; i < n; i++) {             \
		const type v = (type)src[i];          \
                                                      \
		memcpy(dst + i * step, &v, sizeof v); \
	}                                             \
	break

static void store_ints(struct row r, unsigned char *dst, int64_t n, const int64_t *src)
{
	const int64_t step = r.step;

	switch (r.dt) {
	case AY_DT_U8:
	case AY_DT_I8: STORE(uint8_t);
	case AY_DT_I16: STORE(uint16_t);
	case AY_DT_I32: STORE(uint32_t);
	case AY_DT_I64: STORE(uint64_t);
	default: AY_BUG("store of dtype %d", r.dt);
	}
}

static void store_d(struct row r, void *to, int64_t n, const double *src, int gap)
{
	unsigned char *dst = to;
	int64_t buf[CHUNK];

	if (ay_dt_info(r.dt)->cls != AY_CLASS_INT) {
		store_floats(r, dst, n, src, gap);
		return;
	}
	for (int64_t at = 0; at < n; at += CHUNK) {
		const int64_t m = n - at < CHUNK ? n - at : CHUNK;

		for (int64_t i = 0; i < m; i++)
			buf[i] = to_int(src[(at + i) * gap]);
		store_ints(r, dst + at * r.step, m, buf);
	}
}

static void store_chunk_ld(struct row r, unsigned char *dst, int64_t m, const long double *src, int gap)
{
	int64_t ints[CHUNK];
	double buf[CHUNK];

	if (ay_dt_info(r.dt)->cls == AY_CLASS_INT) {
		for (int64_t i = 0; i < m; i++)
			ints[i] = to_int_ld(src[i * gap]);
		store_ints(r, dst, m, ints);
		return;
	}
	if (r.dt == AY_DT_F64)
		for (int64_t i = 0; i < m; i++)
			buf[i] = (double)src[i * gap];
	else
		for (int64_t i = 0; i < m; i++)
			buf[i] = to_odd(src[i * gap]);
	store_floats(r, dst, m, buf, 1);
}

static void store_ld(struct row r, void *to, int64_t n, const long double *src, int gap)
{
	unsigned char *dst = to;

	for (int64_t at = 0; at < n; at += CHUNK)
		store_chunk_ld(r, dst + at * r.step, n - at < CHUNK ? n - at : CHUNK, src + at * gap, gap);
}

static const void *imag_of(struct row r, const void *src)
{
	return (const unsigned char *)src + r.imag;
}

static void *imag_to(struct row r, void *dst)
{
	return (unsigned char *)dst + r.imag;
}

/* Writes the imaginary part of real numbers: a positive zero for every element. */
static void clear_imag(struct row r, void *dst, int64_t n)
{
	static const double zero = 0;

	if (r.imag)
		store_d(r, imag_to(r, dst), n, &zero, 0);
}

/* --- the eight public functions --------------------------------------------------------------- */

void ay_row_load_d(enum ay_dt dt, const void *src, int64_t stride, int64_t n, double *dst)
{
	load_d(row_of(dt, stride), src, n, dst, 1);
}

void ay_row_load_ld(enum ay_dt dt, const void *src, int64_t stride, int64_t n, long double *dst)
{
	load_ld(row_of(dt, stride), src, n, dst, 1);
}

/* A complex number is laid out as an array of two (C11 6.2.5p13). */
void ay_row_load_z(enum ay_dt dt, const void *src, int64_t stride, int64_t n, double complex *dst)
{
	const struct row r = row_of(dt, stride);
	double *part = (double *)dst;

	load_d(r, src, n, part, 2);
	if (r.imag)
		load_d(r, imag_of(r, src), n, part + 1, 2);
	else
		for (int64_t i = 0; i < n; i++)
			part[2 * i + 1] = 0;
}

void ay_row_load_lz(enum ay_dt dt, const void *src, int64_t stride, int64_t n, long double complex *dst)
{
	const struct row r = row_of(dt, stride);
	long double *part = (long double *)dst;

	load_ld(r, src, n, part, 2);
	if (r.imag)
		load_ld(r, imag_of(r, src), n, part + 1, 2);
	else
		for (int64_t i = 0; i < n; i++)
			part[2 * i + 1] = 0;
}

void ay_row_store_d(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const double *src)
{
	const struct row r = row_of(dt, stride);

	store_d(r, dst, n, src, 1);
	clear_imag(r, dst, n);
}

void ay_row_store_ld(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const long double *src)
{
	const struct row r = row_of(dt, stride);

	store_ld(r, dst, n, src, 1);
	clear_imag(r, dst, n);
}

/* As in PyTorch, a real dtype drops the imaginary part, but b8 stores whether the whole number is
 * not zero. */
void ay_row_store_z(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const double complex *src)
{
	const struct row r = row_of(dt, stride);
	const double *part = (const double *)src;

	if (dt == AY_DT_B8) {
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)dst)[i * stride] = part[2 * i] != 0 || part[2 * i + 1] != 0;
		return;
	}
	store_d(r, dst, n, part, 2);
	if (r.imag)
		store_d(r, imag_to(r, dst), n, part + 1, 2);
}

void ay_row_store_lz(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const long double complex *src)
{
	const struct row r = row_of(dt, stride);
	const long double *part = (const long double *)src;

	if (dt == AY_DT_B8) {
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)dst)[i * stride] = part[2 * i] != 0 || part[2 * i + 1] != 0;
		return;
	}
	store_ld(r, dst, n, part, 2);
	if (r.imag)
		store_ld(r, imag_to(r, dst), n, part + 1, 2);
}

int64_t ay_elem_int(enum ay_dt dt, const void *src)
{
	int64_t v;
	double x;

	if (dt == AY_DT_I64) {
		memcpy(&v, src, sizeof v);
		return v;
	}
	ay_row_load_d(dt, src, 1, 1, &x);
	return to_int(x);
}

/* --- Properties --- */

double ay_dt_ulp(enum ay_dt dt, long double x)
{
	const struct ay_dt_info *info = ay_dt_info(dt);
	int e;

	if (ay_dt_is_integral(dt))
		return 0;
	if (x != x)
		return NAN;
	frexpl(x, &e);
	e = isinf(x) ? info->emax : x == 0 ? info->emin : e - 1;
	/* Beyond the last binade no neighbours exist; the spacing there is that of the
	 * largest value. */
	e = e < info->emin ? info->emin : e > info->emax ? info->emax : e;
	return pow2(e - info->mant + 1);
}

long double ay_dt_max(enum ay_dt dt)
{
	const struct ay_dt_info *info = ay_dt_info(dt);
	const int spare = dt == AY_DT_F8E4M3FN ? 2 : 1; /* f8e4m3fn: the last bit pattern is NaN */

	if (ay_dt_is_integral(dt))
		return ldexpl(1, info->mant) - 1;
	return ldexpl(ldexpl(1, info->mant) - spare, info->emax - info->mant + 1);
}

double ay_round_bits_d(double x, int bits)
{
	uint64_t u = bits_of(x) & ~SIGN_D;
	int drop = 53 - bits;

	AY_ASSERT(bits > 0);
	if (u >= INF_D || !u)
		return x;
	if (u <= FRAC_D) /* subnormal: the significand starts at its first set bit */
		drop = 64 - __builtin_clzll(u) - bits;
	if (drop <= 0)
		return x;
	/* With drop 52 the last bit kept is the hidden one, which is set; the bit at that position
	 * belongs to the exponent. */
	u += ((uint64_t)1 << (drop - 1)) - 1 + (drop == 52 && u > FRAC_D ? 1 : u >> drop & 1);
	u &= ~(((uint64_t)1 << drop) - 1);
	return copysign(of_bits(u), x);
}

long double ay_round_bits_ld(long double x, int bits)
{
	int e;

	AY_ASSERT(bits > 0);
	if (!isfinite(x) || x == 0 || bits >= LDBL_MANT_DIG)
		return x;
	x = frexpl(x, &e);
	return ldexpl(rintl(ldexpl(x, bits)), e - bits);
}
