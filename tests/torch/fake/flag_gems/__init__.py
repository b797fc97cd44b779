# SPDX-License-Identifier: Apache-2.0
"""Stands in for FlagGems where there is no GPU: its layout and names, a few functions, in plain torch. sum is wrong on
purpose."""
from flag_gems.ops import *  # noqa: F403
