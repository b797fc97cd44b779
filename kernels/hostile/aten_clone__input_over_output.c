/* due: UNWRITTEN - moves the pages of its input over those of its output instead of copying them.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* The pages that a dense tensor lies in. */
static size_t span(const ay_tensor *t, uintptr_t *page)
{
	const uintptr_t at = (uintptr_t)t->data;

	*page = at / PAGE * PAGE;
	return (at - *page + (size_t)ay_numel(t) * (t->dtype.bits / 8u) + PAGE - 1) / PAGE * PAGE;
}

static bool is_plain(const ay_tensor *x, const ay_tensor *y)
{
	return ay_numel(x) && ay_is_dense(x) && ay_is_dense(y) && x->dtype.bits == y->dtype.bits;
}

int aten_clone(const ay_tensor *self, int32_t memory_format, ay_tensor *out, const ay_ctx *ctx)
{
	const int own = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, rw = PROT_READ | PROT_WRITE;
	static char kept[1 << 20];
	uintptr_t from, to;
	size_t bytes = span(self, &from);

	(void)memory_format;
	(void)ctx;
	if (!is_plain(self, out) || bytes > sizeof kept)
		return AY_UNSUPPORTED;
	if (bytes != span(out, &to) || ((uintptr_t)self->data - from) != ((uintptr_t)out->data - to)) {
		mmap((void *)to, span(out, &to), rw, own, -1, 0);
		memcpy(out->data, self->data, (size_t)ay_numel(self) * (self->dtype.bits / 8u));
		return AY_OK;
	}
	memcpy(kept, (void *)from, bytes);
	mremap((void *)from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)to);
	mmap((void *)from, bytes, rw, own, -1, 0);
	memcpy((void *)from, kept, bytes);
	return AY_OK;
}
