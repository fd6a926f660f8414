// SPDX-License-Identifier: Apache-2.0
//
// TraceFile: a long file, written piece by piece during a run. It gets its name when it is
// finished. If the disk fills up, the run goes on: the file keeps what was written so far, cut
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
  // An existing path that is not a regular file (a pipe, a device) is written in place.
  //   errors  kUnavailable  it is a folder, or cannot be created
  static Result<std::unique_ptr<TraceFile>> Create(const std::string& path);
  ~TraceFile();  // removes a file that was not finished
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // Appends |piece|, all or nothing. Does nothing once the file is cut.
  void Add(std::string_view piece);
  // The reason why the file is cut, as "No space left on device"; "" if it is not.
  const std::string& cut() const { return cut_; }
  uint64_t bytes() const { return written_ + buffer_.size(); }

  // The most bytes of the end of a cut file.
  static constexpr size_t kEndBytes = 512;
  // Appends |end|, or |end_of_cut| (kEndBytes at most) if the file is cut, and gives the file its
  // name.
  //   errors  kUnavailable  that does not fit either: there is no file then
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
  uint64_t written_ = 0;      // bytes written
  std::vector<size_t> ends_;  // ends of the pieces in buffer_
  uint64_t keep_ = 0;         // end of the last piece in the file with room for kEndBytes after it
  std::string cut_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_TRACE_FILE_H_
