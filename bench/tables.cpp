// CSV files read by us, by pandas' C engine and by pyarrow, alternated in one run.
//   bench_tables [--python PATH] [--json] [--rounds N] [--case NAME] [--threads N] [--megabytes N]
//
// --python names an interpreter that has pandas and pyarrow (default: $THALWEG_PYTHON, or python3).
// Each side guesses all types itself and gives columns in memory. The files lie in a folder under
// $TMPDIR (or /tmp) and are read once before, so none waits for the disk.
#include <thalweg/thalweg.h>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "thalweg/base/file.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/philox.h"
#include "thalweg/data/table_source.h"
#include "worker.h"

using namespace thalweg;
using namespace thalweg::bench;

namespace {

struct Options {
  std::string python = {};
  bool json = false;
  int rounds = 7;
  std::string only = {};
  int threads = 0;
  int64_t megabytes = 64;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Rows of made-up data, the same for everybody.
class Rows {
 public:
  uint32_t draw(uint32_t below) { return random_.next() % below; }
  std::string decimal(int64_t whole, int places) {
    std::string digits = std::to_string(draw(1000000000));
    digits.insert(0, static_cast<size_t>(places), '0');
    return str(draw(2) == 0 ? "-" : "", draw(static_cast<uint32_t>(whole)), ".",
               digits.substr(digits.size() - static_cast<size_t>(places)));
  }
  const char* word() {
    static const char* const kWords[] = {
        "Private",   "Self-emp-inc", "Federal-gov",   "Bachelors", "HS-grad", "11th",
        "Doctorate", "Divorced",     "Never-married", "Widowed",   "Husband", "Own-child",
        "Male",      "Female",       "Portugal",      "Vietnam"};
    return kWords[draw(16)];
  }

  // Whole numbers, decimals and texts of a few letters, some missing: the common table.
  void mixed(std::string& out) {
    append(out, str(row_++, ",", draw(90), ",", word(), ",", draw(1000000), ",", word(), ",",
                    decimal(100, 2), ",", draw(20) == 0 ? "" : decimal(10, 4), ",", word(), ",",
                    decimal(1000, 3), ",", draw(2), ",", word(), "\n"));
  }
  // Measurements of three decimals.
  void numbers(std::string& out) {
    append(out, str(draw(2)));
    for (int i = 0; i < 28; ++i) append(out, str(",", decimal(3, 3)));
    append(out, "\n");
  }
  // All the digits that a float64 has.
  void digits17(std::string& out) {
    for (int i = 0; i < 10; ++i) {
      const double value = (draw(1u << 31) + draw(1u << 31) * 0x1p-31) * 0x1p-29 - 2;
      append(out, str(i == 0 ? "" : ",", value));
    }
    append(out, "\n");
  }
  // Sentences in quotes, some with commas, quotes and line breaks.
  void texts(std::string& out) {
    append(out, str(row_++, ",\""));
    for (uint32_t i = 0, words = 4 + draw(12); i < words; ++i) {
      append(out, str(i == 0 ? "" : " ", word(), draw(8) == 0 ? "," : ""));
      if (draw(40) == 0) append(out, " \"\"so to say\"\"");
      if (draw(60) == 0) append(out, "\n");
    }
    append(out, str("\",", word(), ",", draw(2), "\n"));
  }

 private:
  Philox random_{7};
  int64_t row_ = 1;
};

struct Case {
  const char* name;
  const char* header;
  void (Rows::*row)(std::string&);
  bool line_breaks = false;  // in cells; pyarrow must be told
};
constexpr Case kCases[] = {
    {"mixed", "id,age,work,pay,school,gain,ratio,state,loss,flag,land", &Rows::mixed},
    {"numbers",
     "y,f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12,f13,f14,f15,f16,f17,f18,f19,f20,f21,f22,f23,f24,f25,"
     "f26,f27,f28",
     &Rows::numbers},
    {"digits17", "a,b,c,d,e,f,g,h,i,j", &Rows::digits17},
    {"texts", "id,text,kind,label", &Rows::texts, true},
};

// Seconds a read; the process that reads.
int work(const std::string& path, int threads) {
  set_num_threads(threads);
  data::read_table(path);
  int runs = 0;
  while (std::cin >> runs) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) data::read_table(path);
    std::printf(
        "%.9f\n",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / runs);
    std::fflush(stdout);
  }
  return 0;
}

