// Numbers that several verbs take, with the one range that each may have.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace nsop::cli {

// `--seed N`, from 0 to 2^32 - 1; a text that is no such number is a mistake of usage.
void declare_seed(CLI::App& verb, std::optional<uint64_t>& seed);
// The seed that was given, or a fresh one.
uint64_t seed_of(const std::optional<uint64_t>& given);

// `--lock-wait SECONDS`, from 0 to 1e9.
void declare_lock_wait(CLI::App& verb, double& seconds);

// `--layouts N`: 1, or 6 to 100. Rounds of one link order count as one observation, and fewer than
// six decide nothing.
void declare_layouts(CLI::App& verb, int& layouts, const std::string& help);
// Throws Error (usage) for 2 to 5 link orders of what `name` names.
void refuse_few_layouts(const std::string& name, size_t layouts);

}  // namespace nsop::cli
