// SPDX-License-Identifier: Apache-2.0
//
// TraceFile: a long file written piece by piece while something runs. It appears under its name
// when it is finished. A disk that fills up stops nobody: what was written so far stays, cut
// between two pieces, and ends with a note. Depends on: base. Used by: chrome_trace.h.
#ifndef TESSERA_SIM_TRACE_TRACE_FILE_H_
#define TESSERA_SIM_TRACE_TRACE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera::sim {

class TraceFile {
 public:
  // A path that is there and no regular file (a pipe, a device) is written in place.
  //   errors  kUnavailable  it cannot be created
  static Result<std::unique_ptr<TraceFile>> Create(const std::string& path);
  ~TraceFile();  // of a file that was not finished nothing stays
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // Appends |piece| whole. Does nothing once the file is cut.
  void Add(std::string_view piece);
  // Why the file is cut: "No space left on device"; "" while it is not.
  const std::string& cut() const { return cut_; }
  uint64_t bytes() const { return written_ + buffer_.size(); }

  // The most that a cut file's end may take.
  static constexpr size_t kEndBytes = 512;
  // Appends |end|, or, to a cut file, |end_of_cut| (kEndBytes at most), and gives it its name.
  //   errors  kUnavailable  not even that fits: there is no file then
  Status Finish(std::string_view end, std::string_view end_of_cut);

 private:
  TraceFile(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  void Flush();
  bool Write(std::string_view bytes, uint64_t at);
  std::unexpected<Error> Failed(std::string_view why);

  std::string path_;
  std::string temporary_;  // "": written in place
  int fd_;
  std::string buffer_;        // pieces that are not written yet
  uint64_t written_ = 0;      // bytes
  std::vector<size_t> ends_;  // of the pieces in it
  uint64_t keep_ = 0;         // end of a piece in the file with kEndBytes behind it
  std::string cut_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_TRACE_FILE_H_
