// The verbs that are about the worker and its cases: hello, describe, reference.
#include <fmt/format.h>

#include "harness/core/npy.h"
#include "harness/worker/build_info.h"
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

std::vector<TensorF64> expected_outputs(const Op& op, const Case& c,
                                        const std::vector<Tensor>& inputs) {
  std::vector<TensorF64> expected;
  for (const OutputSpec& output : op.outputs(c)) {
    const auto count = static_cast<size_t>(element_count(output.shape));
    expected.push_back({output.shape, std::vector<double>(count, 0.0)});
  }
  op.oracle(c, inputs, expected);
  return expected;
}

}  // namespace

Json Server::hello() const {
  Json features = Json::array();
  if (!all_ops().empty()) features.push_back("reference");
  if (surroundings_.hook) features.push_back("allocs");
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
  const Tolerance tolerance = op.tolerance(c);
  const Work work = op.work(c);
  return {{"case", c.text()},
          {"inputs", shapes_json(op.inputs(c))},
          {"outputs", shapes_json(op.outputs(c))},
          {"tolerance", {{"absolute", tolerance.absolute}, {"relative", tolerance.relative}}},
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
  const std::vector<TensorF64> expected = expected_outputs(op, c, inputs);
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
