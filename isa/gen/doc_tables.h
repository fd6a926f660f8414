// SPDX-License-Identifier: Apache-2.0
//
// Prints the parts of docs/isa.md that come from rows: memories, loops and operands, costs. Used by
// isa_doc.cc.
#ifndef TESSERA_ISA_GEN_DOC_TABLES_H_
#define TESSERA_ISA_GEN_DOC_TABLES_H_

#include <string>
#include <string_view>

#include "isa/gen/doc_page.h"
#include "isa/rows.h"

namespace tessera::isa {

void PrintMemories(Page& page);

// The loops and operands of one instruction; prints nothing if it has none.
void PrintNest(std::string_view insn, Page& page);

// "`dst_mem` is acc".
std::string TestText(std::string_view insn, const FieldTest& test);

void PrintCosts(Page& page);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_DOC_TABLES_H_
