// SPDX-License-Identifier: Apache-2.0
//
// Includes the reader of .tflite tables that flatc makes from tflite.fbs and silences its warnings.
// Only tables that tflite_model.h has verified may be read through it. Internal to compiler/import
// and to its tests, which build files with it.
#ifndef TESSERA_COMPILER_IMPORT_TFLITE_SCHEMA_H_
#define TESSERA_COMPILER_IMPORT_TFLITE_SCHEMA_H_

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/import/tflite_generated.h"
#pragma GCC diagnostic pop

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_SCHEMA_H_
