// SPDX-License-Identifier: Apache-2.0
//
// tessera boards: lists boards and the stages of work on each, and prints what a description makes.
#include "tools/boards.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "isa/config.h"
#include "runtime/board/board.h"
#include "runtime/board/handoff.h"
#include "runtime/board/overlay.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct BoardFlags {
  std::string name, folder = TESSERA_BOARDS, print, collect, json;
};

std::string MHz(uint64_t hz) { return fmt::format("{:.3f}", static_cast<double>(hz) / 1e6); }

Json StatusJson(const BoardDescription& board) {
  Json status;
  for (size_t i = 0; i < kBoardStages.size(); ++i) {
    Json& stage = status[std::string(kBoardStages[i])];
    if (!board.proofs[i].empty()) stage = board.proofs[i];
  }
  return status;
}

Result<int> List(const BoardFlags& options) {
  TESSERA_ASSIGN(const std::vector<BoardDescription> boards, ReadBoards(options.folder));
  std::vector<std::vector<std::string>> rows;
  Json json = Json::array();
  for (const BoardDescription& b : boards) {
    std::vector<std::string> row = {b.name, b.part, b.config, MHz(b.clock_hz)};
    for (const std::string& proof : b.proofs) row.push_back(proof.empty() ? "no" : "yes");
    rows.push_back(std::move(row));
    json.push_back({{"name", b.name},
                    {"part", b.part},
                    {"config", b.config},
                    {"clock_hz", b.clock_hz},
                    {"status", StatusJson(b)}});
  }
  std::fputs(Table({"board", "part", "configuration", "MHz asked", "simulated", "estimated",
                    "routed", "built", "flashed"},
                   "lllrlllll", rows)
                 .c_str(),
             stdout);
  std::printf("what proves each: tessera boards NAME; how a board is brought up: docs/boards.md\n");
  TESSERA_TRY(WriteJson(options.json, json));
  return kExitOk;
}

void Describe(const BoardDescription& b) {
  std::printf("%s: %s, %s\n", b.name.c_str(), b.title.c_str(), b.part.c_str());
  if (b.HasProcessor()) {
    std::printf(
        "configuration %s; registers at 0x%llx on %s, interrupt %lld, memory on %s (%lld bits, "
        "AXI%lld)\n",
        b.config.c_str(), static_cast<unsigned long long>(b.register_base), b.master.c_str(),
        static_cast<long long>(b.interrupt), b.port.c_str(), static_cast<long long>(b.port_bits),
        static_cast<long long>(b.axi));
    std::printf("%s MHz asked; %s bytes reserved; /lib/firmware/%s; devices %s and %s\n",
                MHz(b.clock_hz).c_str(), Grouped(static_cast<int64_t>(b.memory_bytes)).c_str(),
                b.FirmwareBin().c_str(), b.uio.c_str(), b.udmabuf.c_str());
  } else {
    std::printf(
        "configuration %s; %s MHz asked; %s bytes of memory in the part; serial line at %s baud; "
        "openFPGALoader -b %s\n",
        b.config.c_str(), MHz(b.clock_hz).c_str(),
        Grouped(static_cast<int64_t>(b.memory_bytes)).c_str(),
        Grouped(static_cast<int64_t>(b.baud)).c_str(), b.loader.c_str());
  }
  for (size_t i = 0; i < kBoardStages.size(); ++i)
    std::printf("  %-10s %s\n", std::string(kBoardStages[i]).c_str(),
                b.proofs[i].empty() ? "no" : b.proofs[i].c_str());
  if (b.image)
    std::printf("  image      %s, %s bytes, %s MHz, %.3f ns to spare, by %s\n",
                b.image->bitstream.name.c_str(),
                Grouped(static_cast<int64_t>(b.image->bitstream.bytes)).c_str(),
                MHz(b.image->clock_hz).c_str(), b.image->slack_ns, b.image->tool.c_str());
}

