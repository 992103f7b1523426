#include "harness/adapters/testing/script_support.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"

namespace nsop::adapters {

namespace fs = std::filesystem;

ScriptFolder::ScriptFolder() : path_((fs::temp_directory_path() / "scripts-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw environment_error("no folder for scripts");
}

ScriptFolder::~ScriptFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

Program ScriptFolder::program(const std::string& name, const std::string& adapter,
                              const std::string& body) {
  const std::string file = path_ + "/" + name;
  write_file_atomically(file, "#!/bin/sh\n" + body, Durability::kScratch);
  fs::permissions(file, fs::perms::owner_all);
  Program program;
  program.name = name;
  program.adapter = adapter;
  program.run = {"./" + name};
  program.folder = path_;
  return program;
}

std::string gbench_script(const std::string& names, const std::string& json) {
  return fmt::format(R"(for a in "$@"; do
  case $a in
    --benchmark_list_tests=true) cat <<'NAMES'
{}
NAMES
      exit 0 ;;
    --benchmark_out=*) out=${{a#--benchmark_out=}} ;;
  esac
done
printf '%s\n' "$@" > asked
cat > "$out" <<'RESULT'
{}
RESULT
)",
                     names, json);
}

}  // namespace nsop::adapters
