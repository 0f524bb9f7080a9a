// The peer of bench_training: the same networks in libtorch, in a process of its own.
//   bench_torch_peer mlp|lenet THREADS       reads step counts, writes seconds a step
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string name = argv[1];
  const int threads = std::atoi(argv[2]);
  torch::set_num_threads(threads);
  torch::manual_seed(1);
  const bool images = name == "lenet";
  torch::nn::Sequential network;
  if (images) {
    network = torch::nn::Sequential(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 32, 5).padding(2)), torch::nn::ReLU(),
        torch::nn::MaxPool2d(2), torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 5).padding(2)),
        torch::nn::ReLU(), torch::nn::MaxPool2d(2), torch::nn::Flatten(),
        torch::nn::Linear(3136, 1024), torch::nn::ReLU(), torch::nn::Linear(1024, 10));
  } else {
    network = torch::nn::Sequential(torch::nn::Linear(784, 512), torch::nn::ReLU(),
                                    torch::nn::Linear(512, 512), torch::nn::ReLU(),
                                    torch::nn::Linear(512, 10));
  }
  const int64_t size = images ? 64 : 128;
  const torch::Tensor x = images ? torch::randn({size, 1, 28, 28}) : torch::randn({size, 784});
  const torch::Tensor labels = torch::arange(size).remainder(10);
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(0.001).eps(1e-7));
  const auto step = [&] {
    optimizer.zero_grad();
    torch::nn::functional::cross_entropy(network->forward(x), labels).backward();
    optimizer.step();
  };
  for (int i = 0; i < 3; ++i) step();
  int steps = 0;
  while (std::cin >> steps) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) step();
    std::printf(
        "%.9f\n",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps);
    std::fflush(stdout);
  }
  return 0;
}