// An array of Tcl with what the scripts of boards/scripts know of a board.
Result<std::string> TclText(const BoardDescription& b) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(b.config));
  std::string text =
      fmt::format("# {}, printed by: tessera boards {} --print tcl\n", b.title, b.name);
  const auto set = [&](const char* key, const std::string& value) {
    text += fmt::format("set board({}) {{{}}}\n", key, value);
  };
  set("name", b.name);
  set("config", b.config);
  set("config_hash", fmt::format("{:016x}", config.Hash()));
  set("family", std::string(Text(b.family)));
  set("part", b.part);
  if (!b.HasProcessor()) {
    set("clock_hz", fmt::format("{}", b.clock_hz));
    set("memory_bytes", fmt::format("{}", b.memory_bytes));
    set("baud", fmt::format("{}", b.baud));
    return text;
  }
  set("board_files", b.board_files);
  set("ps_clock_mhz", fmt::format("{}", b.ps_clock_mhz));
  set("clock_mhz", fmt::format("{:.6f}", static_cast<double>(b.clock_hz) / 1e6));
  set("port", b.port);
  set("port_bits", fmt::format("{}", b.port_bits));
  set("axi", fmt::format("{}", b.axi));
  set("master", b.master);
  set("register_base", fmt::format("0x{:08x}", b.register_base));
  set("register_bytes", fmt::format("{}", b.register_bytes));
  return text;
}

Result<int> Run(const BoardFlags& options) {
  if (options.name.empty()) {
    if (!options.print.empty())
      return Fail(Code::kInvalidArgument,
                  "--print {} needs a board: tessera boards NAME --print {}", options.print,
                  options.print);
    return List(options);
  }
  TESSERA_ASSIGN(BoardDescription board, FindBoard(options.name, options.folder));
  if (!options.collect.empty()) {
    TESSERA_ASSIGN(board, CollectBuild(board, options.collect));
  }
  std::string text;
  if (options.print == "tcl") {
    TESSERA_ASSIGN(text, TclText(board));
  } else if (!board.HasProcessor() && (options.print == "overlay" || options.print == "hwh")) {
    return Fail(Code::kInvalidArgument,
                "--print {}: {} has no processor, so there is none; it can print tcl and json",
                options.print, board.name);
  } else if (options.print == "overlay") {
    text = OverlaySource(board);
  } else if (options.print == "hwh") {
    text = HwhText(HandoffOf(board));
  } else if (options.print == "json") {
    text = BoardToJson(board);
  } else {
    Describe(board);
  }
  std::fputs(text.c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, Json::parse(BoardToJson(board))));
  return kExitOk;
}

}  // namespace

Result<BoardDescription> FindBoard(const std::string& name, const std::string& folder) {
  if (name.find('/') != std::string::npos || name.ends_with(".json")) return ReadBoard(name);
  TESSERA_ASSIGN(const std::vector<BoardDescription> boards, ReadBoards(folder));
  const auto board = std::ranges::find(boards, name, &BoardDescription::name);
  if (board != boards.end()) return *board;
  std::string names;
  for (const BoardDescription& b : boards) names += (names.empty() ? "" : ", ") + b.name;
  return Fail(Code::kNotFound,
              "no board is named \"{}\"; there are {}, or give a folder with a "
              "board.json (./{})",
              name, names, name);
}

Action AddBoards(CLI::App& app) {
  auto options = std::make_shared<BoardFlags>();
  CLI::App* verb = app.add_subcommand(
      "boards", "list the boards and what has been done with each, or describe one");
  verb->add_option("name", options->name, "a board, or a folder with a board.json");
  verb->add_option("--boards", options->folder, "the folder with the boards' folders");
  verb->add_option("--print", options->print,
                   "what is made from the description, to standard output")
      ->check(CLI::IsMember({"tcl", "overlay", "hwh", "json"}));
  verb->add_option("--collect", options->collect,
                   "check what a build left in this folder and write its board.json");
  verb->add_option("--json", options->json, "write the facts to this file");
  verb->footer("Example: tessera boards pynq-z1 --print overlay");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
