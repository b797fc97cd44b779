# SPDX-License-Identifier: Apache-2.0
"""Maps overloads of aten to the functions of FlagGems that implement them.

The names are those that FlagGems registers with torch's dispatcher (3.0 and the development version
of August 2026; where these differ, both are tried). "add.Tensor:add" is the overload and the
function. Without a colon the function has the overload's name, with "_" for the dot. There are no
adapters: a registered function takes the overload's arguments in its order, and keyword arguments
under their names.

The package is imported in the jail, because it is under test. Names in the package itself come
before those in flag_gems.ops: the package puts there what it has made for the present machine, and
its users run that.
"""
import importlib
import multiprocessing
import os
import threading

TABLE = """
    __and__.Scalar:bitwise_and_scalar __and__.Tensor:bitwise_and_tensor __ilshift__.Tensor:__ilshift__
    __ior__.Scalar:bitwise_or_scalar_ __ior__.Tensor:bitwise_or_tensor_ __irshift__.Tensor:__irshift__
    __ixor__.Scalar:xor_scalar_ __ixor__.Tensor:xor_ __or__.Scalar:bitwise_or_scalar __or__.Tensor:bitwise_or_tensor
    __rshift__.Scalar:__rshift__ __rshift__.Scalar_out:__rshift__ __rshift__.Tensor:__rshift__
    __rshift__.Tensor_out:__rshift__ __xor__.Scalar:xor_scalar __xor__.Tensor:xor
    _adaptive_avg_pool2d:adaptive_avg_pool2d _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward
    _add_relu.Tensor:_add_relu _add_relu_.Tensor:_add_relu_ _amp_foreach_non_finite_check_and_unscale_
    _amp_update_scale_ _assert_async _batch_norm_impl_index _batch_norm_impl_index_backward _batch_norm_no_update
    _batch_norm_with_update_functional _cdist_backward _cdist_forward _cholesky_solve_helper _chunk_cat
    _compute_linear_combination _compute_linear_combination.out _conj _conj_copy _conj_copy.out _conv_depthwise2d
    _convert_weight_to_int4pack _convolution_double_backward _convolution_mode
    _cudnn_attention_forward:cudnn_attention_forward _cummin_helper _dyn_quant_pack_4bit_weight
    _efficient_attention_backward:efficient_attention_backward _embedding_bag_dense_backward
    _embedding_bag_per_sample_weights_backward _euclidean_dist _fake_quantize_learnable_per_tensor_affine
    _flash_attention_backward:flash_attention_backward _flash_attention_forward
    _functional_assert_async.msg:_functional_assert_async _functional_sym_constrain_range
    _functional_sym_constrain_range_for_size _fused_adam _fused_adam_ _fused_moving_avg_obs_fq_helper
    _fused_rms_norm _fused_rms_norm_backward _grouped_mm:group_mm _has_compatible_shallow_copy_type _index_put_impl_
    _is_all_true _jagged_to_padded_dense_forward _linalg_eigvals _list_to_tensor _log_softmax:log_softmax
    _log_softmax.out:log_softmax_out _log_softmax_backward_data:log_softmax_backward
    _log_softmax_backward_data.out:log_softmax_backward_out _make_dep_token _masked_scale _native_batch_norm_legit
    _native_batch_norm_legit.no_stats _native_batch_norm_legit.no_stats_out _native_batch_norm_legit.out
    _native_batch_norm_legit_functional _native_batch_norm_legit_no_training _nested_view_from_buffer_copy
    _pdist_backward _pdist_forward _prelu_kernel _prelu_kernel_backward _reshape_alias _resize_output
    _resize_output_ _safe_softmax _scaled_dot_product_attention_math _scaled_dot_product_cudnn_attention
    _scaled_dot_product_cudnn_attention_backward:scaled_dot_product_cudnn_attention_backward
    _scaled_dot_product_efficient_attention
    _scaled_dot_product_efficient_attention_backward:scaled_dot_product_efficient_attention_backward
    _scaled_dot_product_flash_attention
    _scaled_dot_product_flash_attention_backward:scaled_dot_product_flash_attention_backward
    _scaled_dot_product_fused_attention_overrideable _scaled_grouped_mm:scaled_grouped_mm _scaled_mm:scaled_mm
    _scaled_mm.out:scaled_mm_out _segment_reduce_backward _segment_reduce_backward.out _softmax:softmax
    _softmax.out:softmax_out _softmax_backward_data:softmax_backward _softmax_backward_data.out:softmax_backward_out
    _sparse_semi_structured_mm _thnn_fused_lstm_cell _thnn_fused_lstm_cell_backward_impl _to_copy:to_copy _unique2
    _unsafe_masked_index _unsafe_masked_index_put_accumulate _unsafe_view _upsample_bicubic2d_aa
    _upsample_bicubic2d_aa_backward _upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward
    _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact2d_backward _upsample_nearest_exact3d
    _weight_int4pack_mm_with_scales_and_zeros _weight_norm _weight_norm_interface:weight_norm_interface
    _weight_norm_interface_backward:weight_norm_interface_backward abs abs_ absolute absolute_ acos acos_ acosh
    acosh_ adaptive_avg_pool1d adaptive_max_pool2d adaptive_max_pool2d_backward adaptive_max_pool3d_backward
    add.Tensor:add add_.Tensor:add_ addbmm addbmm_ addcdiv addcdiv.out addcdiv_ addcmul addcmul.out addcmul_ addmm
    addmm.dtype addmm.dtype_out addmm.out addmm_ addmv addmv.out addmv_ addr addr_ affine_grid_generator alias
    alias_copy all all.dim all.dims allclose alpha_dropout amax amin aminmax angle any any.dim any.dims arange
    arange.start arange.start_step:arange_start arccos arccos_ arccosh arccosh.out arccosh_ arcsin arcsin.out:arcsin
    arcsin_ arcsinh arcsinh.out arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh.out arctanh_ argmax argmin
    argsort as_strided_copy as_strided_copy.out as_strided_scatter asin asin_ asinh asinh.out asinh_ atan atan2
    atan2.out atan2_ atan_ atanh avg_pool1d avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward baddbmm
    baddbmm.out baddbmm_ bernoulli bernoulli_.float:bernoulli_ bilinear binary_cross_entropy
    binary_cross_entropy.out binary_cross_entropy_backward binary_cross_entropy_with_logits bincount
    bitwise_and.Scalar:bitwise_and_scalar bitwise_and.Scalar_Tensor:bitwise_and_scalar_tensor
    bitwise_and.Tensor:bitwise_and_tensor bitwise_and_.Scalar:bitwise_and_scalar_
    bitwise_and_.Tensor:bitwise_and_tensor_ bitwise_not bitwise_not_ bitwise_or.Scalar:bitwise_or_scalar
    bitwise_or.Scalar_Tensor:bitwise_or_scalar_tensor bitwise_or.Tensor:bitwise_or_tensor
    bitwise_or_.Scalar:bitwise_or_scalar_ bitwise_or_.Tensor:bitwise_or_tensor_
    bitwise_xor.Scalar:bitwise_xor_scalar bitwise_xor.Scalar_Tensor:bitwise_xor_scalar_tensor
    bitwise_xor.Tensor:bitwise_xor_tensor bitwise_xor_.Scalar:bitwise_xor_scalar_
    bitwise_xor_.Tensor:bitwise_xor_tensor_ blackman_window blackman_window.periodic block_diag bmm bmm.out
    broadcast_tensors broadcast_to bucketize.Tensor:bucketize cat cat.out cauchy cauchy_ cdist ceil ceil.out ceil_
    celu celu_ chalf channel_shuffle cholesky_inverse cholesky_solve cholesky_solve.out choose_qparams_optimized
    chunk clamp clamp.Tensor:clamp_tensor clamp_ clamp_.Tensor:clamp_tensor_ clamp_max clamp_max_ clamp_min
    clamp_min_ clip clip_ col2im concat concatenate conj_physical constant_pad_nd contiguous conv1d
    conv1d.padding:conv1d conv2d conv2d.padding:conv2d conv3d conv3d.padding:conv3d conv_transpose1d copy_ copysign
    copysign.out copysign_.Tensor:copysign_ cos cos_ cosh cosh.out cosh_ count_nonzero ctc_loss.IntList:ctc_loss
    ctc_loss.Tensor:ctc_loss cudnn_batch_norm_backward cudnn_convolution cummax cummaxmin_backward cummin cumprod
    cumprod_ cumsum cumsum.out cumsum_ deg2rad deg2rad.out deg2rad_ dequantize.self:dequantize diag diag_embed
    diagonal_backward diagonal_copy diagonal_scatter diff digamma digamma_ dist div.Scalar:true_divide
    div.Scalar_mode:div_mode div.Tensor:true_divide div.Tensor_mode:div_mode div.out:true_divide_out
    div_.Scalar:true_divide_ div_.Scalar_mode:div_mode_ div_.Tensor:true_divide_ div_.Tensor_mode:div_mode_
    divide.Scalar:true_divide divide.Scalar_mode:div_mode divide.Tensor:true_divide divide.Tensor_mode:div_mode
    divide_.Scalar:true_divide_ divide_.Scalar_mode:div_mode_ divide_.Tensor:true_divide_
    divide_.Tensor_mode:div_mode_ dot elu elu_ elu_backward embedding embedding_backward embedding_dense_backward
    empty_permuted eq.Scalar:eq_scalar eq.Tensor:eq eq_.Scalar:eq_scalar_ eq_.Tensor:eq_ equal erf erf_ erfc erfc_
    erfinv erfinv_ exp exp.out exp2 exp2_ exp_ expand expand_as expand_copy expm1 expm1.out expm1_ exponential_ eye
    eye.m fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask
    fake_quantize_per_channel_affine_cachemask.out feature_dropout feature_dropout_ fill.Scalar:fill_scalar
    fill.Scalar_out:fill_scalar_out fill.Tensor:fill_tensor fill.Tensor_out:fill_tensor_out
    fill_.Scalar:fill_scalar_ fill_.Tensor:fill_tensor_ fix fix_ flatten.using_ints:flatten flip
    float_power.Scalar:float_power_scalar_tensor float_power.Scalar_out:float_power_scalar_tensor_out
    float_power.Tensor_Scalar:float_power_tensor_scalar float_power.Tensor_Scalar_out:float_power_tensor_scalar_out
    float_power.Tensor_Tensor:float_power_tensor_tensor float_power.Tensor_Tensor_out:float_power_tensor_tensor_out
    float_power_.Scalar:float_power_tensor_scalar_ float_power_.Tensor:float_power_tensor_tensor_ floor floor.out
    floor_ floor_divide floor_divide.Scalar:floor_divide floor_divide_.Scalar:floor_divide_
    floor_divide_.Tensor:floor_divide_ fmax fmax.out fmin fmin.out fmod.Scalar:fmod_scalar fmod.Tensor:fmod_tensor
    fmod_.Scalar:fmod_scalar_ fmod_.Tensor:fmod_tensor_ frac frac_ fractional_max_pool2d
    fractional_max_pool2d_backward frexp full full_like gather gather_backward gcd gcd.out gcd_ ge.Scalar:ge_scalar
    ge.Tensor:ge gelu gelu_ gelu_backward glu glu_backward greater.Scalar:greater_scalar
    greater.Scalar_out:greater_scalar_out greater.Tensor:greater greater_equal.Scalar:ge_scalar
    greater_equal.Tensor:ge greater_equal_.Tensor:greater_equal_ grid_sampler_3d_backward gt.Scalar:gt_scalar
    gt.Tensor:gt gt_.Scalar:gt_scalar_ gt_.Tensor:gt_tensor_ hardshrink hardshrink.out hardsigmoid hardsigmoid.out
    hardsigmoid_ hardswish hardswish_ hardtanh_ heaviside heaviside_ histc hstack huber_loss huber_loss.out hypot
    hypot_ i0 i0.out i0_ igamma_ igammac_ im2col index.Tensor:index index_add index_add_ index_copy index_copy_
    index_fill.int_Scalar:index_fill index_fill.int_Tensor:index_fill index_fill_.int_Scalar:index_fill_
    index_fill_.int_Tensor:index_fill_ index_put index_put_ index_reduce_ index_select index_select_backward
    is_nonzero isclose isfinite isin.Scalar_Tensor:isin isin.Tensor_Scalar:isin isin.Tensor_Tensor:isin isinf isnan
    isneginf isneginf.out isposinf kron kthvalue lcm lcm_ le.Scalar:le_scalar le.Tensor:le le_.Scalar:le_scalar_
    le_.Tensor:le_ leaky_relu leaky_relu.out leaky_relu_ leaky_relu_backward lerp.Scalar:lerp_scalar
    lerp.Tensor:lerp_tensor lerp_.Scalar:lerp_scalar_ lerp_.Tensor:lerp_tensor_ less.Scalar:lt_scalar less.Tensor:lt
    less_.Scalar:less_scalar_ less_.Tensor:less_ less_equal.Scalar:less_equal_scalar less_equal.Tensor:less_equal
    less_equal_.Scalar:less_equal_scalar_ less_equal_.Tensor:less_equal_ lgamma lgamma_ lift lift.out lift_fresh
    lift_fresh_copy linalg_cholesky linalg_cross linalg_cross.out linalg_det linalg_det.out
    linalg_householder_product linalg_ldl_factor:ldl_factor linalg_ldl_factor_ex:ldl_factor_ex linalg_ldl_solve
    linalg_lstsq linalg_lu linalg_lu.out linalg_lu_factor linalg_lu_factor.out linalg_lu_factor_ex
    linalg_lu_factor_ex.out linalg_matrix_norm linalg_slogdet linalg_solve_triangular linalg_solve_triangular.out
    linalg_svd linalg_svdvals linalg_vecdot linalg_vecdot.out linalg_vector_norm:vector_norm linear linear_backward
    linspace log log10 log10.out log10_ log1p log1p.out log1p_ log2 log2_ log_ log_normal_ log_sigmoid
    log_sigmoid_backward log_sigmoid_backward.grad_input:log_sigmoid_backward_out log_sigmoid_forward logaddexp
    logaddexp.out logaddexp2 logaddexp2.out logcumsumexp logcumsumexp.out logical_and logical_and_ logical_not
    logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit.out logit_ logit_backward logspace
    logsumexp lt.Scalar:lt_scalar lt.Tensor:lt lt_.Scalar:lt_scalar_ lt_.Tensor:lt_ lu_unpack lu_unpack.out
    margin_ranking_loss masked_fill.Scalar:masked_fill masked_fill.Tensor:masked_fill
    masked_fill_.Scalar:masked_fill_ masked_fill_.Tensor:masked_fill_ masked_scatter masked_scatter_
    masked_scatter_backward masked_select max max.dim max_pool2d_backward max_pool2d_with_indices
    max_pool2d_with_indices_backward max_pool3d_with_indices max_pool3d_with_indices_backward max_unpool2d
    max_unpool3d maximum mean mean.dim median median.dim median.dim_values median.out min min.dim minimum
    miopen_batch_norm_backward mish mish_ mish_backward mm mm.out mode mse_loss mse_loss_backward mul.Tensor:mul
    mul_.Tensor:mul_ multinomial multiply.Scalar:multiply multiply.Tensor:multiply multiply_.Scalar:multiply_
    multiply_.Tensor:multiply_ mv mvlgamma mvlgamma_ nan_to_num nan_to_num_ nanmedian nanmedian.dim
    nanmedian.dim_values nanmedian.out nansum nansum.out narrow narrow_copy native_batch_norm:batch_norm
    native_batch_norm_backward:batch_norm_backward native_dropout:dropout native_dropout_backward
    native_group_norm:group_norm native_group_norm_backward:group_norm_backward native_layer_norm
    native_layer_norm_backward:layer_norm_backward ne.Scalar:ne_scalar ne.Tensor:ne ne_.Scalar:ne_scalar_
    ne_.Tensor:ne_ neg neg_ negative negative_ new_full new_ones nextafter nextafter_ nll_loss2d_backward
    nll_loss2d_forward nll_loss_backward nll_loss_forward nonzero nonzero_numpy nonzero_static nonzero_static.out
    norm.Scalar:norm_scalar norm.ScalarOpt_dim:norm_scalaropt_dim normal.Tensor_Tensor:normal_tensor_tensor
    normal.Tensor_float:normal_tensor_float normal.float_Tensor:normal_float_tensor normal_
    not_equal.Scalar:not_equal_scalar not_equal.Tensor:not_equal one_hot ones ones_like ormqr pad pairwise_distance
    pdist permute_copy pixel_shuffle pixel_unshuffle pixel_unshuffle.out poisson polar polygamma polygamma.out
    polygamma_ pow.Scalar:pow_scalar pow.Tensor_Scalar:pow_tensor_scalar pow.Tensor_Tensor:pow_tensor_tensor
    pow_.Scalar:pow_tensor_scalar_ pow_.Tensor:pow_tensor_tensor_ prelu prod prod.dim_int:prod_dim quantile rad2deg
    rad2deg_ rand rand_like randint randint_like randn randn_like randperm range:range_op reciprocal reciprocal_
    reflection_pad1d reflection_pad1d.out reflection_pad1d_backward reflection_pad2d reflection_pad2d.out
    reflection_pad2d_backward reflection_pad3d reflection_pad3d.out:reflection_pad3d reflection_pad3d_backward relu
    relu6 relu_ remainder remainder.Scalar:remainder remainder.Scalar_Tensor:remainder remainder.Tensor:remainder
    remainder_.Scalar:remainder_ remainder_.Tensor:remainder_ renorm renorm_ repeat
    repeat_interleave.Tensor:repeat_interleave_tensor repeat_interleave.self_Tensor:repeat_interleave_self_tensor
    repeat_interleave.self_int replication_pad1d replication_pad1d.out replication_pad2d replication_pad2d.out
    replication_pad2d_backward replication_pad2d_backward.grad_input replication_pad3d replication_pad3d_backward
    resize resize_ resize_as resize_as_ resolve_conj resolve_neg rms_norm roll rot90 round round.out round_
    rrelu_with_noise_backward rrelu_with_noise_functional rsqrt rsqrt_ rsub.Scalar:rsub_scalar
    rsub.Tensor:rsub_tensor scalar_tensor scatter.reduce:scatter scatter.src:scatter scatter_.reduce:scatter_
    scatter_.src:scatter_ scatter_add scatter_add_ scatter_reduce.two:scatter_reduce
    scatter_reduce.two_out:scatter_reduce_out scatter_reduce_.two:scatter_reduce_
    searchsorted.Scalar:searchsorted_scalar searchsorted.Scalar_out:searchsorted_scalar_out
    searchsorted.Tensor:searchsorted searchsorted.Tensor_out:searchsorted_out segment_reduce segment_reduce.out
    select_backward select_scatter selu selu_ sgn sgn.out sgn_ sigmoid sigmoid_ sigmoid_backward sign sign.out
    signbit signbit.out silu silu_ silu_backward sin sin_ sinc sinc_ sinh sinh_ slice_backward slice_scatter
    smooth_l1_loss smooth_l1_loss.out smooth_l1_loss_backward soft_margin_loss soft_margin_loss_backward softplus
    softplus_backward softshrink softshrink.out sort sort.stable sparse_sampled_addmm sparse_sampled_addmm.out
    special_airy_ai special_airy_ai.out special_bessel_j0 special_bessel_j1 special_bessel_y0
    special_chebyshev_polynomial_u special_chebyshev_polynomial_u.n_scalar:special_chebyshev_polynomial_u
    special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_digamma special_erf special_erfc
    special_erfcx special_erfinv special_erfinv.out special_exp2 special_expit special_gammainc
    special_gammaincc:igammac special_gammaincc.out:igammac_out special_gammaln special_gammaln.out
    special_hermite_polynomial_h special_i0e special_i1 special_i1e special_legendre_polynomial_p special_log1p
    special_log1p.out special_log_softmax special_logsumexp special_modified_bessel_k0
    special_modified_bessel_k0.out special_modified_bessel_k1 special_modified_bessel_k1.out special_multigammaln
    special_round special_round.out special_scaled_modified_bessel_k1 special_scaled_modified_bessel_k1.out
    special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_sinc special_xlog1py
    split_with_sizes_copy sqrt sqrt_ square square.out square_ squeeze_copy stack std.correction:std sub.Tensor:sub
    sub_.Tensor:sub_ subtract.Tensor:subtract subtract_.Tensor:subtract_ sum sum.IntList_out:sum_dim_out
    sum.dim_IntList:sum_dim sum.out svd sym_storage_offset sym_stride t_copy t_copy.out take take.out tan tan_ tanh
    tanh_ tanh_backward threshold threshold_ threshold_backward tile topk trace transpose.int:transpose tril
    tril.out tril_ triu triu_ true_divide.Scalar:true_divide true_divide.Tensor:true_divide_tensor true_divide.out
    true_divide_.Scalar:true_divide_ true_divide_.Tensor:true_divide_ trunc trunc_ unbind.int:unbind unfold
    unfold_backward unfold_copy uniform_ unique_consecutive unique_dim unsafe_chunk unsqueeze unsqueeze_
    upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_linear1d_backward upsample_nearest1d
    upsample_nearest2d upsample_nearest3d upsample_trilinear3d value_selecting_reduction_backward var var.correction
    var.dim var_mean.correction:var_mean vdot view_as_complex view_copy vstack where.ScalarOther:where_scalar_other
    where.ScalarSelf:where_scalar_self where.self where.self_out xlogy.OutScalar_Other:xlogy_tensor_scalar_out
    xlogy.OutScalar_Self:xlogy_scalar_tensor_out xlogy.OutTensor:xlogy_out xlogy.Scalar_Other:xlogy_tensor_scalar
    xlogy.Scalar_Self:xlogy_scalar_tensor xlogy.Tensor:xlogy xlogy_.Scalar_Other:xlogy_tensor_scalar_
    xlogy_.Tensor:xlogy_ zero zero.out zero_ zeros zeros_like
"""

# The names of these in 3.0.
BEFORE = {
    "_flash_attention_forward": "flash_attention_forward",
    "native_dropout_backward": "dropout_backward",
    "native_layer_norm": "layer_norm",
    "true_divide_tensor": "true_divide",
}


def read(table):
    pairs = (word.partition(":") for word in table.split())
    return {overload: name or overload.replace(".", "_") for overload, _, name in pairs}


names = read(TABLE)
package = None


def open():
    global package
    # otherwise it may start programs to find out, which the jail does not have
    os.environ.setdefault("GEMS_VENDOR", "nvidia")
    # a lock between processes is a file in /dev/shm, and there is only one process
    multiprocessing.Lock = threading.Lock
    package = importlib.import_module("flag_gems")
    importlib.import_module("flag_gems.ops")


def find(f):
    """Returns FlagGems' function for an overload, or None."""
    overload = f["base"] + ("." + f["overload"] if f["overload"] else "")
    name = names.get(overload) if f["ns"] == "aten" else None
    for n in filter(None, (name, BEFORE.get(name))):
        for place in (package, package.ops):
            if callable(getattr(place, n, None)):
                return getattr(place, n)
    return None
