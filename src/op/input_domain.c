/* SPDX-License-Identifier: Apache-2.0 */
#include "op/input_domain.h"

#include <math.h>
#include <string.h>

/* --- the table -------------------------------------------------------------------------------- */

/* clang-format off */
const struct ay_input_domain ay_input_domains[] = {
	/* Indices. Where results are added up, a repeated index is fine; where they are stored, it
	 * is not. */
	{ "embedding", "indices=index(size(weight, 0))" },
	{ "embedding_dense_backward", "indices=index(num_weights)" },
	{ "embedding_renorm_", "indices=index(size(self, 0))" },
	{ "embedding_bag _embedding_bag _embedding_bag_forward_only",
	  "indices=index(size(weight, 0)); offsets=steps(numel(indices))" },
	{ "_embedding_bag_per_sample_weights_backward",
	  "indices=index(size(weight, 0)); offsets=steps(numel(indices)); offset2bag=steps(size(grad, 0))" },
	{ "_embedding_bag_dense_backward",
	  "indices=index(num_weights); offset2bag=steps(size(grad, 0)); bag_size=int(1, 4); "
	  "maximum_indices=index(num_weights)" },
	{ "gather gather_backward index_select index_fill index_add index_reduce scatter_add scatter_reduce "
	  "scatter.value scatter.value_out scatter.value_reduce scatter.value_reduce_out",
	  "index=index(size(self, dim))" },
	{ "scatter", "index=places(size(self, dim), dim)" },
	{ "index_copy", "index=places(size(self, dim), 0)" },
	{ "index_select_backward", "index=index(self_sizes[dim])" },
	{ "take_along_dim", "indices=index(dim == None ? numel(self) : size(self, dim == None ? 0 : dim))" },
	{ "take", "index=index(numel(self))" },
	{ "put", "index=spots(numel(self), len(index))" },
	{ "index _unsafe_index index_put _index_put_impl_ _unsafe_index_put", "indices=list_index" },
	{ "_sparse_coo_tensor_with_dims_and_tensors", "indices=index(size[0])" },
	{ "max_pool2d_with_indices_backward max_pool3d_with_indices_backward", "indices=window" },
	{ "adaptive_max_pool2d_backward fractional_max_pool2d_backward",
	  "indices=index(size(self, -1) * size(self, -2))" },
	{ "adaptive_max_pool3d_backward fractional_max_pool3d_backward",
	  "indices=index(size(self, -1) * size(self, -2) * size(self, -3))" },
	{ "max_unpool2d max_unpool3d", "indices=spots(numel(output_size), len(output_size))" },
	{ "fractional_max_pool2d fractional_max_pool3d", "random_samples=uniform(0, 1)" },

	/* Losses: labels are classes, probabilities lie between 0 and 1, log-probabilities
	 * below 0. */
	{ "nll_loss nll_loss_nd nll_loss_forward nll_loss2d nll_loss2d_forward cross_entropy_loss",
	  "target=classes(size(self, len(self) < 3 ? -1 : 1)); weight=uniform(0.5, 1.5)" },
	{ "nll_loss_backward nll_loss2d_backward",
	  "target=classes(size(self, len(self) < 3 ? -1 : 1)); weight=uniform(0.5, 1.5); "
	  "total_weight=const(numel(target))" },
	{ "multi_margin_loss multi_margin_loss_backward",
	  "target=index(size(self, -1)); weight=uniform(0.5, 1.5)" },
	{ "multilabel_margin_loss_forward multilabel_margin_loss",
	  "target=int(-1, size(self, -1) - 1)" },
	{ "multilabel_margin_loss_backward", "target=int(-1, size(self, -1) - 1); is_target=bool(0.5)" },
	{ "binary_cross_entropy binary_cross_entropy_backward",
	  "self=uniform(0.02, 0.98); target=uniform(0, 1); weight=uniform(0.5, 1.5)" },
	{ "binary_cross_entropy_with_logits",
	  "target=uniform(0, 1); weight=uniform(0.5, 1.5); pos_weight=uniform(0.5, 1.5)" },
	{ "kl_div", "target=uniform(0.05, 1)" },
	{ "poisson_nll_loss", "target=uniform(0.5, 9); input=uniform(0.1, 3)" },
	{ "_ctc_loss ctc_loss",
	  "log_probs=uniform(-6, 0); "
	  "targets=int(size(log_probs, -1) > 1 ? 1 : 0, size(log_probs, -1) - 1); "
	  "input_lengths=const(size(log_probs, 0)); target_lengths=const(size(targets, -1))" },

	/* Normalisation: variances and their inverse roots are positive, and near those of
	 * assay's inputs. */
	{ "native_batch_norm batch_norm cudnn_batch_norm _native_batch_norm_legit "
	  "_native_batch_norm_legit_no_training _native_batch_norm_legit_functional _batch_norm_with_update "
	  "_batch_norm_no_update instance_norm", "running_var=uniform(0.5, 1.5)" },
	{ "native_batch_norm_backward",
	  "running_var=uniform(0.5, 1.5); save_mean=normal(0, 0.1); save_invstd=uniform(0.8, 1.2)" },
	{ "batch_norm_backward cudnn_batch_norm_backward",
	  "running_var=uniform(0.5, 1.5); save_mean=normal(0, 0.1); save_var=uniform(0.8, 1.2)" },
	{ "batch_norm_elemt batch_norm_backward_elemt batch_norm_backward_reduce",
	  "mean=normal(0, 0.1); invstd=uniform(0.8, 1.2); count=int(16, 64)" },
	{ "native_group_norm_backward native_layer_norm_backward",
	  "mean=normal(0, 0.1); rstd=uniform(0.8, 1.2)" },
	{ "_fused_rms_norm_backward", "rstd=uniform(0.8, 1.2)" },
	{ "_weight_norm_interface_backward", "saved_g=uniform(0.5, 1.5); saved_norms=uniform(0.5, 1.5)" },

	/* Backward forms that take a result of the forward form. */
	{ "_softmax_backward_data", "output=uniform(0, 2.0 / (size(output, dim) + 1))" },
	{ "_log_softmax_backward_data", "output=uniform(-9, 0)" },
	{ "sigmoid_backward", "output=uniform(0, 1)" },
	{ "tanh_backward", "output=uniform(-1, 1)" },
	{ "logit_backward", "self=uniform(0.05, 0.95)" },
	{ "elu_backward", "self_or_result=uniform(is_result ? -0.95 : -3, 3)" },
	{ "rrelu_with_noise_backward", "noise=uniform(0.1, 1)" },
	{ "_cdist_backward", "cdist=uniform(0.5, 3)" },
	{ "_pdist_backward", "pdist=uniform(0.5, 3)" },
	{ "_scaled_dot_product_flash_attention_for_cpu_backward _scaled_dot_product_flash_attention_backward "
	  "_scaled_dot_product_efficient_attention_backward", "logsumexp=uniform(3, 6); logsum=uniform(3, 6)" },

	/* Domains: half of a normal distribution would be outside, and there NaN equals NaN. */
	{ "log log2 log10 sqrt rsqrt lgamma special_gammaln digamma special_digamma special_psi special_entr "
	  "poisson _standard_gamma _sample_dirichlet", "self=uniform(0.1, 9)" },
	{ "polygamma special_polygamma", "self=uniform(0.5, 9)" },
	{ "mvlgamma special_multigammaln", "self=uniform(p, p + 6)" },
	{ "log1p special_log1p", "self=uniform(-0.95, 9)" },
	{ "acos arccos asin arcsin atanh arctanh erfinv special_erfinv", "self=uniform(-0.95, 0.95)" },
	{ "acosh arccosh", "self=uniform(1, 6)" },
	{ "logit special_logit special_ndtri", "self=uniform(0.05, 0.95)" },
	{ "xlogy special_xlogy", "other=uniform(0.1, 9)" },
	{ "special_xlog1py", "other=uniform(-0.95, 9)" },
	{ "igamma igammac special_gammainc special_gammaincc", "self=uniform(0.2, 5); other=uniform(0.2, 5)" },
	{ "special_zeta", "self=uniform(1.5, 6); other=uniform(0.5, 6)" },
	{ "pow float_power", "self=uniform(0.2, 4); exponent=uniform(-2, 2)" },
	{ "multinomial", "self=uniform(0.1, 1)" },
	{ "bernoulli", "self=uniform(0, 1); p=uniform(0, 1)" },
	{ "binomial", "count=int(1, 20); prob=uniform(0, 1)" },
	{ "normal", "std=uniform(0.1, 2)" },
	{ "linalg_cholesky linalg_cholesky_ex cholesky cholesky_inverse", "self=dominant" },
	{ "cholesky_solve", "input2=dominant" },
	{ "triangular_solve", "A=dominant" },
	{ "linalg_solve_triangular", "self=dominant" },

	/* Divisors: an integer zero raises, and a tiny divisor makes everything else small. */
	{ "div divide true_divide", "other=nonzero" },
	{ "floor_divide fmod remainder div.Tensor_mode div.Scalar_mode divide.Tensor_mode divide.Scalar_mode",
	  "self=normal(0, 40); other=nonzero" },
	{ "addcdiv", "tensor2=nonzero" },
	{ "reciprocal", "self=nonzero" },
	{ "bitwise_left_shift bitwise_right_shift __lshift__ __rshift__ __ilshift__ __irshift__", "other=int(0, 6)" },
	{ "fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask",
	  "scale=uniform(0.02, 0.1); zero_point=int(quant_min, quant_max)" },
	{ "quantize_per_channel", "scales=uniform(0.02, 0.1); zero_points=int(0, 20)" },
	{ "quantize_per_tensor", "scale=uniform(0.02, 0.1); zero_point=int(0, 20)" },

	/* Order. */
	{ "bucketize", "boundaries=sorted(-2, 2)" },
	{ "searchsorted", "sorted_sequence=sorted(-2, 2)" },
	{ "histogram", "bins=sorted(-2, 2)" },
	{ "bincount one_hot", "self=index(32)" },
	{ "repeat_interleave", "repeats=int(0, 3)" },
	{ "grid_sampler grid_sampler_2d grid_sampler_2d_backward grid_sampler_3d grid_sampler_3d_backward",
	  "grid=uniform(-1.2, 1.2)" },

	/* Predicates: both answers must occur, or a constant answer is right. */
	{ "eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar eq.Scalar_out ne.Scalar_out lt.Scalar_out "
	  "le.Scalar_out gt.Scalar_out ge.Scalar_out", "self=near(other)" },
	{ "eq ne lt le gt ge isclose", "self=halves(4); other=halves(4)" },
	{ "threshold threshold_backward", "self=near(threshold)" },
	{ "hardtanh hardtanh_backward", "self=normal((min_val + max_val) / 2.0, max_val - min_val + 0.5)" },
	{ "hardsigmoid hardsigmoid_backward hardswish hardswish_backward", "self=normal(0, 4)" },
	{ "any", "self=bool(1.0 / (numel(self) + 1))" },
	{ "any.dim any.out", "self=bool(1.0 / (size(self, dim) + 1))" },
	{ "any.dims any.dims_out", "self=bool(0.05)" },
	{ "all", "self=bool(1 - 1.0 / (numel(self) + 1))" },
	{ "all.dim all.out", "self=bool(1 - 1.0 / (size(self, dim) + 1))" },
	{ "all.dims all.dims_out", "self=bool(0.95)" },
	{ "isnan isinf isfinite isposinf isneginf nan_to_num", "self=special" },
	{ "nansum nanmean nanmedian", "self=nonfinite" },
	{ "logical_and logical_or logical_xor logical_not nonzero count_nonzero argwhere",
	  "self=int(-1, 1); other=int(-1, 1)" },
	{ "sign sgn signbit heaviside", "self=int(-2, 2)" },
	{ "round floor ceil trunc fix frac", "self=halves(64)" },
	{ NULL, NULL },
};
/* clang-format on */

