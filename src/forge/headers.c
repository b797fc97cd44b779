/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/headers.h"

#define DECLARE(symbol, file) extern const char ay_embedded_##symbol[], ay_embedded_##symbol##_end[];
AY_KERNEL_HEADERS(DECLARE)

#define ROW(symbol, file) { "assay/" file, ay_embedded_##symbol, ay_embedded_##symbol##_end },
const struct ay_kernel_header ay_kernel_headers[AY_NKERNEL_HEADERS] = { AY_KERNEL_HEADERS(ROW) };
