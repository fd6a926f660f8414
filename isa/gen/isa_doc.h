// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/isa.md, the reference of the instruction set: bit tables from isa/*.def around prose
// from isa/gen/doc_prose.h. Depends on isa. Used by isa_gen.
#ifndef TESSERA_ISA_GEN_ISA_DOC_H_
#define TESSERA_ISA_GEN_ISA_DOC_H_

#include <string>

namespace tessera::isa {

// The page, Markdown.
std::string PrintIsaDoc();

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_ISA_DOC_H_
