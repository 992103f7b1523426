// The verbs (server.h) that are about the worker and its cases: hello, describe, reference.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/io/npy.h"
#include "harness/worker/build_info.h"
#include "harness/worker/built_from.h"
#include "harness/worker/engine.h"
#include "harness/worker/listing.h"
#include "harness/worker/lookup.h"
#include "harness/worker/server.h"

namespace nsop::worker {
namespace {

template <class Spec>
Json shapes_json(const std::vector<Spec>& specs) {
  Json list = Json::array();
  for (const Spec& spec : specs) list.push_back({{"name", spec.name}, {"shape", spec.shape}});
  return list;
}

Tolerance widest_of(const std::vector<Tolerance>& tolerances) {
  Tolerance widest;
  for (const Tolerance& t : tolerances) {
    widest.absolute = std::max(widest.absolute, t.absolute);
    widest.relative = std::max(widest.relative, t.relative);
  }
  return widest;
}

Json outputs_json(const Op& op, const Case& c, const std::vector<Tolerance>& tolerances) {
  Json list = shapes_json(op.outputs(c));
  for (size_t i = 0; i < list.size(); ++i) {
    list[i]["tolerance"] = {{"absolute", tolerances[i].absolute},
                            {"relative", tolerances[i].relative}};
  }
  return list;
}

// The outputs that a step produced, as the request names them.
std::vector<Tensor> produced_outputs(const Op& op, const Case& c, const Json& request) {
  const std::vector<OutputSpec> specs = op.outputs(c);
  const std::vector<std::string> paths = texts_field(request, "outputs");
  if (paths.size() != specs.size()) {
    throw Refusal("bad_request",
                  fmt::format("{} outputs given, the case has {}", paths.size(), specs.size()));
  }
  std::vector<Tensor> produced;
  for (size_t i = 0; i < specs.size(); ++i) {
    produced.push_back(read_npy_f32(paths[i]));
    if (produced.back().shape() != specs[i].shape) {
      throw Refusal(
          "bad_request",
          fmt::format("{}: output '{}' has shape {}, the case has {}", paths[i], specs[i].name,
                      shape_text(produced.back().shape()), shape_text(specs[i].shape)));
    }
  }
  return produced;
}

}  // namespace

Json Server::hello() const {
  Json features = Json::array();
  if (!all_ops().empty()) features.push_back("reference");
  if (surroundings_.hook) features.push_back("allocs");
  if (built_from().own_reference) features.push_back("own_reference");
  return {{"protocol", {{"min", 1}, {"max", 1}}},
          {"program", surroundings_.program},
          {"build", to_json(build_info())},
          {"features", features},
          {"ops", ops_json()},
          {"variants", variants_json()},
          {"engine", engine_version()}};
}

Json Server::describe(const Json& request) const {
  const auto [op, c] = case_field(request);
  const std::vector<Tolerance> tolerances = tolerances_of(op, c);
  const Tolerance widest = widest_of(tolerances);
  const Work work = op.work(c);
  return {{"case", c.text()},
          {"inputs", shapes_json(op.inputs(c))},
          {"outputs", outputs_json(op, c, tolerances)},
          {"given_outputs", op.oracle_given != nullptr},
          {"tolerance", {{"absolute", widest.absolute}, {"relative", widest.relative}}},
          {"work", {{"flops", work.flops}, {"macs", work.macs}, {"bytes", work.bytes}}},
          {"memory_bytes", memory_bytes(op, c)}};
}

void Server::check_memory(const Op& op, const Case& op_case) const {
  const int64_t needed = memory_bytes(op, op_case), available = surroundings_.available_bytes();
  if (available <= 0 || needed <= available) return;
  throw Refusal("failed", fmt::format("{}: too large for memory: needs {} bytes, {} are available",
                                      op_case.text(), needed, available));
}

Json Server::reference(const Json& request) const {
  const auto [op, c] = case_field(request);
  const uint64_t seed = seed_field(request, "seed");
  const std::string dir = text_field(request, "dir");
  check_memory(op, c);
  const std::vector<Tensor> inputs = make_inputs(op, c, seed);
  const bool given = op.oracle_given != nullptr;
  std::vector<TensorF64> expected;
  if (!given || request.contains("outputs")) {
    const auto produced = given ? produced_outputs(op, c, request) : std::vector<Tensor>();
    expected = expected_outputs(op, c, inputs, produced);
  }
  std::vector<std::string> input_paths, expected_paths;
  for (const Tensor& input : inputs) {
    input_paths.push_back(tensor_path(dir, "input", input_paths.size()));
    write_npy(input_paths.back(), input.shape(), input.data());
  }
  for (const TensorF64& tensor : expected) {
    expected_paths.push_back(tensor_path(dir, "expected", expected_paths.size()));
    write_npy(expected_paths.back(), tensor);
  }
  return {{"case", c.text()}, {"inputs", input_paths}, {"expected", expected_paths}};
}

}  // namespace nsop::worker