/* Returns true if the word is `base`, or `base.overload` if there is an overload. */
static bool is_word(const char *word, size_t n, const char *base, size_t len, const char *overload)
{
	if (n < len || strncmp(word, base, len))
		return false;
	if (!overload)
		return n == len;
	return n == len + 1 + strlen(overload) && word[len] == '.' &&
	       !strncmp(word + len + 1, overload, n - len - 1);
}

static const char *look_up(const char *base, size_t len, const char *overload)
{
	for (const struct ay_input_domain *m = ay_input_domains; m->names; m++) {
		const char *p = m->names;

		while (*p) {
			const size_t n = strcspn(p, " ");

			if (is_word(p, n, base, len, overload))
				return m->fills;
			p += n + (p[n] == ' ');
		}
	}
	return NULL;
}

const char *ay_input_domain_fills(const struct ay_schema *s)
{
	const size_t n = strlen(s->base);
	const bool inplace = n > 1 && s->base[n - 1] == '_' && s->base[0] != '_';
	const char *fills;

	if (strcmp(s->ns, "aten"))
		return NULL;
	for (int i = 0; i < 1 + inplace; i++) {
		const size_t len = n - (size_t)i; /* add_ is a form of add */

		fills = s->overload[0] ? look_up(s->base, len, s->overload) : NULL;
		if (!fills)
			fills = look_up(s->base, len, NULL);
		if (fills)
			return fills;
	}
	return NULL;
}

