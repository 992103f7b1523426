// nsop audit, a verb (verbs.h): a Markdown report, every derived figure computed again.
#include "harness/audit/audit.h"

#include <algorithm>
#include <filesystem>

#include "harness/audit/read/document.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"

namespace nsop::cli {
namespace {

struct AuditOptions {
  std::vector<std::string> files;
  std::string root{};
  bool all = false, annotations = false;
};

void declare_audit(CLI::App& verb, AuditOptions& o) {
  verb.add_option("file", o.files, "Markdown files")->required();
  verb.add_option("--root", o.root,
                  "Folder of the project: scripts that commands run must be in it");
  verb.add_flag("--all", o.all, "Show figures that are right, too");
  verb.add_flag("--annotations", o.annotations, "Print annotations for a pull request on GitHub");
}

std::vector<audit::Finding> audit_file(const std::string& file, const std::string& root) {
  try {
    return audit::audit(read_file(file, audit::kMostBytes), root);
  } catch (const Error& e) {
    const std::string what = e.what();
    if (what.find(file) != std::string::npos) throw;
    throw Error(e.code(), file + ": " + what);
  }
}

ExitCode audit_verb(Context& context, const AuditOptions& o) {
  if (context.json && o.annotations)
    throw usage_error("--json and --annotations exclude each other");
  if (!o.root.empty() && !std::filesystem::is_directory(o.root))
    throw usage_error("--root " + o.root + " is no folder");
  bool accused = false;
  Json list = Json::array();
  for (const std::string& file : o.files) {
    const std::vector<audit::Finding> findings = audit_file(file, o.root);
    accused |= std::any_of(findings.begin(), findings.end(),
                           [](const audit::Finding& f) { return audit::accuses(f.kind); });
    if (context.json) {
      list.push_back(audit::as_json(file, findings));
    } else if (o.annotations) {
      context.out << audit::as_annotations(file, findings);
    } else {
      context.out << audit::as_text(file, findings, o.all);
    }
  }
  if (context.json) {
    context.out << Json{{"schema", "nsop.audit/1"}, {"files", std::move(list)}}.dump(2) << '\n';
  }
  return accused ? ExitCode::kFailed : ExitCode::kOk;
}

}  // namespace

void bind_audit(CLI::App& verb, Context& context) {
  bind_verb<AuditOptions>(verb, context, declare_audit, audit_verb);
}

}  // namespace nsop::cli
