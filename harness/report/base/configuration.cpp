#include "harness/report/base/configuration.h"

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/data/lookup.h"
#include "harness/report/base/peers.h"

namespace nsop::report {
namespace {

// The first of the keys that the case has; a dash without any.
Json first_of(const RowView& view, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const std::string value = param(view.row->text, key);
    if (!value.empty()) return text_cell(value);
  }
  return missing_cell("-");
}

// Of a product of matrices `MxK, KxN`; empty for other cases.
std::string product_shapes(const RowView& view) {
  const std::string m = param(view.row->text, "m"), n = param(view.row->text, "n"),
                    k = param(view.row->text, "k");
  return m.empty() || n.empty() || k.empty() ? "" : m + "x" + k + ", " + k + "x" + n;
}

Json input_cell(const RowView& view) {
  const std::string product = product_shapes(view);
  return product.empty() ? first_of(view, {"in", "n", "shape"}) : text_cell(product);
}

// Of a convolution its channels: how long and high they are follows from the kernel.
Json output_cell(const RowView& view) {
  if (!product_shapes(view).empty()) {
    return text_cell(param(view.row->text, "m") + "x" + param(view.row->text, "n"));
  }
  const std::string out = param(view.row->text, "out");
  const bool channels = !out.empty() && !param(view.row->text, "k").empty();
  return channels ? text_cell(out + " channels") : first_of(view, {"out", "hidden"});
}

// `3, stride 1, padding 1`
Json kernel_cell(const RowView& view) {
  if (!product_shapes(view).empty()) return missing_cell("-");
  std::vector<std::string> parts;
  const auto add = [&](const char* key, const std::string& name) {
    const std::string value = param(view.row->text, key);
    if (!value.empty()) parts.push_back(name + value);
  };
  add("k", "");
  add("s", "stride ");
  add("p", "padding ");
  add("d", "dilation ");
  add("groups", "groups ");
  return parts.empty() ? missing_cell("-") : text_cell(join(parts, ", "));
}

Column fact(const Context& context, const std::string& id, const std::string& label,
            double CaseFacts::*member) {
  return {id, label, "right", [&context, member](const RowView& v) {
            const CaseFacts* facts = context.facts(v.row->text);
            const double value = facts != nullptr ? facts->*member : 0;
            return value > 0 ? count_cell(value) : missing_cell("n/a");
          }};
}

}  // namespace

Json configuration_table(const Context& context, const std::vector<RowView>& rows) {
  const Columns columns{
      {"row", "Row", "left", [](const RowView& v) { return text_cell(v.row->full_name()); }},
      {"input", "Input", "left", input_cell},
      {"output", "Output", "left", output_cell},
      {"kernel", "Kernel", "left", kernel_cell},
      fact(context, "macs", "MACs", &CaseFacts::macs),
      fact(context, "flops", "FLOP", &CaseFacts::flops),
      fact(context, "bytes", "Bytes at least", &CaseFacts::bytes),
      fact(context, "written", "Bytes written", &CaseFacts::written_bytes),
  };
  return folded(make_table("What each row computes", columns, distinct_cases(rows)));
}

}  // namespace nsop::report