/* --- makers ----------------------------------------------------------------------------------- */

static double unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

/* Returns one of 0 .. n-1; 0 if n is 0. */
static int64_t one_of(uint64_t bits, int64_t n)
{
	return n > 0 ? (int64_t)((unsigned __int128)bits * (uint64_t)n >> 64) : 0;
}

static double number(const struct ay_fill *f, int k)
{
	const struct ay_value *v = k < f->n ? &f->arg[k] : NULL;

	if (!v)
		return 0;
	return v->kind == AY_V_INT       ? (double)v->i
	       : v->kind == AY_V_FLOAT   ? v->f
	       : v->kind == AY_V_BOOL    ? v->b
	       : v->kind == AY_V_COMPLEX ? v->c[0]
					 : 0;
}

/* Returns an integer argument. Case lines are untrusted, so a number larger than any tensor
 * becomes 0. */
static int64_t whole(const struct ay_fill *f, int k)
{
	const double x = number(f, k);

	return x > -0x1p50 && x < 0x1p50 ? (int64_t)x : 0;
}

/* Stores the dimensions in `order`, the one with the longest stride first. */
static void widest_first(const struct ay_view *v, int order[AY_MAX_DIM])
{
	for (int d = 0; d < v->ndim; d++) {
		int k = d;

		for (; k > 0; k--) {
			const int before = order[k - 1];

			if (v->stride[d] < v->stride[before] ||
			    (v->stride[d] == v->stride[before] && v->shape[d] <= v->shape[before]))
				break;
			order[k] = before;
		}
		order[k] = d;
	}
}

