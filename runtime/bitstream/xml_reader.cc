// SPDX-License-Identifier: Apache-2.0
#include "runtime/bitstream/xml_reader.h"

#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

constexpr size_t kDeepest = 64;
constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

bool InName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == ':';
}

}  // namespace

const std::string* XmlEvent::Find(std::string_view key) const {
  const auto at = std::ranges::find_if(attributes, [&](const auto& a) { return a.first == key; });
  return at == attributes.end() ? nullptr : &at->second;
}

size_t XmlReader::LineOf(size_t at) const {
  const auto upto = text_.substr(0, at);
  return static_cast<size_t>(std::ranges::count(upto, '\n')) + 1;
}

void XmlReader::Blanks() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

std::string XmlReader::Name() {
  const size_t from = at_;
  while (at_ < text_.size() && InName(text_[at_])) ++at_;
  return std::string(text_.substr(from, at_ - from));
}

bool XmlReader::Skip(std::string_view begin, std::string_view end, Status& status) {
  if (!text_.substr(at_).starts_with(begin)) return false;
  const size_t to = text_.find(end, at_ + begin.size());
  if (to == std::string_view::npos) {
    status = Fail(Code::kDataLoss, "line {}: {} is not ended", Line(), begin);
  } else {
    at_ = to + end.size();
  }
  return true;
}

Result<XmlEvent> XmlReader::Next() {
  if (ended_) {
    ended_ = false;
    XmlEvent event{XmlEvent::Kind::kEnd, open_.back(), {}};
    open_.pop_back();
    return event;
  }
  for (;;) {
    at_ = std::min(text_.find('<', at_), text_.size());
    if (at_ == text_.size()) {
      if (!open_.empty())
        return Fail(Code::kDataLoss, "it ends inside element {}: the file is cut off",
                    open_.back());
      if (!root_) return Fail(Code::kInvalidArgument, "it has no XML element");
      return XmlEvent{};
    }
    Status status;
    const bool skipped = Skip("<!--", "-->", status) || Skip("<?", "?>", status);
    if (!status) return std::unexpected(status.error());
    if (skipped) continue;
    if (text_.substr(at_).starts_with("<!"))
      return Fail(Code::kInvalidArgument, "line {}: document types and CDATA are not read", Line());
    return Tag();
  }
}

Result<XmlEvent> XmlReader::Tag() {
  const size_t from = at_++;
  XmlEvent event;
  if (at_ < text_.size() && text_[at_] == '/') {
    ++at_;
    event.kind = XmlEvent::Kind::kEnd;
    event.name = Name();
    Blanks();
    if (open_.empty() || open_.back() != event.name)
      return Fail(Code::kInvalidArgument, "line {}: </{}> ends {}", LineOf(from), event.name,
                  open_.empty() ? "nothing" : open_.back());
    if (at_ == text_.size() || text_[at_] != '>')
      return Fail(Code::kDataLoss, "line {}: </{} is not ended", LineOf(from), event.name);
    ++at_;
    open_.pop_back();
    return event;
  }
  event.kind = XmlEvent::Kind::kStart;
  event.name = Name();
  if (event.name.empty())
    return Fail(Code::kInvalidArgument, "line {}: '<' without the name of an element",
                LineOf(from));
  if (open_.empty() && root_)
    return Fail(Code::kInvalidArgument, "line {}: a second root element, {}", LineOf(from),
                event.name);
  if (open_.size() == kDeepest)
    return Fail(Code::kInvalidArgument, "line {}: elements are nested deeper than {}", LineOf(from),
                kDeepest);
  TESSERA_TRY(Attributes(event));
  root_ = true;
  open_.push_back(event.name);
  return event;
}

Status XmlReader::Attributes(XmlEvent& event) {
  for (;;) {
    Blanks();
    if (at_ == text_.size())
      return Fail(Code::kDataLoss, "it ends inside element {}: the file is cut off", event.name);
    if (text_[at_] == '>') {
      ++at_;
      return {};
    }
    if (text_.substr(at_).starts_with("/>")) {
      at_ += 2;
      ended_ = true;
      return {};
    }
    const std::string key = Name();
    Blanks();
    if (key.empty() || at_ == text_.size() || text_[at_] != '=')
      return Fail(Code::kInvalidArgument, "line {}: element {}: an attribute is no NAME=\"VALUE\"",
                  Line(), event.name);
    ++at_;
    Blanks();
    TESSERA_ASSIGN(std::string value, Value());
    if (event.Find(key) != nullptr)
      return Fail(Code::kInvalidArgument, "line {}: element {} has {} twice", Line(), event.name,
                  key);
    event.attributes.emplace_back(key, std::move(value));
  }
}

Result<std::string> XmlReader::Value() {
  const char quote = at_ < text_.size() ? text_[at_] : 0;
  if (quote != '"' && quote != '\'')
    return Fail(Code::kInvalidArgument, "line {}: a value without quotes", Line());
  const size_t to = text_.find(quote, at_ + 1);
  if (to == std::string_view::npos)
    return Fail(Code::kDataLoss, "line {}: a value is not ended", Line());
  const std::string_view raw = text_.substr(at_ + 1, to - at_ - 1);
  std::string value;
  for (size_t i = 0; i < raw.size();) {
    if (raw[i] == '<') return Fail(Code::kInvalidArgument, "line {}: '<' in a value", Line());
    if (raw[i] != '&') {
      value += raw[i++];
      continue;
    }
    const auto entity = std::ranges::find_if(
        kEntities, [&](const auto& e) { return raw.substr(i).starts_with(e.first); });
    if (entity == std::end(kEntities))
      return Fail(Code::kInvalidArgument, "line {}: an entity that is not read: {}", Line(),
                  raw.substr(i, 12));
    value += entity->second;
    i += entity->first.size();
  }
  at_ = to + 1;
  return value;
}

std::string XmlEscaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto entity =
        std::ranges::find_if(kEntities, [&](const auto& e) { return e.second == c; });
    if (entity == std::end(kEntities)) {
      out += c;
    } else {
      out += entity->first;
    }
  }
  return out;
}

}  // namespace tessera
