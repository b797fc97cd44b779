# SPDX-License-Identifier: Apache-2.0
from flag_gems.ops.add import add, add_
from flag_gems.ops.cat import cat
from flag_gems.ops.cumsum import cumsum, cumsum_out
from flag_gems.ops.relu import relu, relu_
from flag_gems.ops.softmax import softmax
from flag_gems.ops.sum import sum, sum_dim

__all__ = ["add", "add_", "cat", "cumsum", "cumsum_out", "relu", "relu_", "softmax", "sum", "sum_dim"]
