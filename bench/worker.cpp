#include "worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include <thalweg/base/error.h>

namespace thalweg::bench {

Worker::Worker(const std::vector<std::string>& command,
               const std::vector<std::string>& environment) {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) throw unavailable("cannot make a pipe");
  process_ = fork();
  if (process_ < 0) throw unavailable("cannot start ", command[0]);
  if (process_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    for (const std::string& entry : environment) {
      const size_t equals = entry.find('=');
      if (equals == std::string::npos) {
        unsetenv(entry.c_str());
      } else {
        setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
      }
    }
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

Worker::~Worker() {
  close(to_);
  close(from_);
  waitpid(process_, nullptr, 0);
}

double Worker::run(int steps) {
  const std::string line = str(steps, "\n");
  if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw unavailable("a side of the comparison has ended");
  }
  std::string answer;
  char c = 0;
  while (read(from_, &c, 1) == 1 && c != '\n') answer += c;
  if (answer.empty()) throw unavailable("a side of the comparison has ended");
  return std::strtod(answer.c_str(), nullptr);
}

}  // namespace thalweg::bench
