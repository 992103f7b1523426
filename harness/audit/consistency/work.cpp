// No header: check_work() of consistency.h.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/audit/checks/check.h"
#include "harness/audit/consistency/consistency.h"
#include "harness/audit/read/configs.h"

namespace nsop::audit {
namespace {

constexpr double kAlike = 1.5;  // work that differs by less is the same size

// The digits behind `kernel` in words: `conv2d matched kernel5 forward`; 0: none.
int64_t kernel_in(const std::string& words) {
  const size_t at = words.find("kernel");
  if (at == std::string::npos) return 0;
  size_t i = at + 6;
  while (i < words.size() && words[i] == ' ') ++i;
  int64_t out = 0;
  for (; i < words.size() && words[i] >= '0' && words[i] <= '9' && out < 1000; ++i)
    out = out * 10 + (words[i] - '0');
  return out;
}

// Work of a row and its time per multiplication.
struct Work {
  double multiplications = 0;
  std::optional<double> time_s{};
};

class Works {
 public:
  explicit Works(const Page& page) : page_(page), configs_(configs_of(page.document())) {}

  const std::vector<Config>& configs() const { return configs_; }

  Work of(Place place) const {
    Work out;
    const std::string& key = page_.key(place);
    const Config* config = nullptr;
    for (const Config& one : configs_) {
      const bool named = (key + " ").starts_with(one.name + " ");
      const bool variant = key.starts_with(one.name + " kernel");
      if ((named || variant) && (config == nullptr || one.name.size() > config->name.size()))
        config = &one;
    }
    if (config == nullptr) return out;
    size_t kernel = 0;
    const int64_t taps = kernel_in(key);
    while (taps > 0 && kernel < config->kernels.size() && config->kernels[kernel][0] != taps)
      ++kernel;
    out.multiplications = multiplications(*config, kernel);
    for (const Measured& m : page_.measured(place)) {
      if (m.quantity.unit.dimension != Dimension::kTime) continue;
      out.time_s = m.quantity.value;
      break;
    }
    return out;
  }

 private:
  const Page& page_;
  std::vector<Config> configs_;
};

// The page knows: a column counts the work, or says what one piece of it takes.
bool shows_work(const std::vector<Column>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const Column& c) {
    const std::string words = words_of(c.header);
    return has_word(words, "mac") || has_word(words, "macs") || has_word(words, "flop") ||
           has_word(words, "flops") || has_word(words, "work");
  });
}

// A column of ratios against the row that is called the baseline, whose rows do other work.
std::optional<Finding> unlike_work(const Page& page, const Works& works, size_t t, size_t c) {
  Work base;
  std::string base_key;
  std::vector<std::pair<std::string, Work>> others;
  for (size_t r = 0; r < page.table(t).rows.size(); ++r) {
    const Place place{t, r};
    const std::vector<std::string>& cells = page.row(place).cells;
    if (c >= cells.size() || !page.quantity(place, c)) continue;
    const Work own = works.of(place);
    if (has_word(cells[c], "baseline")) {
      if (base_key.empty()) {
        base = own;
        base_key = page.key(place);
      } else {
        break;  // the next group
      }
    } else if (!base_key.empty() && own.multiplications > 0) {
      others.emplace_back(page.key(place), own);
    }
  }
  if (base.multiplications <= 0 || others.empty()) return {};
  const auto less = [](const auto& a, const auto& b) {
    return a.second.multiplications < b.second.multiplications;
  };
  const auto [least, most] = std::minmax_element(others.begin(), others.end(), less);
  const auto share = [&](const auto& row) {
    return row->second.multiplications / base.multiplications;
  };
  if (share(least) > 1 / kAlike && share(most) < kAlike) return {};
  const auto& far = share(most) * share(least) >= 1 ? *most : *least;
  std::string note =
      fmt::format("the rows do {:.3g} to {:.3g} times the {:.0f} multiplications of '{}'",
                  share(least), share(most), base.multiplications, base_key);
  if (base.time_s && far.second.time_s) {
    note += fmt::format("; for each, '{}' takes {:.2f} ns and '{}' {:.2f} ns", base_key,
                        *base.time_s / base.multiplications * 1e9, far.first,
                        *far.second.time_s / far.second.multiplications * 1e9);
  }
  return Finding{page.table(t).line, Kind::kUnlikeCases, page.columns(t)[c].header,
                 std::move(note)};
}

// `AxB output` in a statement that names configurations, all of whose outputs are of another size.
void check_outputs(const Document& document, const std::vector<Config>& configs,
                   std::vector<Finding>& out) {
  for (const Statement& s : document.statements) {
    const size_t at = s.text.find(" output");
    if (at == std::string::npos || words_of(s.label) == "output") continue;
    size_t begin = at;
    while (begin > 0 &&
           (s.text[begin - 1] == 'x' || (s.text[begin - 1] >= '0' && s.text[begin - 1] <= '9')))
      --begin;
    const std::string said = s.text.substr(begin, at - begin);
    const bool factors =
        said.find('x') != std::string::npos && said.front() != 'x' && said.back() != 'x';
    if (!factors || (begin > 0 && s.text[begin - 1] != ' ' && s.text[begin - 1] != '(')) continue;
    const size_t dimensions = static_cast<size_t>(std::count(said.begin(), said.end(), 'x')) + 1;
    const Config* other = nullptr;
    bool same = false;
    for (const Config& config : configs) {
      if (config.output.size() != dimensions + 2) continue;
      const std::string first = config.name.substr(0, config.name.find_first_of(" 0123456789"));
      if (first.size() < 3 || !has_word(s.text, first)) continue;
      const bool equal = shape_text({config.output.begin() + 2, config.output.end()}) == said;
      same |= equal;
      if (!equal) other = &config;
    }
    if (other == nullptr || same) continue;
    out.push_back({s.line, Kind::kUnlikeCases, said + " output",
                   fmt::format("line {} gives {} as output of '{}'", other->output_line,
                               shape_text(other->output), other->name)});
  }
}

}  // namespace

std::vector<Finding> check_work(const Page& page) {
  const Works works(page);
  std::vector<Finding> out;
  for (size_t t = 0; t < page.document().tables.size() && !works.configs().empty(); ++t) {
    if (shows_work(page.columns(t))) continue;
    for (size_t c = 0; c < page.columns(t).size(); ++c) {
      if (page.columns(t)[c].role != Role::kDerived) continue;
      if (auto found = unlike_work(page, works, t, c)) out.push_back(std::move(*found));
    }
  }
  check_outputs(page.document(), works.configs(), out);
  return out;
}

}  // namespace nsop::audit
