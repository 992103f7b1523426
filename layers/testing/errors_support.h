// For tests of what users do wrong.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "harness/core/error.h"

namespace nsop::layers {

// The message of the Error (usage) that the code throws.
inline std::string error_of(const std::function<void()>& code) {
  try {
    code();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

}  // namespace nsop::layers
