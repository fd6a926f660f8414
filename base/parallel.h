// SPDX-License-Identifier: Apache-2.0
//
// A loop over independent items on several threads.
#ifndef TESSERA_BASE_PARALLEL_H_
#define TESSERA_BASE_PARALLEL_H_

#include <cstdint>
#include <functional>

namespace tessera {

// Calls body(i) for every i in [0, count), on up to |threads| threads (0: as many as the machine
// has). Each index runs once; the order is not defined; returns when all are done. |body| must not
// throw.
void ParallelFor(int64_t count, int threads, const std::function<void(int64_t)>& body);

}  // namespace tessera

#endif  // TESSERA_BASE_PARALLEL_H_
