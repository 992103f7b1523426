// No header: adapter.h declares the table of all kinds beside what each kind implements.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/adapters/adapter.h"
#include "harness/core/case.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::adapters {

const std::vector<AdapterKind>& adapter_kinds() {
  static const std::vector<AdapterKind> kinds = {
      {"gbench", "programs of Google Benchmark", gbench_adapter},
      {"catch2", "programs of Catch2, versions 2 and 3", catch2_adapter},
      {"nanobench", "programs that write the JSON of nanobench into the file {out}",
       nanobench_adapter},
      {"go", "test programs of Go, made by `go test -c`", go_adapter},
      {"pytest", "folders of pytest-benchmark", pytest_adapter},
      {"command", "any program: its whole run is the operation", command_adapter},
      {"nsop", "workers of one's own kernels (docs/library.md), which need none", worker_adapter},
  };
  return kinds;
}

const Adapter& adapter_named(const std::string& name) {
  std::vector<std::string> names;
  for (const AdapterKind& kind : adapter_kinds()) {
    if (kind.name == name) return kind.adapter();
    names.emplace_back(kind.name);
  }
  const auto hit = nearest(name, names);
  throw usage_error(fmt::format("unknown adapter '{}'{} (adapters: {})", name,
                                hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                join(names, ", ")));
}

Counted Adapter::count(const Program& program, const CountRequest&, const std::string&) const {
  throw Error(
      ExitCode::kInconclusive,
      fmt::format("allocations of programs of the adapter {} aren't counted", program.adapter));
}

Listing chosen(const Program& program, Listing listing) {
  std::map<std::string, int> times;
  for (const Found& found : listing.cases) ++times[found.name];
  Listing kept{{}, std::move(listing.left_out)};
  for (Found& found : listing.cases) {
    if (!is_chosen(program, found.name)) continue;
    int& count = times[found.name];
    if (count == 1) {
      kept.cases.push_back(std::move(found));
    } else if (count > 1) {
      kept.left_out.push_back({found.name, "listed more than once: which one it is can't be told"});
      count = 0;  // said
    }
  }
  return kept;
}

}  // namespace nsop::adapters
