#include "harness/run/plan/peers.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/run/scratch.h"

namespace nsop::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

// A folder with programs, each of them the fake worker with faults of its own.
class PeersTest : public testing::Test {
 protected:
  PeersTest() {
    std::filesystem::create_directories(folder_.path() + "/bin");
    std::filesystem::create_directories(folder_.path() + "/scripts");
  }
  void program(const std::string& path, const std::string& faults = "") {
    const std::string whole = folder_.path() + "/" + path;
    std::ofstream(whole) << "#!/bin/sh\nexec " NSOP_FAKE_WORKER " " << faults << " \"$@\"\n";
    std::filesystem::permissions(whole, std::filesystem::perms::owner_all);
  }
  // Scripts are run by a shell that has all modules but one.
  PeerPlaces places(const std::string& without = "") const {
    return {folder_.path() + "/bin", folder_.path() + "/scripts", "",
            [without](const std::string& module) {
              return module == without ? std::string() : std::string("/bin/sh");
            }};
  }
  ScratchFolder folder_;
};

TEST_F(PeersTest, VariantsAreCalledLikeTheLibrary) {
  EXPECT_TRUE(is_variant_of("onednn", "onednn"));
  EXPECT_TRUE(is_variant_of("onednn_blocked", "onednn"));
  EXPECT_FALSE(is_variant_of("onednnx", "onednn"));
  EXPECT_FALSE(is_variant_of("hwy", ""));
}

TEST_F(PeersTest, FindsExecutablesAndScripts) {
  program("bin/nsop-peer-eigen");
  program("bin/nsop-worker");
  program("scripts/numpy_worker.py");
  program("scripts/torch_worker.py");
  std::ofstream(folder_.path() + "/scripts/numpy_ops.py") << "";
  EXPECT_THAT(installed_peers(places()), ElementsAre("eigen", "numpy", "torch"));
  EXPECT_THAT(installed_peers(places("torch")), ElementsAre("eigen", "numpy"));
  EXPECT_THAT(peer_names(places()),
              ElementsAre("blis", "eigen", "libxsmm", "numpy", "onednn", "openblas", "torch"));
}

TEST_F(PeersTest, OnlyWhatIsNamedIsStartedOnceAndTheRestIsMissing) {
  program("bin/nsop-peer-onednn");
  program("bin/nsop-peer-eigen", "crash=hello");
  program("scripts/numpy_worker.py", "newer");
  const Peers peers =
      open_peers({"onednn", "onednn_blocked", "eigen", "numpy", "torch"}, places("torch"));
  ASSERT_EQ(peers.workers.size(), 1u);
  EXPECT_EQ(peers.workers[0].peer, "onednn");
  EXPECT_THAT(peers.workers[0].timing.environment, ElementsAre(HasSubstr("GLIBC_TUNABLES=")));
  EXPECT_THAT(peers.missing,
              ElementsAre(Pair("eigen", HasSubstr("peer eigen doesn't work: worker died")),
                          Pair("numpy", HasSubstr("speaks protocol")),
                          Pair("torch", "peer torch is not installed; run: make peers")));
  EXPECT_THAT(open_peers({}, places()).workers, testing::IsEmpty());
}

TEST_F(PeersTest, AHeldLibraryHasAProcessOfItsOwnThatIsToldSo) {
  program("bin/nsop-peer-onednn");
  const Peers peers =
      open_peers({"onednn", "onednn@AVX2", "onednn_blocked@AVX2", "eigen@AVX2"}, places());
  ASSERT_EQ(peers.workers.size(), 1u) << "the fake has a target AVX2 without being held";
  const Peers other = open_peers({"onednn", "onednn@SSE4", "onednn_blocked@SSE4"}, places());
  ASSERT_EQ(other.workers.size(), 2u);
  EXPECT_THAT(other.workers[0].timing.environment, Not(testing::Contains("NSOP_PEER_ISA=SSE4")));
  EXPECT_THAT(other.workers[1].timing.environment, testing::Contains("NSOP_PEER_ISA=SSE4"));
  EXPECT_THAT(peers.missing,
              ElementsAre(Pair("eigen@AVX2", "peer eigen is not installed; run: make peers")));
  EXPECT_THAT(held_environment("AVX2"), testing::Contains("ONEDNN_MAX_CPU_ISA=AVX2"));
}

TEST_F(PeersTest, AScriptWithoutItsInterpreterIsAnEnvironmentError) {
  EXPECT_THAT(worker_command("/x/numpy_worker.py", places()),
              ElementsAre("/bin/sh", "/x/numpy_worker.py"));
  EXPECT_THAT(worker_command("/x/some", places("sys")), ElementsAre("/x/some"));
  try {
    worker_command("/x/some.py", places("sys"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("no Python that has the module sys"));
  }
}

TEST_F(PeersTest, TheBuildOfAScriptCoversInterpreterAndScript) {
  program("scripts/numpy_worker.py");
  const std::string path = folder_.path() + "/scripts/numpy_worker.py";
  const Worker before = open_worker({"/bin/sh", path}, "");
  std::ofstream(path, std::ios::app) << "# changed\n";
  const Worker after = open_worker({"/bin/sh", path}, "");
  EXPECT_NE(before.build.id, after.build.id);
  EXPECT_EQ(before.build.id.size(), 64u);
}

}  // namespace
}  // namespace nsop::run