/* Stores the index of the element at position i of the storage. A position between elements gets
 * the index of some element. The index along an expanded dimension is 0. */
static void find_place_by(const struct ay_view *v, const int order[AY_MAX_DIM], int64_t i, int64_t at[AY_MAX_DIM])
{
	int64_t rest = i > v->offset ? i - v->offset : 0;

	for (int k = 0; k < v->ndim; k++) {
		const int d = order[k];

		at[d] = v->stride[d] > 0 && v->shape[d] > 1 ? rest / v->stride[d] : 0;
		if (at[d] >= v->shape[d])
			at[d] = v->shape[d] ? v->shape[d] - 1 : 0;
		rest -= at[d] * v->stride[d];
	}
}

static void find_place(const struct ay_view *v, int64_t i, int64_t at[AY_MAX_DIM])
{
	int order[AY_MAX_DIM];

	widest_first(v, order);
	find_place_by(v, order, i, at);
}

/* Divides m places into n shares and returns a random place of the i-th one. If m >= n, different i
 * have different places. */
static double share(int64_t i, int64_t n, int64_t m, uint64_t bits)
{
	const int64_t lo = (int64_t)((__int128)i * m / (n ? n : 1)),
		      hi = (int64_t)((__int128)(i + 1) * m / (n ? n : 1));

	if (n > m)
		return (double)(m ? i % m : 0);
	return (double)(lo + one_of(bits, hi - lo));
}

