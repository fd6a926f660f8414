// SPDX-License-Identifier: Apache-2.0
//
// SvPrinter: the lines of a SystemVerilog package, that is, constants and functions that pick bits
// out of a word. Used by sv_package.cc.
#ifndef TESSERA_ISA_GEN_SV_PRINTER_H_
#define TESSERA_ISA_GEN_SV_PRINTER_H_

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "isa/insns.h"

namespace tessera::isa {

class SvPrinter {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Blank() { text_ += '\n'; }
  void Int(std::string_view name, int64_t value, std::string_view meaning) {
    Line("  localparam int {} = {};  // {}", name, value, meaning);
  }
  void Const(std::string_view name, int width, uint64_t value, std::string_view meaning) {
    Line("  localparam logic [{}:0] {} = {}'d{};  // {}", width - 1, name, width, value, meaning);
  }
  // A function that picks bits out of a word.
  void Pick(std::string_view name, int word_bits, std::string_view word, int lsb, int width,
            FieldKind kind, std::string_view meaning) {
    Line("  // {}", meaning);
    Line("  function automatic {}[{}:0] {}(input [{}:0] {});",
         kind == FieldKind::kSigned ? "signed " : "", width - 1, name, word_bits - 1, word);
    if (lsb + width <= word_bits) {
      Line("    {} = {}[{}:{}];", name, word, lsb + width - 1, lsb);
    } else {
      Line("    {} = {}'d0;", name, width);
    }
    Line("  endfunction");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_SV_PRINTER_H_
