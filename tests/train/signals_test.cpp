#include "thalweg/train/signals.h"

#include <csignal>

#include "testing.h"

namespace thalweg {
namespace {

int g_own_handler_calls = 0;
extern "C" void own_handler(int) { ++g_own_handler_calls; }

TEST(Signals, TheFirstOneIsOnlyNoted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    {
      const ScopedSignals signals;
      EXPECT_EQ(ScopedSignals::received(), 0);
      std::raise(signal);
      EXPECT_EQ(ScopedSignals::received(), signal);
    }
    EXPECT_EQ(ScopedSignals::received(), 0);
  }
}

TEST(Signals, HandlersComeBack) {
  const auto before = std::signal(SIGINT, own_handler);
  {
    const ScopedSignals outer;
    {
      const ScopedSignals inner;
      std::raise(SIGINT);
    }
    EXPECT_EQ(ScopedSignals::received(), SIGINT) << "the outer one still wants to know";
    EXPECT_EQ(g_own_handler_calls, 0);
  }
  std::raise(SIGINT);
  EXPECT_EQ(g_own_handler_calls, 1);
  std::signal(SIGINT, before);
}

TEST(Signals, OneThatNobodyLearntOfIsRaisedAgain) {
  const auto before = std::signal(SIGINT, own_handler);
  for (const bool ask : {false, true}) {
    g_own_handler_calls = 0;
    {
      const ScopedSignals outer;
      const ScopedSignals inner;
      std::raise(SIGINT);
      EXPECT_EQ(g_own_handler_calls, 0);
      if (ask) {
        EXPECT_EQ(ScopedSignals::received(), SIGINT);
      }
    }
    EXPECT_EQ(g_own_handler_calls, ask ? 0 : 1);
  }
  std::signal(SIGINT, before);
}

TEST(Signals, IgnoredOnesStayIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const ScopedSignals signals;
    std::raise(SIGINT);
    EXPECT_EQ(ScopedSignals::received(), 0);
  }
  std::signal(SIGINT, before);
}

TEST(SignalsDeathTest, TheSecondOneEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const ScopedSignals signals;
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::_Exit(7);
      },
      ::testing::ExitedWithCode(128 + SIGINT), "");
  EXPECT_EXIT(
      {
        const ScopedSignals signals;
        std::raise(SIGINT);
        std::raise(SIGTERM);
        std::_Exit(7);
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
  EXPECT_EXIT(
      {
        const ScopedSignals signals;
        ScopedSignals::set_farewell("all that was not saved is lost\n");
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::_Exit(7);
      },
      ::testing::ExitedWithCode(128 + SIGINT), "all that was not saved is lost");
}

}  // namespace
}  // namespace thalweg
