# SPDX-License-Identifier: Apache-2.0
__version__ = version = "0.0+fake"
