// SPDX-License-Identifier: Apache-2.0
//
// Field functions as a language prints them, against the encoders of instructions. A test of a
// printed file reads the functions out of its text and hands them to ExpectFieldFunctions. Depends
// on: isa. Used by: hls_header_test, sv_package_test.
#ifndef TESSERA_TESTS_ISA_FIELD_FUNCTIONS_H_
#define TESSERA_TESTS_ISA_FIELD_FUNCTIONS_H_

#include <map>
#include <string>

#include "isa/config.h"

namespace tessera::isa {

// A function that picks bits high..low of a word.
struct FieldFunction {
  bool is_signed;    // of the result
  int width;         // bits of the result
  std::string word;  // type of the argument, as the language writes it
  int high, low;
};
using FieldFunctions = std::map<std::string, FieldFunction>;  // by name

// The types of the words, as the language writes them.
struct WordTypes {
  std::string insn, vta_insn, uop, vta_uop;
};

// Expects a function for each field of each instruction of |config|'s profiles and of the
// micro-ops. The function picks the bits that the encoder sets for that field alone, with its sign
// and width.
void ExpectFieldFunctions(const Config& config, const FieldFunctions& functions,
                          const WordTypes& words);

}  // namespace tessera::isa

#endif  // TESSERA_TESTS_ISA_FIELD_FUNCTIONS_H_
