// What reference/ and kernels/ register and the worker looks up: ops (what) and variants (how).
//
// Rows register themselves from static objects: put `const OpRow row{...}` / `const VariantRow
// row{...}` at the end of a .cpp that is linked as an OBJECT library.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/case.h"
#include "harness/core/tensor/tensor.h"

namespace nsop {

// One input tensor of an op: how the seeded generator fills it.
struct InputSpec {
  std::string name;
  Shape shape;
  double lo = -1.0;  // values are uniform in [lo, hi], never zero
  double hi = 1.0;
};

struct OutputSpec {
  std::string name;
  Shape shape;
};

// Work of one operation, nominal: what the textbook algorithm needs.
struct Work {
  double flops = 0;  // floating-point operations
  double macs = 0;   // multiply-adds; 0 where the notion makes no sense
  double bytes = 0;  // compulsory traffic: inputs read once, outputs written once
};

// |y - expected| <= absolute + relative * |expected| must hold for every element.
// The tolerance belongs to the op, never to a variant.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

// The specification of an op. All functions are pure; `validate` throws Error (usage) when the
// values of a case don't fit together (the message says what was expected).
struct Op {
  OpSpec spec;
  std::function<void(const Case&)> validate;
  std::function<std::vector<InputSpec>(const Case&)> inputs;
  std::function<std::vector<OutputSpec>(const Case&)> outputs;
  // Optional: turns the raw uniform inputs into the op's inputs (e.g. y = tanh(x) for a backward
  // pass that takes the saved output). Runs on the generated float inputs in place.
  std::function<void(const Case&, std::span<Tensor>)> shape_inputs;
  // The double-precision oracle: textbook loops over the float inputs, accumulating in double.
  // `outputs` arrive with their shapes set and zero-filled data.
  std::function<void(const Case&, std::span<const Tensor>, std::span<TensorF64>)> oracle;
  // Instead of `oracle`, for an op that draws random numbers of its own: what the outputs must be
  // given those that a step produced (`produced` has the shapes of the outputs). A property that
  // they lack as a whole, such as the share of kept values, turns up as expected values that differ
  // from them.
  std::function<void(const Case&, std::span<const Tensor> inputs, std::span<const Tensor> produced,
                     std::span<TensorF64>)>
      oracle_given = nullptr;
  std::function<Tolerance(const Case&)> tolerance;  // of every output
  // Optional: one tolerance per output, where they differ; `tolerance` is then not needed.
  std::function<std::vector<Tolerance>(const Case&)> output_tolerances = nullptr;
  std::function<Work(const Case&)> work;
};

// A prepared operation: everything but run() is set-up and is never timed.
class Step {
 public:
  virtual ~Step() = default;
  // Performs the operation once on the inputs it was prepared with.
  virtual void run() = 0;
  // The i-th output after run(). Destination-passing steps return the caller's buffers; an
  // allocating (before) step returns its latest fresh result, valid until the next run().
  virtual std::span<const float> output(size_t i) const = 0;
  // Called, untimed, after the inputs were overwritten. Only for parameters in memory of the step's
  // own and what a forward pass saves; whatever else derives from inputs belongs into run().
  virtual void inputs_changed() {}
  // What the step chose inside (algorithm, tile, library implementation); empty if nothing.
  virtual std::string chose() const { return {}; }
  // Bytes of workspace that it was given beside inputs and outputs.
  virtual size_t workspace_bytes() const { return 0; }
};

// How tensors are stored, of ops that have a key `type`: as float32, bfloat16, binary16. Whoever is
// outside of a step sees float32; of the others with values that the type holds exactly.
inline constexpr std::array kTypes = {"f32", "bf16", "f16"};

struct StepRequest {
  const Case& op_case;
  std::span<const Tensor>
      inputs;                 // stay at the same address; values may be overwritten between runs
  std::span<Tensor> outputs;  // caller-provided destinations
  int threads = 1;
  std::string target;  // one of the variant's targets(): pin it
};

enum class Role {
  kOurs,
  kBefore,  // what ours is an answer to
  kPeer,    // another library
  kProbe,   // ours, to find something out: measured only when it is named
};
// Ours, for a product or to find something out?
inline bool is_own(Role role) { return role == Role::kOurs || role == Role::kProbe; }

struct Variant {
  std::string op;
  std::string name;  // `elementwise`, `hwy`, ...
  Role role = Role::kOurs;
  std::string summary;  // one sentence: what this way of doing the op is
  std::function<std::vector<std::string>()> targets;  // best first; what this machine can run
  // Values of an op's key `type` that it can do: how the tensors are stored (kTypes).
  std::vector<std::string> types = {"f32"};
  // Why this variant can't do the case on so many threads; empty when it can. Of a case of another
  // type than `types` a registered variant says so by itself.
  std::function<std::string(const Case&, int threads)> unsupported;
  std::function<std::unique_ptr<Step>(const StepRequest&)> prepare;
};

// The target of what is compiled for every processor of an architecture alike.
#if defined(__x86_64__)
inline constexpr const char* kBaselineTarget = "x86-64";
#elif defined(__aarch64__)
inline constexpr const char* kBaselineTarget = "aarch64";
#elif defined(__wasm__)
inline constexpr const char* kBaselineTarget = "wasm32";
#else
inline constexpr const char* kBaselineTarget = "baseline";
#endif

const std::vector<Op>& all_ops();
const std::vector<Variant>& all_variants();
const Op* find_op(std::string_view name);  // nullptr when unknown
const Variant* find_variant(std::string_view op, std::string_view name);

// Parses a line against the registered op of that name and validates it. Throws Error (usage) with
// a suggestion for a mistyped op.
Case parse_case(std::string_view line);

// The tolerances of all outputs of a case.
std::vector<Tolerance> tolerances_of(const Op& op, const Case& op_case);

// What the outputs must be. `produced` are the outputs of a step, needed (and looked at) only where
// the op has an oracle_given.
std::vector<TensorF64> expected_outputs(const Op& op, const Case& op_case,
                                        std::span<const Tensor> inputs,
                                        std::span<const Tensor> produced);

// Fills the inputs of a case from a seed. The values depend only on (case text, input name, seed).
std::vector<Tensor> make_inputs(const Op& op, const Case& op_case, uint64_t seed);

// A second op of a name, or a second variant of an op and a name, aborts the program with a line
// that names both files. `file` is the source that the row stands in: no line, or objects would
// differ whenever their comments do.
struct OpRow {
  explicit OpRow(Op op, const char* file = __builtin_FILE());
};
struct VariantRow {
  explicit VariantRow(Variant variant, const char* file = __builtin_FILE());
};

}  // namespace nsop
