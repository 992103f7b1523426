#include "harness/report/base/published/library_ages.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nsop::report {
namespace {

struct Packaged {
  std::string_view library, version, month;
};

// torch: its workers name the version that Debian's 1.13.1 tells of itself.
constexpr std::array kPackaged{
    Packaged{"onednn", "2.6.3", "2022-12"}, Packaged{"openblas", "0.3.21", "2022-08"},
    Packaged{"blis", "0.9.0", "2022-05"},   Packaged{"libxsmm", "1.17", "2022-03"},
    Packaged{"eigen", "3.4.0", "2021-11"},  Packaged{"sleef", "3.5.1", "2020-10"},
    Packaged{"numpy", "1.24.2", "2023-02"}, Packaged{"torch", "1.13.0a0", "2023-01"}};

// Up to a separator: `onednn` of `onednn_direct`, `3.4.0` of `3.4.0-AVX512`.
std::string_view up_to(std::string_view text, char separator) {
  return text.substr(0, text.find(separator));
}

}  // namespace

std::string month_of_library(const std::string& peer, const std::string& version) {
  const auto found = std::find_if(kPackaged.begin(), kPackaged.end(), [&](const Packaged& one) {
    return one.library == up_to(peer, '_') && one.version == up_to(version, '-');
  });
  return found == kPackaged.end() ? "" : std::string(found->month);
}

}  // namespace nsop::report
