// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the command lines of README.md and docs/ run unchanged and in order, and end with
// the expected code; they print the output that a document shows. Only a line of commands.txt fills
// in, completes or excludes a command, and a line there that no document needs fails. Space: spans,
// blocks and cells of tables (command_lines.h); of a synopsis, each alternative and each part in
// brackets once. Each document's commands run in a folder that looks like the checkout. Commands
// that take long are the tests *Slow. Not tested here: blocks of output behind a mark (docs_test,
// tools_run_test), sessions of the debugger (tools_debug_test), messages (tests/diagnosis), scripts
// of bench/ and hw/, which other tests run.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include "tests/docs/command_lines.h"
#include "tests/docs/table.h"

namespace tessera::test::commands_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTable = "tests/docs/commands.txt";
#if defined(TESSERA_XRT_HERE)
constexpr bool kXrtHere = true;
#else
constexpr bool kXrtHere = false;
#endif
constexpr int kSeconds = 120, kSlowSeconds = 900;  // limits for one command

struct PlannedCommand {
  std::string typed;  // one form of the document's line
  std::string shell;  // the command that runs
  size_t line = 0;
  int code = 0;  // the expected exit code
  bool slow = false;
  std::vector<std::string> shown;  // regexes; the document shows what they match in the output
};

struct PlannedDocument {
  const TextFile* document = nullptr;
  std::vector<std::string> given;  // commands to run first
  std::vector<PlannedCommand> commands;
};

// |command| with the words and options of |arguments| that it lacks; only a command without a word
// of its own behind the verb gets the word.
std::string Finished(std::string command, const std::string& arguments) {
  const std::vector<std::string> words = SplitList(command, ' ');
  std::string begin = words[0] + " " + words[1];
  bool named = false;  // |command| has a word of its own behind its verb
  for (size_t n = 2; n < words.size(); ++n)
    named = named || (words[n][0] != '-' && words[n - 1][0] != '-');
  const std::vector<std::string> more = SplitList(arguments, ' ');
  for (size_t n = 0; n < more.size(); ++n) {
    const bool option = more[n][0] == '-';
    const bool value = option && n + 1 < more.size() && more[n + 1][0] != '-';
    const bool there =
        option ? (command + " ").find(" " + more[n] + " ") != std::string::npos : named;
    if (!there && !option) begin += " " + more[n];
    if (!there && option) command += " " + more[n] + (value ? " " + more[n + 1] : "");
    if (value) ++n;
  }
  return begin + command.substr(words[0].size() + 1 + words[1].size());
}

PlannedCommand Planned(CommandTable& table, const CommandLine& line, const std::string& form) {
  PlannedCommand command;
  command.typed = form;
  command.shell = table.Fill(form);
  command.line = line.line;
  const bool begun = !line.whole || line.synopsis;
  if (const TableRow* rest = begun ? table.Find("rest", form) : nullptr)
    command.shell = Finished(command.shell, table.Fill(rest->then));
  if (const TableRow* front = table.Find("front", form))
    command.shell = front->then + " " + command.shell;
  if (const TableRow* code = table.Find("exit", form)) command.code = std::stoi(code->then);
  command.slow = table.Find("slow", form) != nullptr;
  for (const TableRow* shown : table.All("shown", form)) command.shown.push_back(shown->then);
  return command;
}

// The commands to run from each document. A command that a sentence begins runs once for all
// documents.
std::vector<PlannedDocument> PlanAll(CommandTable& table) {
  std::vector<PlannedDocument> all;
  std::set<std::string> begun;
  for (const TextFile& document : Documents()) {
    if (document.path != "README.md" && !Under(document.path, "docs")) continue;
    PlannedDocument plan{.document = &document, .given = {}, .commands = {}};
    for (const CommandLine& line : CommandLinesOf(document)) {
      if (table.Find("not", line.text) != nullptr) continue;
      for (const std::string& form :
           line.synopsis ? FormsOf(line.text) : std::vector<std::string>{line.text}) {
        if (table.Find("not", form) != nullptr) continue;
        PlannedCommand command = Planned(table, line, form);
        if (!line.whole && !begun.insert(command.shell).second) continue;
        plan.commands.push_back(std::move(command));
      }
    }
    for (const TableRow* row : table.All("given", document.path))
      plan.given.push_back(table.Fill(row->then));
    all.push_back(std::move(plan));
  }
  return all;
}

struct Ended {
  int code = -1;  // 124: it exceeded its time
  std::string output;
};

