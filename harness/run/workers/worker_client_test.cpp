#include "harness/run/workers/worker_client.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "harness/core/files.h"
#include "harness/run/scratch.h"

namespace nsop::run {
namespace {

using testing::HasSubstr;

// Some library, copied to `path`, whose folder is made.
void copy_library(const std::filesystem::path& path) {
  Dl_info found{};
  double (*function)(double) = std::cos;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(function), &found), 0);
  std::filesystem::create_directories(path.parent_path());
  std::filesystem::copy_file(found.dli_fname, path);
}

// What a process that is started with `library` has mapped.
std::string mapped_with(const std::string& library, const std::string& list) {
  WorkerClient client({{"/bin/sh", "-c", "cat /proc/self/maps > '" + list + "'"}, library}, {}, 1);
  EXPECT_THROW(client.hello(), WorkerFailure);  // it ends without an answer
  return read_file(list);
}

// The loader splits LD_PRELOAD at blanks and colons: allocations of a build in such a folder were
// not counted.
TEST(WorkerClient, ALibraryIsPreloadedFromAFolderWithBlanksAndColons) {
  const ScratchFolder scratch;
  for (const char* folder : {"plain", "with a blank", "with:colon", "both: of them"}) {
    const std::string library = scratch.path() + "/" + folder + "/libother.so";
    copy_library(library);
    for (int time = 0; time < 2; ++time) {
      EXPECT_THAT(mapped_with(library, scratch.path() + "/maps"), HasSubstr(library));
    }
  }
}

TEST(WorkerClient, AWorkerRunsWithoutALibraryThatIsNotThere) {
  const ScratchFolder scratch;
  const std::string list = scratch.path() + "/maps";
  EXPECT_THAT(mapped_with(scratch.path() + "/a b/libother.so", list), HasSubstr("libc"));
}

}  // namespace
}  // namespace nsop::run
