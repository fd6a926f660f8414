// SPDX-License-Identifier: Apache-2.0
//
// The headers that most tests include, compiled once (cmake/tessera.cmake). No file includes this
// one.
#ifndef TESSERA_TESTS_PCH_H_
#define TESSERA_TESTS_PCH_H_

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "compiler/schedule/schedule.h"
#include "isa/config.h"

#endif  // TESSERA_TESTS_PCH_H_
