// The text of `go test -bench`. No header: formats.h declares the readers.
// Source: https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md
#include <charconv>
#include <map>
#include <sstream>

#include "harness/core/text.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/numbers.h"
#include "harness/foreign/import/times.h"
#include "harness/foreign/import/units.h"

namespace nsop::foreign {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> fields;
  for (std::string field; in >> field;) fields.push_back(field);
  return fields;
}

class GoTextReader {
 public:
  explicit GoTextReader(ForeignFile& file) : file_(file) {}

  void line(const std::string& line) {
    for (const auto& [mark, status] : {std::pair{"--- FAIL: Benchmark", Status::kError},
                                       {"--- SKIP: Benchmark", Status::kUnsupported}}) {
      if (line.starts_with(mark)) return failure(line, status);
    }
    if (is_result(line)) return result(line);
    config(line);
  }

  // `Benchmark` and no lower-case letter behind it, as the tool itself tells them.
  static bool is_result(const std::string& line) {
    constexpr std::string_view kBegin = "Benchmark";
    return line.starts_with(kBegin) &&
           (line.size() == kBegin.size() ||
            !(line[kBegin.size()] >= 'a' && line[kBegin.size()] <= 'z'));
  }

 private:
  // GOMAXPROCS stands behind a `-`, as parts of names do: it stays in the name.
  Identity identity_of(const std::string& name) const {
    Identity identity{{"name", name}};
    if (!package_.empty()) identity.emplace_back("pkg", package_);
    return identity;
  }

  void config(const std::string& line) {
    const size_t at = line.find(": ");
    if (at == std::string::npos || !(line[0] >= 'a' && line[0] <= 'z')) return;
    const std::string key = line.substr(0, at), value = trim(line.substr(at + 2));
    ForeignContext& c = file_.context();
    if (key == "pkg") {
      package_ = value;
      process_ = processes_[value]++;
    }
    if (key == "goos") c.os = value;
    if (key == "goarch" && !c.os.ends_with("/" + value)) c.os += "/" + value;
    if (key == "cpu") c.cpu_model = value;
    if (key == "commit") c.commit = value;
    if (key == "host") c.host = value;
    if (key == "toolchain") c.compiler = value;
    if (key == "date" || key == "commit-time") c.started_utc = utc_of_iso8601(value);
  }

  void failure(const std::string& line, Status status) {
    file_.count_row();
    const std::vector<std::string> fields = fields_of(line);
    file_.add_failure(identity_of(fields.at(2)), 1, status,
                      status == Status::kError ? "it failed" : "it was skipped");
  }

  void result(const std::string& line) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < 2) return;  // `-v` names what begins
    file_.count_row();
    const Identity identity = identity_of(fields[0]);
    const auto iterations = integer_of(fields[1]);
    if (!iterations || *iterations < 1 || fields.size() % 2 != 0) {
      return file_.leave_out("its line is broken: something was printed into it", fields[0]);
    }
    ForeignSample sample{.iterations = *iterations, .process = process_};
    std::optional<double> time, bytes, allocs;
    for (size_t i = 2; i < fields.size(); i += 2) {
      const auto value = number_of(fields[i]);
      const std::string& unit = fields[i + 1];
      const auto ns = value && unit.ends_with("/op") ? ns_per_op(*value, unit) : std::nullopt;
      if (ns && (!time || unit == "ns/op")) {
        time = ns;
      } else if (unit == "B/op") {
        bytes = value;
      } else if (unit == "allocs/op") {
        allocs = value;
      } else if (value && *value >= 0) {
        sample.metrics[unit] = *value;
      } else {
        file_.leave_out("a metric is negative or no number", fields[0] + " " + unit);
      }
    }
    if (!time) return file_.leave_out("it has no time per operation", fields[0]);
    sample.ns = *time;
    ForeignRow* row = file_.add_sample(identity, 1, sample, counts_[identity]++);
    if (row != nullptr && bytes && allocs) row->allocs_and_bytes.emplace_back(*allocs, *bytes);
  }

  ForeignFile& file_;
  std::string package_;
  int process_ = 0;
  std::map<std::string, int> processes_;  // seen of each package
  std::map<Identity, int64_t> counts_;    // lines of each row
};

// What follows the results of a package: `PASS`, `ok  \tPACKAGE\t1.2s`, `FAIL`.
bool is_last_line(const std::string& line) {
  return line.empty() || line.starts_with("PASS") || line.starts_with("ok  ") ||
         line.starts_with("FAIL");
}

}  // namespace

bool is_go_text(const Head& head) {
  if (head.text.find("ns/op") == std::string::npos && !head.has_line_with("goos: ")) return false;
  return head.has_line_with("Benchmark") || head.has_line_with("goos: ");
}

void read_go_text(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  GoTextReader reader(file);
  while (const auto line = text.line()) {
    if (!text.line_was_ended() && !is_last_line(*line)) {
      file.truncated = true;  // a number may have been cut off
      return;
    }
    reader.line(*line);
  }
}

}  // namespace nsop::foreign
