/* SPDX-License-Identifier: Apache-2.0 */
#include "op/original_coverage.h"

#include <string.h>

/* Counted from the test functions at that commit: the product of their parameters. */
const struct ay_original_coverage ay_original_coverages[] = {
	{ "aten::_index_put_impl_", 7 },
	{ "aten::_local_scalar_dense", 8 },
	{ "aten::_softmax", 72, NULL,
	  "36 call another operator, 6 normalise over one element, where every answer is 1 or NaN" },
	{ "aten::_to_copy", 26 },
	{ "aten::acosh", 33, NULL, "15 take plain numbers: no tensor kernels" },
	{ "aten::add", 650, NULL, "two of plain numbers are quick" },
	{ "aten::add_", 360 },
	{ "aten::affine_grid_generator", 72, NULL,
	  "the other half is the same calls through out=, which are derived here" },
	{ "aten::amin", 468 },
	{ "aten::arange", 756, NULL,
	  "189 four times: pin_memory False and None are the same, and half make a tensor that no candidate "
	  "sees" },
	{ "aten::argmax", 126, NULL,
	  "48 are not legal: a dimension that is not there, or nothing to choose from" },
	{ "aten::as_strided", 117 },
	{ "aten::asin", 33, NULL, "15 take plain numbers: no tensor kernels" },
	{ "aten::bernoulli", 90, "demands PyTorch's own random stream" },
	{ "aten::binary_cross_entropy_with_logits", 216, NULL,
	  "the other half is the same calls through out=, which are derived here" },
	{ "aten::bitwise_not", 18 },
	{ "aten::bmm", 9, "always raises" },
	{ "aten::cat", 3, "three cases of empty tensors are left of it", "and the 130 of its history" },
	{ "aten::clone", 36 },
	{ "aten::contiguous", 30, NULL, "6 end before the call" },
	{ "aten::copy_", 23 },
	{ "aten::cos", 18 },
	{ "aten::cosh", 34, NULL, "16 take plain numbers: no tensor kernels" },
	{ "aten::cumsum", 25, "always raises" },
	{ "aten::diff", 39 },
	{ "aten::div", 170, "two cases multiply, six always fail", "two of plain numbers are quick" },
	{ "aten::div_", 96, "six cases always raise" },
	{ "aten::embedding", 288, "always raises", "padding_idx None means -1, which is there already" },
	{ "aten::empty_strided", 90 },
	{ "aten::eq", 0, "no test", "as intended" },
	{ "aten::erfc", 30, NULL, "12 take plain numbers: no tensor kernels" },
	{ "aten::expand", 0, "no test", "as intended" },
	{ "aten::expand_as", 0, "no test", "as intended" },
	{ "aten::exponential_", 0, "no test", "3 intended, each for three values of lambd" },
	{ "aten::fill_", 0, "no test", "54 intended, each with a number and with a tensor" },
	{ "aten::floor", 35, NULL, "17 take plain numbers: no tensor kernels" },
	{ "aten::floor_divide", 20, NULL,
	  "12 divide by a tensor and by two of no dimension: one case each here; two of plain numbers are quick" },
	{ "aten::fmax", 18 },
	{ "aten::full", 144, NULL, "each makes two calls, 162 distinct ones" },
	{ "aten::gather", 27 },
	{ "aten::gt", 36 },
	{ "aten::hardsigmoid", 18, NULL, "the other half is the same calls through out=, which are derived here" },
	{ "aten::heaviside", 18 },
	{ "aten::huber_loss", 162, NULL, "the other half is the same calls through out=, which are derived here" },
	{ "aten::i0", 18 },
	{ "aten::im2col", 72, NULL, "the other half is the same calls through out=, which are derived here" },
	{ "aten::index", 30, "never calls the candidate", "two expect another project's error texts" },
	{ "aten::index_put_", 44, "never calls the candidate, and its accumulating cases raise",
	  "one expects another project's error text" },
	{ "aten::index_select", 18 },
	{ "aten::item", 6 },
	{ "aten::le", 36 },
	{ "aten::linear", 5184, "calls another operator",
	  "36 cases of another operator in a square of themselves; these are ours" },
	{ "aten::log10", 35, NULL, "17 take plain numbers: no tensor kernels" },
	{ "aten::log_sigmoid_backward", 18, NULL,
	  "the other half is the same calls through grad_input=, which are derived here" },
	{ "aten::logaddexp2", 18 },
	{ "aten::logit", 54 },
	{ "aten::margin_ranking_loss", 81 },
	{ "aten::masked_fill_", 162 },
	{ "aten::matmul", 5184, "calls another operator",
	  "36 cases of another operator in a square of themselves; these are ours" },
	{ "aten::mean", 45 },
	{ "aten::mish", 18, NULL, "the other half is the same calls through out=, which are derived here" },
	{ "aten::mish_backward", 9 },
	{ "aten::mm", 18, "always raises" },
	{ "aten::mul", 164, NULL, "two of plain numbers are quick" },
	{ "aten::narrow", 18, NULL, "3 return before they call anything" },
	{ "aten::neg", 18 },
	{ "aten::new_empty_strided", 81 },
	{ "aten::new_ones", 48 },
	{ "aten::ones_like", 18 },
	{ "aten::pairwise_distance", 117 },
	{ "aten::poisson", 36, "demands PyTorch's own random stream",
	  "with and without a generator is one case here, where there always is one" },
	{ "aten::polygamma", 54 },
	{ "aten::pow", 162, "the 72 cases with a number as exponent always raise" },
	{ "aten::prelu", 36 },
	{ "aten::reflection_pad1d_backward", 54, NULL,
	  "the other half is the same calls through grad_input=, which are derived here" },
	{ "aten::renorm", 144 },
	{ "aten::reshape", 42 },
	{ "aten::resolve_conj", 0, "no test", "as intended" },
	{ "aten::resolve_neg", 0, "no test", "as intended" },
	{ "aten::rot90", 306, NULL, "the other half is the same calls through out=, which are derived here" },
	{ "aten::rrelu_with_noise", 72, "demands PyTorch's own random stream, and never looks at noise" },
	{ "aten::rrelu_with_noise_backward", 36 },
	{ "aten::rsqrt", 18 },
	{ "aten::rsub", 144 },
	{ "aten::scalar_tensor", 48 },
	{ "aten::scatter", 84 },
	{ "aten::select", 9 },
	{ "aten::select_backward", 108, NULL,
	  "the other half is the same calls through out=, which are derived here" },
	{ "aten::sgn", 18 },
	{ "aten::silu", 36, NULL, "18 call silu_backward, another operator" },
	{ "aten::sin", 18 },
	{ "aten::smooth_l1_loss_backward", 162, NULL,
	  "the other half is the same calls through grad_input=, which are derived here" },
	{ "aten::soft_margin_loss", 54, NULL,
	  "the other half is the same calls through out=, which are derived here" },
	{ "aten::softmax", 36, NULL, "6 normalise over one element, where every answer is 1 or NaN" },
	{ "aten::softplus_backward", 108, NULL,
	  "the other half is the same calls through grad_input=, which are derived here" },
	{ "aten::sort", 320, NULL, "8 stable ones with ties are ours" },
	{ "aten::special_entr", 18 },
	{ "aten::square", 27 },
	{ "aten::stack", 60 },
	{ "aten::sub", 650, NULL, "two of plain numbers are quick" },
	{ "aten::sum", 45 },
	{ "aten::t", 18 },
	{ "aten::to", 48 },
	{ "aten::unsafe_split", 162, NULL,
	  "the other half is the same calls through out=, which are derived here" },
	{ "aten::unsafe_split_with_sizes", 54, NULL,
	  "the other half is the same calls through out=, which are derived here" },
	{ "aten::unsqueeze", 69 },
	{ "aten::upsample_nearest2d_backward", 36, NULL,
	  "the other half is the same calls through grad_input=, which are derived here" },
	{ "aten::zero_", 36 },
	{ "aten::zeros", 48, NULL, "each makes two calls, 54 distinct ones" },
	{ "aten::zeros_like", 18 },
	{ 0 },
};

