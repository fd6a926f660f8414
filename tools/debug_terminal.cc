// SPDX-License-Identifier: Apache-2.0
#include "tools/debug_terminal.h"

#include <histedit.h>

#include <algorithm>
#include <cstdio>

namespace tessera::tools {
namespace {

constexpr int kHistory = 1000;  // lines

class EditedTerminal : public sim::DebugConsole {
 public:
  explicit EditedTerminal(CompleteLine complete)
      : complete_(std::move(complete)),
        history_(history_init()),
        edit_(el_init("tessera", stdin, stdout, stderr)) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, kHistory);
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &Prompt);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_SIGNAL, 1);
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_ADDFN, "tessera-complete", "complete a command or a name", &Complete);
    el_set(edit_, EL_BIND, "^I", "tessera-complete", nullptr);
  }
  ~EditedTerminal() override {
    el_end(edit_);
    history_end(history_);
  }

  std::optional<std::string> Read() override {
    int count = 0;
    const char* typed = el_gets(edit_, &count);
    if (typed == nullptr || count <= 0) {
      Print("\n");
      return std::nullopt;
    }
    std::string line(typed, static_cast<size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    HistEvent event;
    if (!line.empty()) history(history_, &event, H_ENTER, line.c_str());
    return line;
  }
  void Print(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  bool interactive() const override { return true; }
  std::string place() const override { return ""; }

 private:
  static char* Prompt(EditLine*) {
    static char prompt[] = "(debug) ";
    return prompt;
  }

  // Completes as far as all possible words agree; if they agree no further, lists them.
  static unsigned char Complete(EditLine* edit, int) {
    EditedTerminal* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    const LineInfo* info = el_line(edit);
    const std::string typed(info->buffer, info->cursor);
    const std::vector<std::string> lines = self->complete_(typed);
    if (lines.empty()) return CC_ERROR;
    std::string common = lines[0];
    for (const std::string& line : lines)
      common.resize(static_cast<size_t>(std::ranges::mismatch(common, line).in1 - common.begin()));
    if (lines.size() == 1) common += " ";
    if (common.size() > typed.size()) {
      return el_insertstr(edit, common.c_str() + typed.size()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    std::string list = "\n";
    for (const std::string& line : lines) list += line.substr(typed.rfind(' ') + 1) + "  ";
    self->Print(list + "\n");
    return CC_REDISPLAY;
  }

  CompleteLine complete_;
  History* history_;
  EditLine* edit_;
};

}  // namespace

std::unique_ptr<sim::DebugConsole> OpenTerminal(CompleteLine complete) {
  return std::make_unique<EditedTerminal>(std::move(complete));
}

}  // namespace tessera::tools