/* places(m, dim): indices into a dimension of size m, none twice along dim. */
static double make_places(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			  uint64_t bits)
{
	const int64_t m = whole(f, 0);
	int64_t dim = whole(f, 1), at[AY_MAX_DIM];

	(void)c;
	dim += dim < 0 ? o->view.ndim : 0;
	if (dim < 0 || dim >= o->view.ndim)
		return 0;
	find_place(&o->view, i, at);
	return share(at[dim], o->view.shape[dim], m, bits);
}

/* spots(m, k): places in a plane (the last k dimensions) that has m places, none twice in
 * one plane. */
static double make_spots(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			 uint64_t bits)
{
	int64_t at[AY_MAX_DIM], flat = 0, n = 1;

	(void)c;
	find_place(&o->view, i, at);
	for (int d = 0; d < o->view.ndim; d++) {
		if (d < o->view.ndim - whole(f, 1))
			continue;
		flat = flat * o->view.shape[d] + at[d];
		n *= o->view.shape[d];
	}
	return share(flat, n, whole(f, 0), bits);
}

/* Returns element d of an int[] that may have one number for all dimensions; `empty` if the list
 * is empty. */
static int64_t int_for(const struct ay_call *c, const char *name, int d, int64_t empty)
{
	const int n = ay_list_count(c, name);

	return n ? ay_int_at(c, name, d < n ? d : n - 1) : empty;
}

/* The pooling windows along one dimension of self. */
struct windows {
	__int128 k, step, stride, padding;
	int64_t size;
};

/* Returns a random place of window `at` inside self; 0 if the window has none. */
static int64_t in_window(const struct windows *w, int64_t at, uint64_t bits)
{
	const __int128 first = (__int128)at * w->stride - w->padding;
	__int128 lo = 0, hi = w->k;

	if (w->step < 1 || w->k < 1)
		return 0;
	if (first < 0)
		lo = (-first + w->step - 1) / w->step;
	if (first + (w->k - 1) * w->step >= w->size)
		hi = first < w->size ? (w->size - 1 - first) / w->step + 1 : 0;
	return lo < hi ? (int64_t)(first + (lo + one_of(bits, (int64_t)(hi - lo))) * w->step) : 0;
}

/* window: for each pooling window, a place of its largest element in the plane of self. */
static void make_windows(const struct ay_call *c, const struct ay_operand *o, int64_t lo, int64_t hi,
			 const uint64_t (*bits)[2], double *dst)
{
	const struct ay_view *self = ay_t(c, "self"), *v = &o->view;
	const int n = strstr(c->s->base, "3d") ? 3 : 2;
	int64_t at[AY_MAX_DIM];
	int order[AY_MAX_DIM];
	struct windows w[3];

	memset(dst, 0, sizeof *dst * (size_t)(hi - lo));
	if (!self || self->ndim < n || v->ndim < n)
		return;
	for (int d = 0; d < n; d++) {
		w[d] = (struct windows){ .k = int_for(c, "kernel_size", d, 1),
					 .step = int_for(c, "dilation", d, 1),
					 .padding = int_for(c, "padding", d, 0),
					 .size = self->shape[self->ndim - n + d] };
		w[d].stride = int_for(c, "stride", d, (int64_t)w[d].k);
	}
	widest_first(v, order);
	for (int64_t i = lo; i < hi; i++) {
		uint64_t chance = bits[i - lo][0];
		int64_t flat = 0;

		find_place_by(v, order, i, at);
		for (int d = 0; d < n; d++) {
			flat = flat * w[d].size + in_window(&w[d], at[v->ndim - n + d], chance);
			chance = chance * 6364136223846793005u +
				 1442695040888963407u; /* new random bits for the next dimension */
		}
		dst[i - lo] = (double)flat;
	}
}

static double make_window(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			  uint64_t bits)
{
	const uint64_t one[1][2] = { { bits, 0 } };
	double x;

	(void)f;
	make_windows(c, o, i, i + 1, one, &x);
	return x;
}

/* list_index: a tensor in the list of `index`: a mask, or indices into the dimension at
 * its place. */
