// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <regex>

#include "tests/runtime/gpu/ptx.h"

namespace tessera::test {
namespace {

const std::map<std::string, PtxOp> kOps = {
    {"abs", PtxOp::kAbs},   {"add", PtxOp::kAdd},   {"and", PtxOp::kAnd},   {"bar", PtxOp::kBar},
    {"bfe", PtxOp::kBfe},   {"bfi", PtxOp::kBfi},   {"bra", PtxOp::kBra},   {"cvt", PtxOp::kCvt},
    {"cvta", PtxOp::kCvta}, {"div", PtxOp::kDiv},   {"fma", PtxOp::kFma},   {"ld", PtxOp::kLd},
    {"mad", PtxOp::kMad},   {"max", PtxOp::kMax},   {"min", PtxOp::kMin},   {"mma", PtxOp::kMma},
    {"mov", PtxOp::kMov},   {"mul", PtxOp::kMul},   {"neg", PtxOp::kNeg},   {"not", PtxOp::kNot},
    {"or", PtxOp::kOr},     {"prmt", PtxOp::kPrmt}, {"rcp", PtxOp::kRcp},   {"rem", PtxOp::kRem},
    {"ret", PtxOp::kRet},   {"selp", PtxOp::kSelp}, {"setp", PtxOp::kSetp}, {"shl", PtxOp::kShl},
    {"shr", PtxOp::kShr},   {"sqrt", PtxOp::kSqrt}, {"st", PtxOp::kSt},     {"sub", PtxOp::kSub},
    {"xor", PtxOp::kXor},
};
constexpr const char* kCompares[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                     "neu", "ltu", "leu", "gtu", "geu", "nan", "num"};

std::string Trim(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t\n"), end = s.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

std::vector<std::string> Split(const std::string& s, char at) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= s.size();) {
    const size_t end = std::min(s.find(at, begin), s.size());
    parts.push_back(Trim(s.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

class KernelParser {
 public:
  // |head|: the text from the name to the brace; |body|: the text inside it.
  Result<PtxKernel> Run(const std::string& head, const std::string& body) {
    Head(head);
    std::vector<std::string> statements = Split(body, ';');
    for (const std::string& s : statements) TESSERA_TRY(Declare(s));
    for (std::string& s : statements) TESSERA_TRY(Statement(s));
    for (PtxInsn& i : kernel_.code) {
      if (i.op != PtxOp::kBra) continue;
      const auto label = labels_.find(i.text);
      if (label == labels_.end()) return Bad("no label " + i.text);
      i.target = label->second;
    }
    kernel_.registers = static_cast<uint32_t>(registers_.size());
    return std::move(kernel_);
  }

 private:
  static std::unexpected<Error> Bad(const std::string& what) {
    return Fail(Code::kInvalidArgument, "ptx: {}", what);
  }

  void Head(const std::string& head) {
    static const std::regex param(R"(\.param \.u64 (?:\.ptr \.global \.align \d+ )?([\w$]+))");
    for (std::sregex_iterator i(head.begin(), head.end(), param), end; i != end; ++i) {
      symbols_[(*i)[1]] = 8 * kernel_.params.size();
      kernel_.params.push_back(static_cast<uint32_t>(8 * kernel_.params.size()));
    }
    static const std::regex threads(R"(\.reqntid (\d+), (\d+), (\d+))");
    std::smatch m;
    if (std::regex_search(head, m, threads)) {
      for (size_t k = 0; k < 3; ++k)
        kernel_.threads[k] = static_cast<uint32_t>(std::stoul(m[k + 1].str()));
    }
  }

  Status Declare(const std::string& s) {
    static const std::regex memory(
        R"(\.(shared|local) \.align (\d+) \.[busf](\d+)\s+([\w$]+)(?:\[(\d+)\])?)");
    std::smatch m;
    if (s.empty() || s[0] != '.') return {};
    if (s.starts_with(".reg")) return {};
    if (!std::regex_match(s, m, memory)) return Bad("declaration '" + s + "'");
    const bool shared = m[1] == "shared";
    uint32_t& top = shared ? kernel_.shared_bytes : kernel_.local_bytes;
    const auto align = static_cast<uint32_t>(std::stoul(m[2].str()));
    top = (top + align - 1) / align * align;
    symbols_[m[4]] = (shared ? kPtxShared : kPtxLocal) + top;
    top += static_cast<uint32_t>(std::stoul(m[3].str()) / 8 *
                                 (m[5].matched ? std::stoul(m[5].str()) : 1));
    return {};
  }

  Status Statement(std::string s) {
    for (size_t colon; s.starts_with('$') && (colon = s.find(':')) != std::string::npos;) {
      labels_[s.substr(0, colon)] = static_cast<uint32_t>(kernel_.code.size());
      s = Trim(s.substr(colon + 1));
    }
    // A block with a register of its own: "{ .reg .b32 tmp; mov.b32 {tmp, %rs1}, %r2; }".
    if (s.starts_with('}')) s = Trim(s.substr(1));
    if (s.starts_with("{ .reg ")) {
      Register(s.substr(s.rfind(' ') + 1));
      return {};
    }
    if (s.empty() || s[0] == '.') return {};
    PtxInsn insn{.text = s};
    if (s[0] == '@') {
      insn.guard_not = s[1] == '!';
      const size_t begin = insn.guard_not ? 2 : 1, end = s.find_first_of(" \t", begin);
      insn.guard = static_cast<int>(Register(s.substr(begin, end - begin)));
      s = Trim(s.substr(end));
    }
    const size_t end = std::min(s.find_first_of(" \t\n"), s.size());
    TESSERA_TRY(Opcode(s.substr(0, end), &insn));
    const std::string rest = Trim(s.substr(end));
    if (insn.op == PtxOp::kBra) {
      insn.text = rest;
    } else if (insn.op != PtxOp::kBar && !rest.empty()) {
      TESSERA_TRY(Operands(rest, &insn));
    }
    kernel_.code.push_back(std::move(insn));
    return {};
  }

  Status Opcode(const std::string& text, PtxInsn* insn) {
    const std::vector<std::string> parts = Split(text, '.');
    const auto op = kOps.find(parts[0]);
    if (op == kOps.end()) return Bad("no instruction '" + insn->text + "'");
    insn->op = op->second;
    for (size_t p = 1; p < parts.size(); ++p) {
      const std::string& w = parts[p];
      const bool number = w.size() > 1 && std::all_of(w.begin() + 1, w.end(), [](char c) {
                            return std::isdigit(static_cast<unsigned char>(c));
                          });
      if (w == "pred" || (number && std::strchr("sufb", w[0]) != nullptr)) {
        const PtxType type = w == "pred" ? PtxType{'p', 1} : PtxType{w[0], std::stoi(w.substr(1))};
        (insn->type.kind == 0 ? insn->type : insn->from) = type;
      } else if (insn->op == PtxOp::kSetp && insn->compare[0] == 0 &&
                 std::ranges::count(kCompares, w) != 0) {
        std::strcpy(insn->compare, w.c_str());
      } else {
        insn->words.insert(w);
      }
    }
    insn->param = insn->words.contains("param");
    insn->part = insn->words.contains("lo")     ? 'l'
                 : insn->words.contains("hi")   ? 'h'
                 : insn->words.contains("wide") ? 'w'
                                                : 0;
    return {};
  }

  Status Operands(const std::string& rest, PtxInsn* insn) {
    for (size_t at = 0; at < rest.size();) {
      const bool vector = rest[at] == '{';
      const size_t end = std::min(rest.find(vector ? '}' : ',', at), rest.size());
      const std::string text = Trim(rest.substr(at + vector, end - at - vector));
      const std::vector<std::string> elements = Split(text, ',');
      for (const std::string& e : elements) {
        TESSERA_ASSIGN(const PtxOperand operand, Operand(e));
        insn->operands.push_back(operand);
      }
      insn->counts.push_back(static_cast<uint8_t>(elements.size()));
      at = vector ? std::min(rest.find(',', end), rest.size()) + 1 : end + 1;
      while (at < rest.size() && std::isspace(static_cast<unsigned char>(rest[at]))) ++at;
    }
    return {};
  }

  Result<PtxOperand> Operand(std::string text) {
    PtxOperand out;
    if (text.starts_with('[') && text.ends_with(']')) {
      text = text.substr(1, text.size() - 2);
      const size_t sign = text.find_first_of("+-", 1);
      if (sign != std::string::npos) {
        TESSERA_ASSIGN(out, Operand(text.substr(0, sign)));
        const size_t digits = sign + (text[sign] == '+');
        out.value += static_cast<uint64_t>(std::stoll(text.substr(digits)));
        return out;
      }
    }
    for (uint32_t k = 0; k < std::size(kPtxSpecials); ++k) {
      if (text == kPtxSpecials[k]) return PtxOperand{PtxOperand::Kind::kSpecial, k, 0};
    }
    if (text == "%globaltimer") return PtxOperand{PtxOperand::Kind::kSpecial, kPtxTimer, 0};
    if (text.starts_with('%') || registers_.contains(text))
      return PtxOperand{PtxOperand::Kind::kRegister, Register(text), 0};
    if (const auto symbol = symbols_.find(text); symbol != symbols_.end()) {
      out.value = symbol->second;
      return out;
    }
    const bool minus = text.starts_with('-');
    const char* begin = text.data() + minus;
    const char* const end = text.data() + text.size();
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && std::strchr("xfd", std::tolower(text[1]))) {
      base = 16;
      begin += 2;
    }
    const auto [stop, error] = std::from_chars(begin, end, out.value, base);
    if (text == "true") {
      out.value = 1;
    } else if (error != std::errc() || stop != end) {
      return Bad("operand '" + text + "'");
    }
    if (minus) out.value = -out.value;
    return out;
  }

  uint32_t Register(const std::string& name) {
    return registers_.try_emplace(name, static_cast<uint32_t>(registers_.size())).first->second;
  }

  PtxKernel kernel_;
  std::map<std::string, uint32_t> registers_, labels_;
  std::map<std::string, uint64_t> symbols_;
};

}  // namespace

Result<PtxModule> ParsePtx(const std::string& source) {
  PtxModule module;
  const std::string text = std::regex_replace(source, std::regex("//[^\n]*"), "");
  std::smatch m;
  if (!std::regex_search(text, m, std::regex(R"(\.version (\d+)\.(\d+)\s+\.target sm_(\d+))")))
    return Fail(Code::kInvalidArgument, "ptx: no .version and .target");
  module.version = 10 * std::stoi(m[1].str()) + std::stoi(m[2].str());
  module.target = std::stoi(m[3].str());
  for (size_t at = text.find(".entry "); at != std::string::npos; at = text.find(".entry ", at)) {
    at += std::strlen(".entry ");
    const size_t paren = text.find('(', at), open = text.find("\n{", at);
    const size_t close = text.find("\n}", at);
    if (close == std::string::npos) return Fail(Code::kInvalidArgument, "ptx: no end");
    TESSERA_ASSIGN(PtxKernel kernel, KernelParser().Run(text.substr(paren, open - paren),
                                                        text.substr(open + 2, close - open - 2)));
    module.kernels.emplace(Trim(text.substr(at, paren - at)), std::move(kernel));
  }
  return module;
}

}  // namespace tessera::test
