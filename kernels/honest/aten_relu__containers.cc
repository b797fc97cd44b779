/* due: PASS - C++ with containers, exceptions of its own, threads and a lambda. */
#include <assay/kernel.h>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *)
{
	std::vector<int64_t> from, to;

	for (int64_t i = 0; i < ay_numel(self); i++) {
		from.push_back(ay_at(self, i));
		to.push_back(ay_at(out, i));
	}
	try {
		from.at(from.size());
	} catch (const std::out_of_range &) {
		to.shrink_to_fit();
	}
	std::thread([&] {
		for (size_t i = 0; i < from.size(); i++) {
			const double v = ay_read(self, from[i]);

			if (ay_dt(self) == AY_I64)
				static_cast<int64_t *>(out->data)[to[i]] = v > 0 ? static_cast<const int64_t *>(
											   self->data)[from[i]]
										 : 0;
			else
				ay_write(out, to[i], v <= 0 ? 0 : v);
		}
	}).join();
	return AY_OK;
}
