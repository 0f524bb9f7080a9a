// What a run record says of the process and the machine.
#include <sys/utsname.h>

#include <algorithm>

#include "thalweg/base/file.h"
#include "thalweg/base/version.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/kernels/version.h"

namespace thalweg {
namespace {

// Instruction sets that choose between kernels, and with them the last bits of results.
constexpr std::string_view kFlags[] = {"avx",      "avx2",        "fma",         "avx512f",
                                       "avx512bw", "avx512_vnni", "avx512_bf16", "avx512_fp16",
                                       "amx_bf16", "amx_int8",    "asimd",       "sve"};

/// The first "key : value" line of /proc/cpuinfo.
std::string cpu_line(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

std::string cpu_flags(const std::string& text) {
  std::string all = cpu_line(text, "flags");
  if (all.empty()) all = cpu_line(text, "Features");
  const std::vector<std::string> words = split(all, ' ');
  std::vector<std::string> known;
  for (const std::string_view flag : kFlags) {
    if (std::ranges::find(words, flag) != words.end()) known.emplace_back(flag);
  }
  return join(known, " ");
}

std::string compiler() {
#if defined(__clang__)
  return str("Clang ", __clang_major__, ".", __clang_minor__, ".", __clang_patchlevel__);
#elif defined(__GNUC__)
  return str("GCC ", __GNUC__, ".", __GNUC_MINOR__, ".", __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

}  // namespace

std::map<std::string, std::string> describe_environment() {
  std::map<std::string, std::string> result = {{"thalweg", std::string(kVersion)},
                                               {"oneDNN", onednn_version()},
                                               {"simd", simd_target()},
                                               {"compiler", compiler()}};
  try {
    const std::string cpu = read_file("/proc/cpuinfo");
    result["cpu"] = cpu_line(cpu, "model name");
    result["cpu_flags"] = cpu_flags(cpu);
  } catch (const Error&) {
    // Not on every system, and no reason to end a training.
  }
  utsname system{};
  if (uname(&system) == 0) {
    result["system"] = str(system.sysname, " ", system.release, " ", system.machine);
  }
  return result;
}

}  // namespace thalweg