const struct ay_omitted ay_omissions[] = {
	{ "aten::_index_put_impl_", AY_OMIT_TWIN, "hacked_twin" },
	{ "aten::acosh", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::add", AY_OMIT_NUMBERS,
	  "complex complex_float complex_int default float float_complex float_int int int_complex int_float" },
	{ "aten::add", AY_OMIT_LISTS, "str t" },
	{ "aten::add_", AY_OMIT_LISTS, "t" },
	{ "aten::asin", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::cat", AY_OMIT_NAMED, "names names_out" },
	{ "aten::cos", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::cosh", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::cumsum", AY_OMIT_NAMED, "dimname dimname_out" },
	{ "aten::div", AY_OMIT_NUMBERS, "complex default float int" },
	{ "aten::eq", AY_OMIT_NUMBERS,
	  "bool complex complex_float default float float_complex float_int int int_float" },
	{ "aten::eq", AY_OMIT_LISTS, "Tensor_list bool_list device enum float_list int_list str str_list" },
	{ "aten::erfc", AY_OMIT_NUMBERS, "Scalar float int" },
	{ "aten::floor", AY_OMIT_NUMBERS, "Scalar float int" },
	{ "aten::full", AY_OMIT_NAMED, "names names_out" },
	{ "aten::gather", AY_OMIT_NAMED, "dimname dimname_out" },
	{ "aten::gt", AY_OMIT_NUMBERS, "default float float_int int int_float" },
	{ "aten::gt", AY_OMIT_LISTS, "str" },
	{ "aten::index", AY_OMIT_LISTS, "list_Tensor list_bool list_float list_int list_str str" },
	{ "aten::index", AY_OMIT_TWIN, "Tensor_hacked_twin" },
	{ "aten::index_put_", AY_OMIT_TWIN, "hacked_twin" },
	{ "aten::index_select", AY_OMIT_NAMED, "dimname dimname_out" },
	{ "aten::le", AY_OMIT_NUMBERS, "default float float_int int int_float" },
	{ "aten::le", AY_OMIT_LISTS, "str" },
	{ "aten::log10", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::mean", AY_OMIT_NAMED, "names_dim names_out" },
	{ "aten::mul", AY_OMIT_NUMBERS,
	  "complex complex_float complex_int default float float_complex float_int int int_complex int_float" },
	{ "aten::mul", AY_OMIT_LISTS, "left_t right_" },
	{ "aten::neg", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::pow", AY_OMIT_NUMBERS,
	  "Scalar_Scalar complex complex_float float float_complex float_int int int_float int_to_int" },
	{ "aten::scatter", AY_OMIT_NAMED, "dimname_src dimname_value" },
	{ "aten::select", AY_OMIT_LISTS, "t" },
	{ "aten::select", AY_OMIT_NAMED, "Dimname" },
	{ "aten::sin", AY_OMIT_NUMBERS, "Scalar complex float int" },
	{ "aten::softmax", AY_OMIT_NAMED, "Dimname" },
	{ "aten::sort", AY_OMIT_LISTS, "Tensor any bool float int str" },
	{ "aten::sort", AY_OMIT_NAMED, "dimname dimname_stable dimname_values dimname_values_stable" },
	{ "aten::sub", AY_OMIT_NUMBERS,
	  "complex complex_float complex_int default float float_complex float_int int int_complex int_float" },
	{ "aten::sum", AY_OMIT_LISTS, "bool complex float int" },
	{ "aten::sum", AY_OMIT_NAMED, "DimnameList_out dim_DimnameList" },
	{ "aten::zeros", AY_OMIT_NAMED, "names names_out" },
	{ 0 },
};

static const struct {
	const char *word, *text;
} omits[AY_OMIT_COUNT] = {
#define X(name, word, text) { word, text },
	AY_OMITS(X)
#undef X
};

const char *ay_omit_word(enum ay_omit o)
{
	return omits[o].word;
}

const char *ay_omit_text(enum ay_omit o)
{
	return omits[o].text;
}

int ay_omitted_count(const struct ay_omitted *o)
{
	int n = 1;

	for (const char *p = o->overloads; *p; p++)
		n += *p == ' ';
	return n;
}

const struct ay_original_coverage *ay_original_coverage_find(const char *name)
{
	for (const struct ay_original_coverage *o = ay_original_coverages; o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}
