// What the oneDNN rows share: primitives with their memories, run in one go.
//
// Plain layouts are row-major. Where a primitive prefers a layout of its own, a reorder goes before
// or after it; `Layout::kOwn` leaves those reorders out of the run (a column of its own in reports,
// never the comparison). Scratchpads belong to the program and are allocated when it is built; what
// the library itself allocates per execution shows in the allocation counts.
#pragma once

#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/core/registry.h"

namespace nsop::reference::peers {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

enum class Layout {
  kPlain,  // row-major in and out, reorders inside the run
  kOwn,    // inputs and outputs in the layouts that the primitives prefer, reorders outside
};

dnnl::engine& onednn_engine();
std::vector<std::string> onednn_versions();  // of the library that is loaded, see held_targets()

// Of this and all later programs of the process.
void set_onednn_threads(int threads);

Desc plain_desc(const Dims& dims);                         // row-major float32
Desc strided_desc(const Dims& dims, const Dims& strides);  // float32
Desc any_desc(const Dims& dims);                           // the primitive chooses
// What activations [n,c,spatial...] may be in: plain, channels last, channels in blocks of 16,
// of 8.
std::vector<Desc> common_layouts(const Dims& dims);
dnnl::primitive_attr program_attr();  // every primitive of a Program is created with it

class Program {
 public:
  explicit Program(Layout layout) : layout_(layout) {}
  Program(const Program&) = delete;  // calls refer to members
  Program& operator=(const Program&) = delete;

  // Memory over an input or output tensor, as it is.
  dnnl::memory view(std::span<const float> data, const Desc& desc);
  // An input in layout `wanted`: reordered from `data` unless that has it already.
  dnnl::memory input(std::span<const float> data, const Desc& plain, const Desc& wanted);
  // Where the next primitive writes an output in layout `produced`; reordered into `data` after it.
  dnnl::memory output(std::span<float> data, const Desc& plain, const Desc& produced);
  // Memory between primitives.
  dnnl::memory between(const Desc& desc);

  using Arguments = std::unordered_map<int, dnnl::memory>;
  void add(const dnnl::primitive& primitive, const Arguments& arguments);
  // The same with the scratchpad that the primitive asks for.
  template <class PrimitiveDesc>
  void add(const dnnl::primitive& primitive, const PrimitiveDesc& desc, Arguments arguments) {
    if (desc.scratchpad_desc().get_size() > 0) {
      arguments.emplace(DNNL_ARG_SCRATCHPAD, between(desc.scratchpad_desc()));
    }
    add(primitive, arguments);
    note(desc.impl_info_str());
  }
  // sums [columns] of rows [count,columns], plain.
  void add_row_sum(std::span<const float> rows, int64_t count, int64_t columns,
                   std::span<float> sums);
  // A call that is no primitive, in its place among them.
  void add_call(std::function<void()> call);
  // A call that copies from one layout to another, to be put where it belongs.
  std::function<void()> reorder(const dnnl::memory& from, const dnnl::memory& to);
  // Calls outside the run: on inputs that were overwritten, and before outputs are read.
  void add_before(std::function<void()> call) { before_.push_back(std::move(call)); }
  void add_after(std::function<void()> call) { after_.push_back(std::move(call)); }

  void note(const std::string& implementation);
  void run();
  void bring_in();   // does what is outside the run before it
  void bring_out();  // and after it
  double seconds();  // of a run, the least of a few
  size_t workspace_bytes() const { return workspace_bytes_; }
  // `jit_wino_4x3:avx512_core + simple:any; plain layout, 2 reorders inside`
  std::string chose() const;

 private:
  std::function<void()> execution(const dnnl::primitive& primitive, const Arguments& arguments);
  void flush_outputs();

  struct Copy {
    const float* data;
    Desc wanted;
    dnnl::memory memory;
  };
  Layout layout_;
  std::vector<std::function<void()>> before_, calls_, after_, pending_;
  std::vector<Copy> copies_;
  std::vector<std::string> notes_;
  std::vector<Tensor> owned_;
  size_t workspace_bytes_ = 0;
  int reorders_ = 0;
};

// Builds one way of doing an op; nothing if the library can't do it that way.
using Builder = std::function<std::unique_ptr<Program>()>;

// Which of the ways is fastest, measured now. Throws Error (environment) when none exists.
size_t fastest_index(const std::vector<Builder>& builders);
std::unique_ptr<Program> fastest(const std::vector<Builder>& builders);

// `build`, or nothing where the library refuses a primitive.
std::unique_ptr<Program> if_possible(const Builder& build);

std::unique_ptr<Step> program_step(const StepRequest& request, std::unique_ptr<Program> program,
                                   const std::string& remark = {});

// A row `name` of an op. `build` makes the program; what it throws reaches the user as the reason.
Variant onednn_variant(
    const std::string& op, const std::string& name, const std::string& summary,
    std::function<std::unique_ptr<Program>(const StepRequest&)> build,
    std::function<std::string(const Case&, int)> unsupported = [](const Case&, int) {
      return std::string();
    });

}  // namespace nsop::reference::peers