// Runs |command| in |folder| in a shell, as a reader would.
Ended RunIn(const fs::path& folder, const std::string& command, int seconds) {
  std::string quoted;
  for (const char c : command) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::string line = "cd '" + folder.string() + "' && timeout " + std::to_string(seconds) +
                           " bash -c '" + quoted + "' 2>&1 </dev/null";
  Ended ended;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return ended;
  char chunk[4096];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) ended.output.append(chunk, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

// A folder that looks like the checkout after a build and receives the files that commands write.
class Checkout {
 public:
  explicit Checkout(const std::string& name)
      : path_(fs::temp_directory_path() / ("tessera_docs_" + name + std::to_string(getpid()))) {
    fs::create_directories(path_);
    for (const auto& entry : fs::directory_iterator(fs::current_path())) {
      const std::string file = entry.path().filename();
      if (!file.starts_with(".") && !file.starts_with("build"))
        fs::create_symlink(entry.path(), path_ / file);
    }
    fs::create_symlink(TESSERA_BUILD, path_ / "build");
  }
  ~Checkout() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void ExpectShown(const PlannedDocument& plan, const PlannedCommand& command,
                 const std::string& output) {
  std::string text;
  const std::vector<std::string>& lines = plan.document->lines;
  const bool row = lines[command.line - 1].starts_with("|");
  for (size_t n = 0; n < lines.size(); ++n) {
    if (!row || n + 1 == command.line) text += lines[n] + "\n";
  }
  for (const std::string& shown : command.shown) {
    const std::regex form(shown);
    std::smatch found;
    EXPECT_TRUE(std::regex_search(output, found, form)) << "not printed: " << shown << "\n"
                                                        << output;
    for (size_t k = 1; k < found.size(); ++k) {
      EXPECT_NE(text.find(found[k].str()), std::string::npos)
          << "printed, and not in the document:\n"
          << found[k].str();
    }
  }
}

void RunDocument(const PlannedDocument& plan, bool slow) {
  const auto due = [&](const PlannedCommand& command) { return command.slow == slow; };
  if (std::ranges::none_of(plan.commands, due)) return;
  std::string name = plan.document->path;
  std::ranges::replace(name, '/', '_');
  const Checkout checkout(name);
  for (const std::string& command : plan.given) {
    const Ended ended = RunIn(checkout.path(), command, kSeconds);
    ASSERT_EQ(ended.code, 0) << "given " << name << ": " << command << "\n" << ended.output;
  }
  for (const PlannedCommand& command : plan.commands) {
    if (!due(command)) continue;
    if (!kXrtHere && command.shell.find("xrt") != std::string::npos) {
      std::printf("    left out: %s: it needs XRT\n", command.shell.c_str());
      continue;
    }
    SCOPED_TRACE(plan.document->path + ":" + std::to_string(command.line) + ": " + command.typed +
                 "\nrun as: " + command.shell);
    const auto begin = std::chrono::steady_clock::now();
    const Ended ended = RunIn(checkout.path(), command.shell, slow ? kSlowSeconds : kSeconds);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%6.1f s  %s\n", took.count(), command.shell.c_str());
    EXPECT_EQ(ended.code, command.code) << ended.output;
    ExpectShown(plan, command, ended.output);
  }
}

class Commands : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string path = std::getenv("PATH");
    setenv("PATH", (TESSERA_PROGRAMS ":" + path).c_str(), 1);
    setenv("TESSERA_CUDA_DRIVER", TESSERA_STAND_IN, 1);  // stands for a GPU: runs PTX here
    setenv("TESSERA_XRT_EMULATION", TESSERA_BUILD "/xrt_emulation", 1);
    unsetenv("TESSERA_DUMP_DIR");
  }
  // |first|: README.md and docs/command.md; otherwise all other pages.
  void Run(bool first, bool slow) {
    for (const PlannedDocument& plan : plans_) {
      const std::string& path = plan.document->path;
      if ((path == "README.md" || path == "docs/command.md") == first) RunDocument(plan, slow);
    }
  }
  CommandTable table_ = CommandTable::Read(kTable);
  std::vector<PlannedDocument> plans_ = PlanAll(table_);
};

TEST_F(Commands, OfTheTableAreInADocument) {
  size_t commands = 0;
  for (const PlannedDocument& plan : plans_) commands += plan.commands.size();
  EXPECT_GT(commands, 60u);
  table_.ExpectAllUsed();
}

TEST_F(Commands, OfTheReadmeRun) { Run(true, false); }
TEST_F(Commands, OfTheReadmeRunSlow) { Run(true, true); }
TEST_F(Commands, OfThePagesRun) { Run(false, false); }
TEST_F(Commands, OfThePagesRunSlow) { Run(false, true); }

TEST(Synopsis, IsEachAlternativeAndEachPartOnce) {
  EXPECT_EQ(FormsOf("tessera run A|B.x --d c|e [--s [L=]F] [--f]"),
            (std::vector<std::string>{"tessera run A --d c", "tessera run B.x --d c",
                                      "tessera run A --d e", "tessera run A --d c --s F",
                                      "tessera run A --d c --s L=F", "tessera run A --d c --f"}));
  EXPECT_EQ(FormsOf("tessera asm | check"),
            (std::vector<std::string>{"tessera asm", "tessera check"}));
}

TEST(CommandLines, AreFoundInSpansBlocksAndCells) {
  const TextFile document{
      "x.md",
      {"Say `tessera boards` or `cmake --build", "build`, not `hw/a.sh` or `x`.", "",
       "    tessera asm a.s -o a    # why", "    ./go", "",
       "    tessera run M|N [--first N]      what it does", "                [--more]", "",
       "    not a command", "", "| `hw/a.sh` | b |"}};
  std::vector<std::string> found;
  for (const CommandLine& line : CommandLinesOf(document)) {
    found.push_back(line.text);
    EXPECT_EQ(line.synopsis, line.line == 7) << line.text;
  }
  EXPECT_EQ(found, (std::vector<std::string>{"tessera boards", "cmake --build build",
                                             "tessera asm a.s -o a", "./go",
                                             "tessera run M|N [--first N] [--more]", "hw/a.sh"}));
}

}  // namespace
}  // namespace tessera::test::commands_test
