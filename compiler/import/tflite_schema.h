// SPDX-License-Identifier: Apache-2.0
//
// The reader of .tflite tables that flatc makes from tflite.fbs, without the warnings that are its
// own. Nothing may be read through it that tflite_model.h has not verified. Internal to
// compiler/import, and what its tests build files with.
#ifndef TESSERA_COMPILER_IMPORT_TFLITE_SCHEMA_H_
#define TESSERA_COMPILER_IMPORT_TFLITE_SCHEMA_H_

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/import/tflite_generated.h"
#pragma GCC diagnostic pop

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_SCHEMA_H_