void compare(const char* program, const std::string& path, const Case& test, int threads,
             double bytes, const Options& options) {
  const std::string count = std::to_string(threads);
  Worker ours({program, "--worker", path, count}, {});
  Worker pandas({"/usr/bin/env", options.python, THALWEG_TABLES_PEER, "pandas", path, count}, {});
  Worker arrow({"/usr/bin/env", options.python, THALWEG_TABLES_PEER,
                test.line_breaks ? "pyarrow-line-breaks" : "pyarrow", path, count},
               {});
  std::vector<double> times[3];
  for (int round = 0; round < options.rounds; ++round) {
    times[0].push_back(ours.run(1));
    times[1].push_back(pandas.run(1));
    times[2].push_back(arrow.run(1));
  }
  const double mine = median(times[0]);
  for (const auto& [peer, seconds] :
       {std::pair{"pandas", median(times[1])}, std::pair{"pyarrow", median(times[2])}}) {
    if (options.json) {
      std::printf(
          "{\"name\": \"%s\", \"threads\": %d, \"ours_mb_s\": %.1f, \"peer\": \"%s\", "
          "\"peer_mb_s\": %.1f, \"ratio\": %.3f}\n",
          test.name, threads, bytes / mine * 1e-6, peer, bytes / seconds * 1e-6, seconds / mine);
    } else {
      std::printf("%-10s %7d %12.1f  %-8s %12.1f %8.2f\n", test.name, threads, bytes / mine * 1e-6,
                  peer, bytes / seconds * 1e-6, seconds / mine);
    }
  }
  std::fflush(stdout);
}

// A folder that goes when the program ends.
class Folder {
 public:
  Folder() {
    const char* const place = std::getenv("TMPDIR");
    path_ = join_path(place == nullptr ? "/tmp" : place, "thalweg-tables-XXXXXX");
    if (mkdtemp(path_.data()) == nullptr) throw unavailable("cannot make the folder ", path_);
  }
  ~Folder() {
    for (const std::string& name : list_folder(path_)) remove_file(join_path(path_, name));
    rmdir(path_.c_str());
  }
  Folder(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int usage() {
  std::fprintf(stderr,
               "usage: bench_tables [--python PATH] [--json] [--rounds N] [--case NAME] "
               "[--threads N] [--megabytes N]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 4 && std::strcmp(argv[1], "--worker") == 0) return work(argv[2], std::atoi(argv[3]));
  Options options;
  const char* const python = std::getenv("THALWEG_PYTHON");
  options.python = python == nullptr ? "python3" : python;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (i + 1 == argc) {
      return usage();
    } else if (word == "--python") {
      options.python = argv[++i];
    } else if (word == "--rounds") {
      options.rounds = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--case") {
      options.only = argv[++i];
    } else if (word == "--threads" && std::atoi(argv[i + 1]) > 0) {
      options.threads = std::atoi(argv[++i]);
    } else if (word == "--megabytes" && std::atoi(argv[i + 1]) > 0) {
      options.megabytes = std::atoi(argv[++i]);
    } else {
      return usage();
    }
  }
  const Folder folder;
  if (!options.json) {
    std::printf("%-10s %7s %12s  %-8s %12s %8s\n", "table", "threads", "ours MB/s", "peer",
                "peer MB/s", "ratio");
  }
  std::vector<int> counts = {1, 2};
  if (options.threads > 0) counts = {options.threads};
  for (const Case& test : kCases) {
    if (!options.only.empty() && options.only != test.name) continue;
    const std::string path = join_path(folder.path(), str(test.name, ".csv"));
    Rows rows;
    std::string text = str(test.header, "\n");
    while (static_cast<int64_t>(text.size()) < options.megabytes * 1000000) (rows.*test.row)(text);
    write_file(path, text);
    for (const int threads : counts)
      compare(argv[0], path, test, threads, static_cast<double>(text.size()), options);
    remove_file(path);
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
