// SPDX-License-Identifier: Apache-2.0
//
// Reads the elements and attributes of an XML text, one after another. Skips text between elements,
// comments and processing instructions; rejects document types, and so entities of a document's
// own. This reader replaces a library because builds for boards use header-only packages alone
// (cmake/board_packages.cmake). Depends on: base. Used by: hwh.cc, runtime/xclbin.
#ifndef TESSERA_RUNTIME_BITSTREAM_XML_READER_H_
#define TESSERA_RUNTIME_BITSTREAM_XML_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tessera {

// The start or the end of an element; <a/> gives both, one after the other.
struct XmlEvent {
  enum class Kind { kStart, kEnd, kDone };
  Kind kind = Kind::kDone;
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;  // of a start, decoded
  const std::string* Find(std::string_view key) const;
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  //   errors  kInvalidArgument  not well formed, or nested deeper than 64
  //           kDataLoss         the text ends inside an element
  Result<XmlEvent> Next();

 private:
  Result<XmlEvent> Tag();
  Status Attributes(XmlEvent& event);
  Result<std::string> Value();
  std::string Name();
  void Blanks();
  bool Skip(std::string_view begin, std::string_view end, Status& status);
  size_t LineOf(size_t at) const;
  size_t Line() const { return LineOf(at_); }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string> open_;
  bool ended_ = false;  // after <a/>: its end comes next
  bool root_ = false;   // the root element was seen
};

// |text| escaped for the value of an attribute.
std::string XmlEscaped(std::string_view text);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BITSTREAM_XML_READER_H_
