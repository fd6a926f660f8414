// SPDX-License-Identifier: Apache-2.0
#include "runtime/bitstream/hwh.h"

#include <algorithm>

#include "base/number.h"
#include "runtime/bitstream/xml_reader.h"

namespace tessera {
namespace {

Result<std::string> Needed(const XmlEvent& element, std::string_view key) {
  const std::string* const value = element.Find(key);
  if (value == nullptr)
    return Fail(Code::kInvalidArgument, "an element {} has no {}", element.name, key);
  return *value;
}

std::string Optional(const XmlEvent& element, std::string_view key) {
  const std::string* const value = element.Find(key);
  return value == nullptr ? "" : *value;
}

Result<uint64_t> Address(const XmlEvent& element, std::string_view key) {
  TESSERA_ASSIGN(const std::string text, Needed(element, key));
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const auto value = NumberIn<uint64_t>(digits, 16);
  if (!value)
    return Fail(Code::kInvalidArgument, "{} of an element {} is \"{}\", no address", key,
                element.name, text);
  return *value;
}

Result<HwhModule> ModuleOf(const XmlEvent& element) {
  HwhModule module;
  TESSERA_ASSIGN(module.instance, Needed(element, "INSTANCE"));
  TESSERA_ASSIGN(module.full_name, Needed(element, "FULLNAME"));
  TESSERA_ASSIGN(module.vlnv, Needed(element, "VLNV"));
  TESSERA_ASSIGN(module.type, Needed(element, "MODTYPE"));
  return module;
}

Result<HwhRange> RangeOf(const XmlEvent& element) {
  HwhRange range;
  TESSERA_ASSIGN(range.instance, Needed(element, "INSTANCE"));
  range.slave = Optional(element, "SLAVEBUSINTERFACE");
  TESSERA_ASSIGN(range.base, Address(element, "BASEVALUE"));
  TESSERA_ASSIGN(range.high, Address(element, "HIGHVALUE"));
  if (range.high < range.base)
    return Fail(Code::kOutOfRange,
                "the memory range of {} ends at 0x{:x}, before it begins, 0x{:x}", range.instance,
                range.high, range.base);
  return range;
}

// Adds |element| to |module|, in which it lies.
Status Take(const XmlEvent& element, HwhModule& module) {
  if (element.name == "PARAMETER") {
    const std::string *name = element.Find("NAME"), *value = element.Find("VALUE");
    if (name != nullptr && value != nullptr) module.parameters.emplace_back(*name, *value);
  } else if (element.name == "PORT") {
    TESSERA_ASSIGN(const std::string name, Needed(element, "NAME"));
    module.ports.push_back({name, Optional(element, "SIGNAME"), Optional(element, "DIR") == "I"});
  } else if (element.name == "MEMRANGE") {
    TESSERA_ASSIGN(HwhRange range, RangeOf(element));
    module.ranges.push_back(std::move(range));
  }
  return {};
}

}  // namespace

std::string_view HwhModule::Parameter(std::string_view name) const {
  const auto at = std::ranges::find_if(parameters, [&](const auto& p) { return p.first == name; });
  return at == parameters.end() ? std::string_view() : std::string_view(at->second);
}

const HwhModule* HwhDesign::Find(std::string_view type) const {
  const auto at = std::ranges::find(modules, type, &HwhModule::type);
  return at == modules.end() ? nullptr : &*at;
}

Result<HwhDesign> ParseHwh(std::string_view text) {
  XmlReader reader(text);
  HwhDesign design;
  bool root = true, inside = false;  // inside: the last module is open
  for (;;) {
    TESSERA_ASSIGN(const XmlEvent event, reader.Next());
    if (event.kind == XmlEvent::Kind::kDone) break;
    if (event.kind == XmlEvent::Kind::kEnd) {
      if (event.name == "MODULE") inside = false;
      continue;
    }
    if (root && event.name != "EDKSYSTEM")
      return Fail(Code::kInvalidArgument, "it is no hand-off file: its root is {}, not EDKSYSTEM",
                  event.name);
    if (root) design.tool = Optional(event, "VIVADOVERSION");
    root = false;
    if (event.name == "SYSTEMINFO") {
      design.name = Optional(event, "NAME");
      design.device = Optional(event, "DEVICE");
    } else if (event.name == "MODULE") {
      TESSERA_ASSIGN(HwhModule module, ModuleOf(event));
      design.modules.push_back(std::move(module));
      inside = true;
    } else if (inside) {
      TESSERA_TRY(Take(event, design.modules.back()));
    }
  }
  return design;
}

std::string HwhText(const HwhDesign& design) {
  const auto e = [](const std::string& text) { return XmlEscaped(text); };
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\" ?>\n";
  out += fmt::format("<EDKSYSTEM EDWVERSION=\"1.2\" VIVADOVERSION=\"{}\">\n", e(design.tool));
  out +=
      fmt::format("  <SYSTEMINFO DEVICE=\"{}\" NAME=\"{}\"/>\n", e(design.device), e(design.name));
  out += "  <EXTERNALPORTS/>\n  <EXTERNALINTERFACES/>\n  <MODULES>\n";
  for (const HwhModule& m : design.modules) {
    out += fmt::format(
        "    <MODULE FULLNAME=\"{}\" INSTANCE=\"{}\" MODTYPE=\"{}\" VLNV=\"{}\">\n      "
        "<PARAMETERS>\n",
        e(m.full_name), e(m.instance), e(m.type), e(m.vlnv));
    for (const auto& [name, value] : m.parameters)
      out += fmt::format("        <PARAMETER NAME=\"{}\" VALUE=\"{}\"/>\n", e(name), e(value));
    out += "      </PARAMETERS>\n      <PORTS>\n";
    for (const HwhPort& port : m.ports)
      out += fmt::format("        <PORT DIR=\"{}\" NAME=\"{}\" SIGNAME=\"{}\"/>\n",
                         port.input ? "I" : "O", e(port.name), e(port.signal));
    out += "      </PORTS>\n      <MEMORYMAP>\n";
    for (const HwhRange& r : m.ranges)
      out += fmt::format(
          "        <MEMRANGE BASEVALUE=\"0x{:08X}\" HIGHVALUE=\"0x{:08X}\" INSTANCE=\"{}\" "
          "SLAVEBUSINTERFACE=\"{}\"/>\n",
          r.base, r.high, e(r.instance), e(r.slave));
    out += "      </MEMORYMAP>\n    </MODULE>\n";
  }
  return out + "  </MODULES>\n</EDKSYSTEM>\n";
}

}  // namespace tessera
