// SPDX-License-Identifier: Apache-2.0
//
// Batches. A model may leave the first extent of its inputs open. Tessera compiles it for one item
// and runs the items of a batch one by one, so no node may bring two items together. Depends on:
// graph_reader.h. Used by: claim.cc.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_BATCH_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_BATCH_H_

#include <cstddef>
#include <string>

#include "provider/onnxruntime/graph_reader.h"

namespace tessera::ort {

// Why node |index| of |read| may bring items of a batch together, or has another extent that is not
// known; "": it does not. A node whose inputs all have known shapes has no batch.
std::string MixesItems(const ReadModel& read, size_t index);

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_BATCH_H_
