// Rows of the registry with little to write: for workers of kernels that live in other projects.
//
//   const nsop::OpRow axpy{nsop::define_op({.name = "axpy", ...})};
//   const nsop::VariantRow loop{nsop::define_variant({.op = "axpy", .name = "loop", ...})};
//
// A row registers itself when the program starts. Its source must be linked as an object: of a
// static library the linker leaves out what nobody calls.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/core/case.h"
#include "harness/core/registry.h"
#include "harness/core/tensor/tensor.h"

namespace nsop {

// The keys of an op, in the order in which its cases show them; every case gives each.
namespace key {

ParamSpec count(std::string name);                // positive integer: `n=1000`
ParamSpec index(std::string name);                // integer >= 0: `r=0`
ParamSpec flag(std::string name);                 // 0 or 1
ParamSpec number(std::string name);               // finite decimal number
ParamSpec shape(std::string name, int rank = 0);  // `in=8x64x32`; 0: of any rank
ParamSpec range(std::string name);                // lo:hi, lo < hi
ParamSpec choice(std::string name, std::vector<std::string> choices);

}  // namespace key

// What can't be left out of a definition, as the compiler's complaint calls it.
namespace needs {

struct Inputs;
struct Outputs;
struct Oracle;
struct Tolerance;
struct Prepare;

}  // namespace needs

// A function that a definition can't do without: leaving it out doesn't compile.
template <class F, class What>
class Required {
 public:
  Required() = delete;
  template <class G, class = std::enable_if_t<std::is_constructible_v<F, G> &&
                                              !std::is_same_v<std::remove_cvref_t<G>, Required>>>
  Required(G&& given) : given_(std::forward<G>(given)) {}  // NOLINT(google-explicit-constructor)
  const F& get() const { return given_; }

 private:
  F given_;
};

// What an op is. Functions are pure and get a case with all keys of the op.
struct OpDefinition {
  std::string name = {};     // the first word of its cases: lower case, digits and _
  std::string summary = {};  // one sentence
  std::vector<ParamSpec> params = {};
  // Throws Error (usage), with what was expected, where the values of a case don't fit together.
  std::function<void(const Case&)> validate = nullptr;
  Required<std::function<std::vector<InputSpec>(const Case&)>, needs::Inputs> inputs;
  Required<std::function<std::vector<OutputSpec>(const Case&)>, needs::Outputs> outputs;
  // What must come out, in double precision: outputs arrive with their shapes, filled with zeros.
  Required<std::function<void(const Case&, std::span<const Tensor>, std::span<TensorF64>)>,
           needs::Oracle>
      oracle;
  // Of every output, derived from the op (rounding, number of terms), never from what a variant
  // achieves.
  Required<std::function<Tolerance(const Case&)>, needs::Tolerance> tolerance;
  // Of one operation. None: no floating-point operations; inputs read and outputs written once.
  std::function<Work(const Case&)> work = nullptr;
};

// A way to do an op.
struct VariantDefinition {
  std::string op = {}, name = {};
  std::string summary = {};  // one sentence: what this way is
  Role role = Role::kOurs;
  // The instruction sets that it can be told to run on, best first, of those that this machine has.
  std::vector<std::string> targets = {"compiled"};
  // Why it can't do the case on so many threads; empty: it can. None: one thread only.
  std::function<std::string(const Case&, int threads)> unsupported = nullptr;
  // Returns what performs the operation once, from the inputs into the outputs of the request, both
  // of which outlive it. All that happens before it is called is set-up and not timed; whatever
  // derives from the values of inputs belongs into the call, because they change between calls.
  Required<std::function<std::function<void()>(const StepRequest&)>, needs::Prepare> prepare;
};

// Abort the program with one line that names what is missing: a name, or an empty function.
Op define_op(OpDefinition definition);
Variant define_variant(VariantDefinition definition);

}  // namespace nsop
