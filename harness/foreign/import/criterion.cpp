// What Criterion.rs writes: cargo-criterion's JSON lines, and a folder's sample.json. No header:
// formats.h declares the readers.
// Sources: https://bheisler.github.io/criterion.rs/book/cargo_criterion/external_tools.html and
// https://github.com/bheisler/criterion.rs/blob/master/src/analysis/mod.rs.
#include <fmt/format.h>

#include <sstream>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

// Samples are totals of so many iterations.
void add_totals(const Identity& identity, const Value& totals, const Value& iterations,
                double ns_of_unit, ForeignFile& file) {
  const std::string name = display_name(identity);
  if (!totals.is_array() || !iterations.is_array() || totals.size() != iterations.size()) {
    return file.leave_out("its times and iterations are not two lists of one length", name);
  }
  for (size_t i = 0; i < totals.size(); ++i) {
    if (!totals[i].is_number() || !iterations[i].is_number() ||
        !(iterations[i].get<double>() >= 1) || iterations[i].get<double>() > 9e15) {
      file.leave_out("the time is no number", name);
      continue;
    }
    const auto count = iterations[i].get<double>();
    file.add_sample(identity, 1,
                    {.ns = totals[i].get<double>() * ns_of_unit / count,
                     .iterations = static_cast<int64_t>(count)},
                    static_cast<int64_t>(i));
  }
}

constexpr std::string_view kComplete = "benchmark-complete";

bool is_cut_off(const std::string& line, const ForeignFile& file) {
  std::istringstream in(line);
  TextSource text(in);
  try {
    return read_json_rows(text, file.where(), {}, [](const Path&, Value&, const Value&) {})
        .truncated;
  } catch (const Error&) {
    return false;  // the program's own
  }
}

// `ended`: has the line an end, or is it the last one, perhaps cut off?
void read_line(const std::string& line, bool ended, ForeignFile& file) {
  if (line.find(kComplete) == std::string::npos) {  // of cargo, of the program, of a group
    file.truncated = file.truncated || (!ended && is_cut_off(line, file));
    return;
  }
  std::istringstream in(line);
  TextSource text(in);
  const JsonRest rest =
      read_json_rows(text, file.where(), {}, [](const Path&, Value&, const Value&) {});
  const Value& message = rest.value;
  if (rest.truncated) {
    if (ended) throw bad_data(file.where() + ": a message is cut off in the middle of the text");
    file.truncated = true;
    return;
  }
  if (text_at(message, "reason") != kComplete) return;
  file.count_row();
  const Identity identity{{"name", text_at(message, "id")}};
  if (identity[0].second.empty()) return file.leave_out("it has no id", "");
  const auto unit = ns_of_unit(text_at(message, "unit"));
  if (!unit) return file.leave_out("its unit is no time", identity[0].second);
  if (file.has_row(identity, 1)) {
    throw bad_data(fmt::format("{}: '{}' is there twice", file.where(), identity[0].second));
  }
  add_totals(identity, value_at(message, "measured_values"), value_at(message, "iteration_count"),
             *unit, file);
}

}  // namespace

bool is_cargo_criterion(const Head& head) {
  return head.text.find("\"reason\":\"benchmark-complete\"") != std::string::npos ||
         head.text.find("\"reason\": \"benchmark-complete\"") != std::string::npos;
}

void read_cargo_criterion(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  while (const auto line = text.line()) {
    if (trim(*line).starts_with('{')) read_line(*line, text.line_was_ended(), file);
  }
}

void read_criterion_sample(const std::string& benchmark_json, const std::string& sample_json,
                           ForeignFile& file) {
  file.count_row();
  const auto parsed = [&](const std::string& json) {
    std::istringstream in(json);
    TextSource text(in);
    JsonRest rest =
        read_json_rows(text, file.where(), {}, [](const Path&, Value&, const Value&) {});
    file.truncated = file.truncated || rest.truncated;
    return std::move(rest.value);
  };
  const Value benchmark = parsed(benchmark_json), sample = parsed(sample_json);
  const Identity identity{{"name", text_at(benchmark, "full_id")}};
  if (identity[0].second.empty()) return file.leave_out("its benchmark.json has no full_id", "");
  if (file.has_row(identity, 1)) {
    throw bad_data(fmt::format("{}: '{}' is there twice", file.where(), identity[0].second));
  }
  add_totals(identity, value_at(sample, "times"), value_at(sample, "iters"), 1, file);
}

}  // namespace nsop::foreign
