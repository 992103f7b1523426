#include "layers/apps/train/origin.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "layers/core/quoted.h"

namespace nsop::layers {
namespace {

constexpr const char* kTrainedWith = "train_sha256";

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace

Origin origin_of(const Task& task, uint64_t seed) {
  const std::string both =
      sha256_hex(bytes_of(task.train.examples)) + sha256_hex(bytes_of(task.train.targets));
  return {{"task", task.name},
          {"seed", std::to_string(seed)},
          {"test_share", fmt::format("{}", task.test_share)},
          {kTrainedWith, sha256_hex(both)}};
}

std::string doubt_about(const std::string& path, const Origin& model, const Origin& task) {
  if (!model.contains(kTrainedWith)) {
    return path + ": doesn't say what it was trained with; that may be among the test examples";
  }
  if (model.at(kTrainedWith) == task.at(kTrainedWith)) return "";
  const auto at = [&](const char* key) { return model.contains(key) ? model.at(key) : "none"; };
  const bool same_split =
      at("seed") == task.at("seed") && at("test_share") == task.at("test_share");
  if (at("task") != task.at("task") || same_split) {
    return path + ": was trained with other data; some may be among the test examples";
  }
  throw usage_error(fmt::format(
      "{}: trained with --seed {} --test-share {}; the test examples of {} and {} are others, some "
      "of them trained with",
      path, quoted(at("seed")), quoted(at("test_share")), task.at("seed"), task.at("test_share")));
}

}  // namespace nsop::layers
