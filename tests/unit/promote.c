/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables hold the answers of torch.promote_types and torch.result_type of PyTorch 2.13.0. One
 * letter is one dtype, in the order of AY_DTYPES; a point is an exception.
 */
#include "tensor/promote.h"
#include "test.h"

#include <string.h>

static const char letters[] = "bucsilMEhgfdHFD";

_Static_assert(sizeof letters - 1 == AY_DT_COUNT, "a letter for each dtype");

/* Operands of result_type: tensors with dimensions, tensors without, and the numbers True, 1, 1.5,
 * 1j. */
enum { NUMBERS = 2 * AY_DT_COUNT, OPERANDS = NUMBERS + 4 };

/* clang-format off */
static const char types[AY_DT_COUNT][AY_DT_COUNT + 1] = {
	"bucsil..hgfdHFD",
	"uussil..hgfdHFD",
	"cscsil..hgfdHFD",
	"ssssil..hgfdHFD",
	"iiiiil..hgfdHFD",
	"llllll..hgfdHFD",
	"......M........",
	".......E.......",
	"hhhhhh..hffdHFD",
	"gggggg..fgfdFFD",
	"ffffff..fffdFFD",
	"dddddd..ddddDDD",
	"HHHHHH..HFFDHFD",
	"FFFFFF..FFFDFFD",
	"DDDDDD..DDDDDDD",
};

static const char results[OPERANDS][OPERANDS + 1] = {
	"bucsil..hgfdHFDbucsil..hgfdHFDblfF",
	"uussil..hgfdHFDuuuuuu..hgfdHFDuufF",
	"cscsil..hgfdHFDcccccc..hgfdHFDccfF",
	"ssssil..hgfdHFDssssss..hgfdHFDssfF",
	"iiiiil..hgfdHFDiiiiii..hgfdHFDiifF",
	"llllll..hgfdHFDllllll..hgfdHFDllfF",
	"......M........MMMMMMMMMMMM...MMM.",
	".......E.......EEEEEEEEEEEE...EEE.",
	"hhhhhh..hffdHFDhhhhhhhhhhhhHHHhhhH",
	"gggggg..fgfdFFDggggggggggggFFFgggF",
	"ffffff..fffdFFDffffffffffffFFFfffF",
	"dddddd..ddddDDDddddddddddddDDDdddD",
	"HHHHHH..HFFDHFDHHHHHHHHHHHHHHHHHHH",
	"FFFFFF..FFFDFFDFFFFFFFFFFFFFFFFFFF",
	"DDDDDD..DDDDDDDDDDDDDDDDDDDDDDDDDD",
	"bucsilMEhgfdHFDbucsil..hgfdHFDblfF",
	"uucsilMEhgfdHFDuussil..hgfdHFDuufF",
	"cucsilMEhgfdHFDcscsil..hgfdHFDccfF",
	"sucsilMEhgfdHFDssssil..hgfdHFDssfF",
	"iucsilMEhgfdHFDiiiiil..hgfdHFDiifF",
	"lucsilMEhgfdHFDllllll..hgfdHFDllfF",
	"......MEhgfdHFD......M........MMM.",
	"......MEhgfdHFD.......E.......EEE.",
	"hhhhhhMEhgfdHFDhhhhhh..hffdHFDhhhH",
	"ggggggMEhgfdHFDgggggg..fgfdFFDgggF",
	"ffffffMEhgfdHFDffffff..fffdFFDfffF",
	"ddddddMEhgfdHFDdddddd..ddddDDDdddD",
	"HHHHHH..HFFDHFDHHHHHH..HFFDHFDHHHH",
	"FFFFFF..HFFDHFDFFFFFF..FFFDFFDFFFF",
	"DDDDDD..HFFDHFDDDDDDD..DDDDDDDDDDD",
	"bucsilMEhgfdHFDbucsilMEhgfdHFDblfF",
	"lucsilMEhgfdHFDlucsilMEhgfdHFDllfF",
	"ffffffMEhgfdHFDffffffMEhgfdHFDfffF",
	"FFFFFF..HFFDHFDFFFFFF..HFFDHFDFFFF",
};
/* clang-format on */

static char letter(enum ay_dt dt)
{
	return dt == AY_DT_NONE ? '.' : letters[dt];
}

