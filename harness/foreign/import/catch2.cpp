// Catch2's XML reporter, versions 2 and 3. No header: formats.h declares the readers.
// Source:
// https://github.com/catchorg/Catch2/blob/devel/src/catch2/reporters/catch_reporter_xml.cpp: of a
// benchmark it writes the mean alone, in ns.
#include <fmt/format.h>

#include <pugixml.hpp>

#include "harness/core/error.h"
#include "harness/foreign/import/formats.h"
#include "harness/foreign/import/numbers.h"

namespace nsop::foreign {
namespace {

constexpr size_t kMostBytes = 256u << 20;

class Catch2Reader : public pugi::xml_tree_walker {
 public:
  explicit Catch2Reader(ForeignFile& file) : file_(file) {}

  bool for_each(pugi::xml_node& node) override {
    if (depth() > static_cast<int>(kMostDepth)) {
      throw bad_data(fmt::format("{}: nested more than {} deep", file_.where(), kMostDepth));
    }
    if (std::string_view(node.name()) == "BenchmarkResults") result(node);
    return true;
  }

 private:
  static Identity identity_of(const pugi::xml_node& node) {
    std::string path;
    for (pugi::xml_node up = node.parent(); up; up = up.parent()) {
      const std::string_view name = up.name();
      if (name != "Section" && name != "TestCase") continue;
      path = up.attribute("name").value() + (path.empty() ? "" : "/" + path);
    }
    return {{"name", node.attribute("name").value()}, {"in", path}};
  }

  void result(const pugi::xml_node& node) {
    file_.count_row();
    const Identity identity = identity_of(node);
    if (identity[0].second.empty()) return file_.leave_out("it has no name", "");
    if (const pugi::xml_node failed = node.child("failed")) {
      return file_.add_failure(identity, 1, Status::kError, failed.attribute("message").value());
    }
    const pugi::xml_node mean = node.child("mean");
    const auto ns = number_of(mean.attribute("value").value());
    if (!ns || !mean.next_sibling()) {  // what is written behind it shows that it is whole
      return file_.leave_out("it has no mean", display_name(identity));
    }
    file_.add_summary(identity, 1, *ns,
                      fmt::format("mean of {} samples", node.attribute("samples").value()));
  }

  ForeignFile& file_;
};

}  // namespace

bool is_catch2(const Head& head) {
  return head.text.find("<Catch") != std::string::npos &&
         head.text.substr(0, head.text.find("<Catch")).find('{') == std::string::npos;
}

void read_catch2(TextSource& text, const ReadOptions& /*options*/, ForeignFile& file) {
  const std::string xml = text.rest(kMostBytes);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
  const std::string root = document.document_element().name();
  if (root != "Catch" && root != "Catch2TestRun") {
    throw bad_data(file.where() +
                   ": no XML of Catch2: its root is neither Catch nor Catch2TestRun");
  }
  // At the end of a text that is cut off the parser meets an element that nothing closes.
  const bool at_end = static_cast<size_t>(parsed.offset) + 256 >= xml.size();
  if (!parsed && !at_end) {
    throw bad_data(fmt::format("{}: not XML at byte {}: {}", file.where(), parsed.offset,
                               parsed.description()));
  }
  file.truncated = !parsed;
  Catch2Reader reader(file);
  document.traverse(reader);
}

}  // namespace nsop::foreign
