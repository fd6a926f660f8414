// SPDX-License-Identifier: Apache-2.0
//
// The structure of tensor expressions: what is left of them without names. Depends on: te.h. Used
// by: compiler/network.
#ifndef TESSERA_COMPILER_TE_STRUCTURE_H_
#define TESSERA_COMPILER_TE_STRUCTURE_H_

#include <set>
#include <string>

#include "compiler/te/te.h"

namespace tessera::te {

// Bytes that are equal for two outputs exactly if their stages differ in nothing but the names of
// tensors and axes, and the same placeholders are among |constants|. The values of constants do not
// count. The same in every process of one version.
std::string StructureOf(const Tensor& output, const std::set<const TensorNode*>& constants);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_STRUCTURE_H_
