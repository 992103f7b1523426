// The JSON of nanobench's template ankerl::nanobench::templates::json(). No header: formats.h
// declares the readers.
// Source: https://nanobench.ankerl.com/reference.html: seconds of one operation, of which a batch
// counts many.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/json_rows.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

void add_nanobench_row(const Value& row, ForeignFile& file) {
  file.count_row();
  Identity identity{{"name", text_at(row, "name")}};
  if (identity[0].second.empty()) return file.leave_out("it has no name", "");
  const std::string title = text_at(row, "title");
  if (!title.empty()) identity.emplace_back("title", title);
  if (file.has_row(identity, 1)) {
    throw bad_data(fmt::format("{}: '{}' is there twice", file.where(),
                               display_name(identity).substr(0, 120)));
  }
  const Value& measurements = value_at(row, "measurements");
  if (measurements.is_array() && !measurements.empty()) {
    int64_t index = 0;
    for (const Value& one : measurements) {
      const auto elapsed = number_at(one, "elapsed");
      if (!elapsed) {
        file.leave_out("the time is no number", display_name(identity));
        continue;
      }
      file.add_sample(
          identity, 1,
          {.ns = *elapsed * kNsPerS, .iterations = integer_at(one, "iterations").value_or(0)},
          index++);
    }
    return;
  }
  const auto median = number_at(row, "median(elapsed)");
  if (!median) return file.leave_out("it has neither samples nor a median", display_name(identity));
  file.add_summary(identity, 1, *median * kNsPerS,
                   fmt::format("median of {} epochs", integer_at(row, "epochs").value_or(0)));
}

}  // namespace

bool is_nanobench(const Head& head) {
  return head.has("results.[].median(elapsed)") ||
         (head.has("results.[].title") && head.has("results.[].epochs"));
}

void read_nanobench(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const JsonRest rest = read_json_rows(
      text, file.where(), {{"results", "[]"}},
      [&](const Path&, const Value& row, const Value&) { add_nanobench_row(row, file); },
      {.bare_quotes = true});
  if (!rest.value.is_object()) throw bad_data(file.where() + ": expected a JSON object");
  file.truncated = rest.truncated;
}

}  // namespace nsop::foreign
