#include "harness/cli/text/import_output.h"

#include <fmt/format.h>

#include <utility>

namespace nsop::cli {
namespace {

std::string counted(int64_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

Json run_json(const StoredForeign& one) {
  const foreign::ForeignRecord& r = *one.record;
  return {
      {"run", one.imported.run_id},    {"new", one.imported.is_new},   {"host", r.host.id},
      {"host_name", r.host.cpu_model}, {"started", r.run.started_utc}, {"rows", r.rows},
      {"samples", r.samples},          {"summaries", r.summaries},     {"failures", r.failures}};
}

std::string run_text(const StoredForeign& one) {
  const foreign::ForeignRecord& r = *one.record;
  std::string text = fmt::format(
      "run {} of host {} ({}), {}: {}, {}", short_id(one.imported.run_id), short_id(r.host.id),
      r.host.cpu_model, r.run.started_utc, counted(r.rows, "row"), counted(r.samples, "sample"));
  if (r.summaries > 0) text += fmt::format(", {} without samples: a summary", r.summaries);
  if (r.failures > 0) text += fmt::format(", {} that failed or were skipped", r.failures);
  return text + (one.imported.is_new ? "" : "; it is stored already");
}

}  // namespace

Json import_json(const foreign::ForeignFile& file, const foreign::Format& format,
                 const std::vector<StoredForeign>& runs) {
  Json left_out = Json::array(), stored = Json::array();
  for (const auto& [reason, one] : file.left_out()) {
    left_out.push_back({{"reason", reason}, {"count", one.count}, {"first", one.first}});
  }
  for (const StoredForeign& one : runs) stored.push_back(run_json(one));
  return {{"file", file.where()},          {"format", format.name},
          {"rows_read", file.rows_read()}, {"truncated", file.truncated},
          {"runs", std::move(stored)},     {"left_out", std::move(left_out)}};
}

void note_import(Context& context, const foreign::ForeignFile& file, const foreign::Format& format,
                 const std::vector<StoredForeign>& runs) {
  context.note(fmt::format("{}: {}, {} read{}", file.where(), format.name,
                           counted(file.rows_read(), "row"),
                           file.truncated ? "; it is truncated, what was complete is kept" : ""));
  for (const StoredForeign& one : runs) context.note("  " + run_text(one));
  for (const auto& [reason, one] : file.left_out()) {
    context.note(fmt::format("  left out: {}: {}{}", one.count, reason,
                             one.first.empty() ? "" : ", first " + one.first));
  }
}

Json published_json(const std::string& file, const std::vector<report::PublishedRun>& runs,
                    const std::vector<bool>& are_new) {
  Json list = Json::array();
  int64_t read = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const report::PublishedRun& r = runs[i];
    read += r.values;
    list.push_back({{"run", r.run.id},
                    {"new", bool(are_new[i])},
                    {"host", r.host.id},
                    {"host_name", r.host.cpu_model},
                    {"started", r.run.started_utc},
                    {"baseline", r.baseline},
                    {"rows", r.values},
                    {"samples", r.times}});
  }
  return {{"file", file},       {"format", "published"},   {"rows_read", read},
          {"truncated", false}, {"runs", std::move(list)}, {"left_out", Json::array()}};
}

void note_published(Context& context, const std::string& file,
                    const std::vector<report::PublishedRun>& runs,
                    const std::vector<bool>& are_new) {
  for (size_t i = 0; i < runs.size(); ++i) {
    const report::PublishedRun& r = runs[i];
    context.note(
        fmt::format("{}: run {}, baseline '{}' of the machine '{}': {}, {} of them times{}", file,
                    short_id(r.run.id), r.baseline, r.host.cpu_model, counted(r.values, "value"),
                    r.times, are_new[i] ? "" : "; it is stored already"));
  }
}

void print_imports(Context& context, Json files) {
  context.out << Json{{"schema", "nsop.import/1"}, {"files", std::move(files)}}.dump(2) << '\n';
}

}  // namespace nsop::cli
