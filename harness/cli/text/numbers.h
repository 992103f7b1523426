// Numbers and durations that several verbs take, with the one range that each may have.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace nsop::cli {

// Seconds of `20ms`, `90s`, `5m`, `1.5h`, `90d` or a bare number. Throws Error (usage) naming the
// option.
double parse_seconds(const std::string& option, const std::string& text);

// `--seed N`, from 0 to 2^32 - 1; a text that is no such number is a mistake of usage.
void declare_seed(CLI::App& verb, std::optional<uint64_t>& seed);

// `--lock-wait SECONDS`, from 0 to 1e9.
void declare_lock_wait(CLI::App& verb, double& seconds);

// `--layouts N`: 1, or 6 to 100. Rounds of one link order count as one observation, and fewer than
// six decide nothing.
void declare_layouts(CLI::App& verb, int& layouts, const std::string& help);

// `--instructions`: of an operation, counted beside its time.
void declare_instructions(CLI::App& verb, bool& instructions);

}  // namespace nsop::cli
