// An op of your own, with shape function, gradient and kernel, added from outside the library:
// Swish(x) = x * sigmoid(x) (Ramachandran et al., arXiv:1710.05941). Checks the gradient against
// central differences.
#include <thalweg/thalweg.h>

#include <cmath>
#include <cstdio>

using namespace thalweg;

namespace {

// The row: names and types in TensorFlow's own notation, documentation behind the bar.
constexpr OpDef kMyOps[] = {
    {.name = "Swish",
     .inputs = {"x: T | Anything."},
     .outputs = {"y: T | x * sigmoid(x)."},
     .attrs = {"T: {float} | Element type."},
     .doc = "The swish activation.",
     .shape = shape_functions::same_as_input,
     // In graph terms, so that it can be differentiated again: dy * (y + sigmoid(x) * (1 - y)).
     .gradient =
         [](GradientContext& c) {
           const Output y = c.output();
           c.set(0, c.grad() * (y + sigmoid(c.input(0)) * (1.0 - y)));
         }},
};

// The kernel: prepared once for a shape, then called with pointers.
KernelPtr make_swish(const KernelRequest& request) {
  const int64_t count = request.inputs[0].shape.num_elements();
  return make_kernel([count](KernelContext& context) {
    const float* x = context.input<float>(0);
    float* y = context.output<float>();
    for (int64_t i = 0; i < count; ++i) y[i] = x[i] / (1 + std::exp(-x[i]));
  });
}
constexpr KernelDef kMyKernels[] = {{"Swish", "mine", make_swish}};

Output swish(Output x) { return x.graph().add("Swish", {x}).output(); }

}  // namespace

int main() try {
  OpRegistry ops = standard_ops();
  ops.add(kMyOps);
  KernelRegistry kernels = standard_kernels();
  kernels.add(kMyKernels);

  Graph graph(ops);
  const Output x = placeholder(graph, kFloat32, {kUnknownDim}, {.name = "x"});
  const Output y = swish(x);
  const Output slope = gradient(y, x);
  const Output curvature = gradient(slope, x);

  Session session(graph, {.kernels = &kernels});
  const Tensor points = Tensor::of<float>({-2, -0.5f, 0, 0.5f, 2});
  const std::vector<Tensor> now = session.run({{x, points}}, {y, slope, curvature});
  std::printf("x      %s\nswish  %s\nslope  %s\ncurve  %s\n", points.to_string().c_str(),
              now[0].to_string().c_str(), now[1].to_string().c_str(), now[2].to_string().c_str());

  double worst = 0;
  for (int64_t i = 0; i < points.num_elements(); ++i) {
    const auto at = [&](double v) { return v / (1 + std::exp(-v)); };
    const double h = 1e-5;
    const double difference = (at(points.at(i) + h) - at(points.at(i) - h)) / (2 * h);
    worst = std::max(worst, std::abs(difference - now[1].at(i)));
  }
  std::printf("largest difference to central differences: %.1e\n", worst);
  return worst < 1e-4 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
