// What the programs of this folder have in common.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "harness/core/error.h"

namespace nsop::layers {

// Parses the arguments and does the work; the exit code. Every failure is one line on standard
// error, that standard output can't be written included.
inline int run_program(const char* name, CLI::App& app, int argc, char** argv,
                       const std::function<ExitCode()>& work) {
  const auto fail = [name](const std::string& why, ExitCode code) {
    std::fprintf(stderr, "%s: %s\n", name, why.c_str());
    return static_cast<int>(code);
  };
  try {
    app.parse(argc, argv);
    const ExitCode code = work();
    if (std::fflush(stdout) == 0) return static_cast<int>(code);
    return fail("standard output can't be written; free space or redirect it elsewhere",
                ExitCode::kEnvironment);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help was asked for
    return fail(error.what(), ExitCode::kUsage);
  } catch (const Error& error) {
    return fail(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return fail("out of memory", ExitCode::kEnvironment);
  } catch (const std::exception& error) {
    return fail(error.what(), ExitCode::kEnvironment);
  }
}

// What is wrong with the text of an option that is a whole number from 0; CLI11 itself takes -1 and
// what doesn't fit for the largest one.
inline std::string whole_number_problem(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return "";
  return fmt::format("expected a whole number from 0 to {}, given {}",
                     std::numeric_limits<uint64_t>::max(), text);
}

// Throws Error (environment) unless a file can be made at `path`: better said before hours of
// training than after them.
inline void require_writable(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const char* const where = folder.empty() ? "." : folder.c_str();
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(path, unknown);
  if (!is_folder && access(where, W_OK | X_OK) == 0) return;
  throw environment_error(fmt::format("{}: can't be written: {}; choose another file", path,
                                      is_folder ? "is a folder" : std::strerror(errno)));
}

}  // namespace nsop::layers
