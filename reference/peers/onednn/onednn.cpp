#include "reference/peers/onednn/onednn.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "reference/peers/peer.h"

namespace nsop::reference::peers {
namespace {

dnnl::stream& stream() {
  static dnnl::stream the_stream(onednn_engine());
  return the_stream;
}

void check(dnnl_status_t status) {
  if (status != dnnl_success) throw environment_error(fmt::format("oneDNN: status {}", status));
}

void run_all(const std::vector<std::function<void()>>& calls) {
  for (const auto& call : calls) call();
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class ProgramStep : public Step {
 public:
  ProgramStep(const StepRequest& request, std::unique_ptr<Program> program,
              const std::string& remark)
      : program_(std::move(program)), chose_(program_->chose() + remark) {
    for (Tensor& tensor : request.outputs) outputs_.push_back(tensor.data());
  }
  void run() override { program_->run(); }
  std::span<const float> output(size_t i) const override {
    program_->bring_out();
    return outputs_[i];
  }
  std::string chose() const override { return chose_; }
  size_t workspace_bytes() const override { return program_->workspace_bytes(); }
  void inputs_changed() override { program_->bring_in(); }

 private:
  std::unique_ptr<Program> program_;
  std::string chose_;
  std::vector<std::span<float>> outputs_;
};

}  // namespace

dnnl::engine& onednn_engine() {
  static dnnl::engine the_engine(dnnl::engine::kind::cpu, 0);
  return the_engine;
}

std::vector<std::string> onednn_versions() {
  const dnnl_version_t* v = dnnl_version();
  const bool avx2 = dnnl::get_effective_cpu_isa() == dnnl::cpu_isa::avx2;
  return held_targets({fmt::format("{}.{}.{}", v->major, v->minor, v->patch)}, avx2 ? "AVX2" : "");
}

void set_onednn_threads(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

Desc plain_desc(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return strided_desc(dims, strides);
}

Desc strided_desc(const Dims& dims, const Dims& strides) {
  return {dims, dnnl::memory::data_type::f32, strides};
}

Desc any_desc(const Dims& dims) {
  return {dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

std::vector<Desc> common_layouts(const Dims& dims) {
  using Tag = dnnl::memory::format_tag;
  static const std::vector<std::vector<Tag>> tags = {{Tag::nwc, Tag::nCw16c, Tag::nCw8c},
                                                     {Tag::nhwc, Tag::nChw16c, Tag::nChw8c},
                                                     {Tag::ndhwc, Tag::nCdhw16c, Tag::nCdhw8c}};
  std::vector<Desc> layouts = {plain_desc(dims)};
  for (const Tag tag : tags[dims.size() - 3]) {
    layouts.emplace_back(dims, dnnl::memory::data_type::f32, tag);
  }
  return layouts;
}

dnnl::primitive_attr program_attr() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::memory Program::view(std::span<const float> data, const Desc& desc) {
  // The library takes void* for what it only reads, too.
  return {desc, onednn_engine(), const_cast<float*>(data.data())};
}

dnnl::memory Program::between(const Desc& desc) {
  const size_t bytes = desc.get_size();
  owned_.emplace_back(Shape{static_cast<int64_t>((bytes + 3) / 4)});
  workspace_bytes_ += bytes;
  return view(owned_.back().data(), desc);
}

std::function<void()> Program::execution(const dnnl::primitive& primitive,
                                         const Arguments& arguments) {
  std::vector<dnnl_exec_arg_t> list;
  for (const auto& [index, memory] : arguments) list.push_back({index, memory.get()});
  // The C interface with a list made once: the C++ one would build it in every run.
  return [primitive, arguments, list = std::move(list)] {
    check(dnnl_primitive_execute(primitive.get(), stream().get(), static_cast<int>(list.size()),
                                 list.data()));
  };
}

std::function<void()> Program::reorder(const dnnl::memory& from, const dnnl::memory& to) {
  const dnnl::reorder::primitive_desc desc(from, to, program_attr());
  Arguments arguments{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  if (desc.scratchpad_desc().get_size() > 0) {
    arguments.emplace(DNNL_ARG_SCRATCHPAD, between(desc.scratchpad_desc()));
  }
  return execution(dnnl::reorder(desc), arguments);
}

dnnl::memory Program::input(std::span<const float> data, const Desc& plain, const Desc& wanted) {
  const dnnl::memory source = view(data, plain);
  if (plain == wanted) return source;
  for (const Copy& copy : copies_) {
    if (copy.data == data.data() && copy.wanted == wanted) return copy.memory;
  }
  const dnnl::memory copy = between(wanted);
  ++reorders_;
  (layout_ == Layout::kPlain ? calls_ : before_).push_back(reorder(source, copy));
  copies_.push_back({data.data(), wanted, copy});
  return copy;
}

dnnl::memory Program::output(std::span<float> data, const Desc& plain, const Desc& produced) {
  const dnnl::memory destination = view(data, plain);
  if (plain == produced) return destination;
  const dnnl::memory result = between(produced);
  ++reorders_;
  pending_.push_back(reorder(result, destination));
  return result;
}

void Program::flush_outputs() {
  auto& list = layout_ == Layout::kPlain ? calls_ : after_;
  for (auto& call : pending_) list.push_back(std::move(call));
  pending_.clear();
}

void Program::add(const dnnl::primitive& primitive, const Arguments& arguments) {
  calls_.push_back(execution(primitive, arguments));
  flush_outputs();
}

void Program::add_row_sum(std::span<const float> rows, int64_t count, int64_t columns,
                          std::span<float> sums) {
  const Desc from = plain_desc({count, columns}), to = plain_desc({1, columns});
  if (count == 1) {  // no reduction to the library
    calls_.push_back(reorder(view(rows, from), view(sums, to)));
    return;
  }
  const dnnl::reduction::primitive_desc desc({dnnl::algorithm::reduction_sum, from, to, 0.0f, 0.0f},
                                             program_attr(), onednn_engine());
  add(dnnl::reduction(desc), desc,
      {{DNNL_ARG_SRC, view(rows, from)}, {DNNL_ARG_DST, view(sums, to)}});
}

void Program::add_call(std::function<void()> call) { calls_.push_back(std::move(call)); }

void Program::note(const std::string& implementation) {
  if (std::ranges::find(notes_, implementation) == notes_.end()) notes_.push_back(implementation);
}

void Program::run() {
  run_all(calls_);
  check(dnnl_stream_wait(stream().get()));
}

void Program::bring_in() { run_all(before_); }
void Program::bring_out() { run_all(after_); }

double Program::seconds() {
  bring_in();
  const double first = std::min(seconds_of([&] { run(); }), seconds_of([&] { run(); }));
  const int count = std::clamp(static_cast<int>(50e-6 / std::max(first, 1e-9)), 1, 200);
  double least = first;
  for (int round = 0; round < 4; ++round) {
    const double batch = seconds_of([&] {
      for (int i = 0; i < count; ++i) run();
    });
    least = std::min(least, batch / count);
  }
  return least;
}

std::string Program::chose() const {
  const std::string where = layout_ == Layout::kPlain ? "inside" : "outside";
  const std::string layout = layout_ == Layout::kPlain ? "plain layout" : "the library's layout";
  const std::string reorders =
      reorders_ == 0 ? "no reorders"
                     : fmt::format("{} reorder{} {}", reorders_, reorders_ == 1 ? "" : "s", where);
  return fmt::format("{}; {}, {}", join(notes_, " + "), layout, reorders);
}

std::unique_ptr<Program> if_possible(const Builder& build) {
  try {
    return build();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments) return {};
    throw;
  }
}

size_t fastest_index(const std::vector<Builder>& builders) {
  std::optional<size_t> best;
  double least = 0;
  for (size_t i = 0; i < builders.size(); ++i) {
    const std::unique_ptr<Program> program = if_possible(builders[i]);
    if (!program) continue;
    if (builders.size() == 1) return i;  // no competition, nothing to measure
    const double time = program->seconds();
    if (!best || time < least) {
      best = i;
      least = time;
    }
  }
  if (!best) throw environment_error("oneDNN can't do this case");
  return *best;
}

std::unique_ptr<Program> fastest(const std::vector<Builder>& builders) {
  return builders[fastest_index(builders)]();
}

std::unique_ptr<Step> program_step(const StepRequest& request, std::unique_ptr<Program> program,
                                   const std::string& remark) {
  program->bring_in();
  return std::make_unique<ProgramStep>(request, std::move(program), remark);
}

Variant onednn_variant(const std::string& op, const std::string& name, const std::string& summary,
                       std::function<std::unique_ptr<Program>(const StepRequest&)> build,
                       std::function<std::string(const Case&, int)> unsupported) {
  return peer_variant(op, name, summary, onednn_versions, std::move(unsupported),
                      [build = std::move(build)](const StepRequest& request) {
                        set_onednn_threads(request.threads);
                        return program_step(request, build(request));
                      });
}

}  // namespace nsop::reference::peers