static double make_list_index(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f,
			      int64_t i, uint64_t bits)
{
	const struct ay_view *self = ay_t(c, "self");
	int dim = 0;

	(void)f, (void)i;
	if (o->view.dt == AY_DT_B8 || o->view.dt == AY_DT_U8)
		return (double)(bits >> 63);
	for (int k = 0; k < c->s->narg; k++)
		for (int j = 0; !strcmp(c->arg[k].s->name, o->name) && j < c->arg[k].n && c->arg[k].t[j] != o;
		     j++) {
			const struct ay_operand *before = c->arg[k].t[j];
			const bool mask = before && (before->view.dt == AY_DT_B8 || before->view.dt == AY_DT_U8);

			dim += mask ? before->view.ndim : 1;
		}
	return self && dim < self->ndim ? (double)one_of(bits, self->shape[dim]) : 0;
}

/* steps(n): increases from 0 in equal steps; with include_last_offset up to n itself. */
static double make_steps(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			 uint64_t bits)
{
	const bool whole = ay_has_arg(c, "include_last_offset") && ay_flag(c, "include_last_offset");
	const int64_t parts = ay_numel_of(&o->view) - (whole ? 1 : 0);

	(void)bits;
	return parts > 0 ? floor((double)i * number(f, 0) / (double)parts) : 0;
}

/* classes(n): labels 0 .. n-1; for a floating dtype, probabilities. */
static double make_classes(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			   uint64_t bits)
{
	(void)c, (void)i;
	return ay_dt_is_integral(o->view.dt) ? (double)one_of(bits, whole(f, 0)) : unit(bits);
}

static bool is_unsigned(enum ay_dt dt)
{
	return dt == AY_DT_U8 || dt == AY_DT_B8;
}

/* nonzero: of both signs, not near 0. */
static double make_nonzero(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			   uint64_t bits)
{
	const double x = ay_dt_is_integral(o->view.dt) ? 1 + floor(9 * unit(bits)) : 0.5 + 2.5 * unit(bits);

	(void)c, (void)f, (void)i;
	return bits & 1 && !is_unsigned(o->view.dt) ? -x : x;
}

/* halves(n): multiples of 1/2 between -n/4 and n/4. They give ties of rounding, and
 * equal values. */
static double make_halves(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			  uint64_t bits)
{
	const int64_t n = whole(f, 0), k = one_of(bits, n + 1);

	(void)c, (void)i;
	if (ay_dt_is_integral(o->view.dt))
		return (double)(is_unsigned(o->view.dt) ? k / 2 : k - n / 2);
	return (double)(k - n / 2) / 2;
}

/* near(x): values below, at and above x. */
static double make_near(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			uint64_t bits)
{
	const double x = number(f, 0), k = (double)(one_of(bits, 5) - 2);

	(void)c, (void)i;
	if (o->view.dt == AY_DT_B8)
		return (double)(bits >> 63);
	if (!isfinite(x))
		return bits & 1 ? x : k;
	return x + (ay_dt_is_integral(o->view.dt) ? k : k / 2);
}

/* dominant: symmetric, with a diagonal that outweighs its row. So it is positive definite, and each
 * of its triangles is easy to solve. */
static double make_dominant(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f,
			    int64_t i, uint64_t bits)
{
	const int n = o->view.ndim;
	int64_t at[AY_MAX_DIM], lo, hi;
	uint64_t h;

	(void)c, (void)f;
	if (n < 2)
		return 1;
	find_place(&o->view, i, at);
	lo = at[n - 1] < at[n - 2] ? at[n - 1] : at[n - 2];
	hi = at[n - 1] < at[n - 2] ? at[n - 2] : at[n - 1];
	if (lo == hi)
		return 1 + (double)o->view.shape[n - 1] / 2 + unit(bits);
	h = ((uint64_t)lo * 2654435761u + (uint64_t)hi) * 0x9e3779b97f4a7c15u;
	return unit(h ^ h >> 29) - 0.5;
}

const struct ay_maker ay_input_domain_makers[] = {
	{ "places", make_places },
	{ "spots", make_spots },
	{ "window", make_window, make_windows },
	{ "list_index", make_list_index },
	{ "steps", make_steps },
	{ "classes", make_classes },
	{ "nonzero", make_nonzero, .anywhere = true },
	{ "halves", make_halves, .anywhere = true },
	{ "near", make_near, .anywhere = true },
	{ "dominant", make_dominant },
	{ 0 },
};
