// SPDX-License-Identifier: Apache-2.0
//
// Trials of searches in the format that tuners share: the "T4" results of the Tuning Schema,
// version 1.0.0 (github.com/odgaard/TuningSchema, branch T4, results-schema.json; the folder
// kernel_tuner/schema/T4/1.0.0 of Kernel Tuner has the form that it writes). Depends on: record.h.
// Used by: the command.
//
//   {"schema_version":"1.0.0",
//    "metadata":{"hardware":{"hardware_description":
//      [{"config":"default","config_hash":"..","isa":".."}]}},
//    "results":[{"configuration":{"channels":4,"order":"y.o x.o"},"times":{},
//      "invalidity":"correct","correctness":1,"objectives":["cycles"],
//      "measurements":[{"name":"cycles","value":2909,"unit":"cycles"}],
//      "task":{"name":"conv_2d_0","layer":"9c..","space":"01..","target":"accelerator", ..}}]}
//
// "metadata" is of the schema's metadata-schema.json: each machine of the records once. The schema
// has the results of one kernel and no place for its name. So each result also has "task", the
// record's key: results of one task are of one space. A failed trial has "failed" and "message", as
// in the record, beside the schema's word in "invalidity", and no "measurements".
//
// Records have no time stamps, no compile times and no single runs. So "timestamp" is absent, and
// "times", which the schema asks for, is empty. The schema asks for "correctness" too: 1 for a
// trial with a cost, 0 for a failed one. A trial of the host has a cost only after its result was
// compared. A trial of the accelerator has its cycles counted and no result compared: there 1 means
// that its steps are legal and its program passed the checker.
#ifndef TESSERA_COMPILER_TUNE_T4_H_
#define TESSERA_COMPILER_TUNE_T4_H_

#include <string>

#include "compiler/tune/record.h"

namespace tessera::tune {

// The trials of |records|, in their order, as a document. Choices are no trials and are left out.
std::string T4Of(const RecordSet& records);

// The schema's word for the cause of a failed trial (FailedTrial::cause): "timeout", "compile",
// "runtime", "correctness" or "constraints". A cause that this version does not know is "runtime".
const char* InvalidityOf(const std::string& cause);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_T4_H_