static void add(struct ay_promotion *p, int operand)
{
	if (operand >= NUMBERS)
		ay_promote_number(p, (enum ay_class)(operand - NUMBERS));
	else
		ay_promote_tensor(p, (enum ay_dt)(operand % AY_DT_COUNT), operand < AY_DT_COUNT ? 2 : 0);
}

static char result(int n, const int *operands)
{
	struct ay_promotion p = AY_PROMOTE_INIT;

	for (int i = 0; i < n; i++)
		add(&p, operands[i]);
	return letter(ay_promote_result(&p));
}

TEST(promote_types_as_pytorch)
{
	for (int a = 0; a < AY_DT_COUNT; a++)
		for (int b = 0; b < AY_DT_COUNT; b++)
			CHECKF(letter(ay_promote(a, b)) == types[a][b], "%s + %s: %c, not %c", ay_dt_info(a)->name,
			       ay_dt_info(b)->name, letter(ay_promote(a, b)), types[a][b]);
}

TEST(promote_results_as_pytorch)
{
	for (int a = 0; a < OPERANDS; a++) {
		for (int b = 0; b < OPERANDS; b++) {
			const int both[] = { a, b };

			CHECKF(result(2, both) == results[a][b], "operands %d, %d: %c, not %c", a, b,
			       result(2, both), results[a][b]);
		}
	}
}

TEST(promote_one_operand_is_itself)
{
	struct ay_promotion none = AY_PROMOTE_INIT;

	for (int a = 0; a < NUMBERS; a++)
		CHECK(result(1, &a) == letters[a % AY_DT_COUNT]);
	CHECK(result(1, (const int[]){ NUMBERS }) == 'b');
	CHECK(result(1, (const int[]){ NUMBERS + 1 }) == 'l');
	CHECK(result(1, (const int[]){ NUMBERS + 2 }) == 'f');
	CHECK(result(1, (const int[]){ NUMBERS + 3 }) == 'F');
	CHECK(ay_promote_result(&none) == AY_DT_NONE);
}

/* For any three operands their order does not matter. */
TEST(promote_order_does_not_matter)
{
	for (int a = 0; a < OPERANDS; a++)
		for (int b = 0; b < OPERANDS; b++)
			for (int c = 0; c < OPERANDS; c++)
				CHECKF(result(3, (const int[]){ a, b, c }) == result(3, (const int[]){ c, a, b }),
				       "operands %d, %d, %d", a, b, c);
}

static char result_of(const char *dims, const char *zeros, const char *numbers)
{
	static const char classes[] = "bifc";
	struct ay_promotion p = AY_PROMOTE_INIT;

	for (; *dims; dims++)
		ay_promote_tensor(&p, (enum ay_dt)(strchr(letters, *dims) - letters), 1);
	for (; *zeros; zeros++)
		ay_promote_tensor(&p, (enum ay_dt)(strchr(letters, *zeros) - letters), 0);
	for (; *numbers; numbers++)
		ay_promote_number(&p, (enum ay_class)(strchr(classes, *numbers) - classes));
	return letter(ay_promote_result(&p));
}

/* Three and more operands; the rows for tensors come from torch.addcmul. */
TEST(promote_many_operands)
{
	CHECK(result_of("i", "d", "") == 'd');
	CHECK(result_of("ih", "d", "") == 'h');
	CHECK(result_of("uc", "l", "") == 's');
	CHECK(result_of("h", "dD", "") == 'H');
	CHECK(result_of("b", "ui", "") == 'i');
	CHECK(result_of("b", "u", "i") == 'u');
	CHECK(result_of("i", "h", "f") == 'h');
	CHECK(result_of("i", "", "fc") == 'F');
	CHECK(result_of("", "h", "fc") == 'H');
}

/* If two operands clash, a third cannot change that, in any order. */
TEST(promote_a_clash_stays)
{
	CHECK(result_of("ME", "", "") == '.');
	CHECK(result_of("MEM", "", "") == '.');
	CHECK(result_of("MEf", "", "") == '.');
	CHECK(result_of("Mf", "d", "") == '.');
	CHECK(result_of("f", "ME", "") == '.');
	CHECK(result_of("M", "E", "") == 'M');
	CHECK(result_of("D", "M", "c") == '.');
}
