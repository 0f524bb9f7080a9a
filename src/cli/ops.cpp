// thalweg ops [NAME]: the op table as a list, one op in full, or the whole manual.
#include <algorithm>
#include <ostream>

#include "cli/options.h"
#include "cli/verbs.h"
#include "thalweg/base/error.h"
#include "thalweg/base/strings.h"
#include "thalweg/kernels/kernel_registry.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::cli {
namespace {

// "a: T | Left operand." in its two parts.
std::string_view spec_part(std::string_view spec) { return trim(spec.substr(0, spec.find(" | "))); }
std::string_view doc_part(std::string_view spec) {
  const size_t bar = spec.find(" | ");
  return bar == std::string_view::npos ? std::string_view() : trim(spec.substr(bar + 3));
}

std::string listed(const Specs& specs) {
  std::vector<std::string> parts;
  for (const std::string_view spec : specs) parts.emplace_back(spec_part(spec));
  return join(parts, ", ");
}

// MatMul(a: T, b: T) -> product: T
std::string signature(const OpDef& op) {
  const std::string outputs = listed(op.outputs);
  return str(op.name, "(", listed(op.inputs), ")", outputs.empty() ? "" : " -> ", outputs);
}

std::string kernels_of(std::string_view op) {
  std::vector<std::string> names;
  for (const KernelDef& kernel : standard_kernels().find(op)) {
    const std::string provider(kernel.provider);
    if (std::ranges::find(names, provider) == names.end()) names.push_back(provider);
  }
  return names.empty() ? "none: known when the graph is built" : join(names, ", ");
}

std::string effect_text(const OpDef& op) {
  switch (op.effect) {
    case Effect::kNone: return {};
    case Effect::kRandom: return "draws random numbers";
    case Effect::kReads: return "reads a resource";
    case Effect::kWrites: return "changes a resource";
    case Effect::kOrdered: return "acts outside the graph, in program order";
  }
  return {};
}

std::string gradient_text(const OpDef& op) {
  return op.gradient != nullptr ? std::string("yes") : str("none: ", op.no_gradient);
}

void add_section(std::string& text, std::string_view title, const Specs& specs) {
  if (specs.size() == 0) return;
  append(text, str("\n", title, "\n"));
  for (const std::string_view spec : specs) {
    append(text, str("  ", spec_part(spec), "\n"));
    if (!doc_part(spec).empty()) append(text, str("      ", doc_part(spec), "\n"));
  }
}

std::string explain(const OpDef& op) {
  std::string text = str(signature(op), "\n\n", op.doc, "\n");
  add_section(text, "Inputs", op.inputs);
  add_section(text, "Outputs", op.outputs);
  add_section(text, "Attributes", op.attrs);
  append(text, str("\nGradient  ", gradient_text(op), "\nKernels   ", kernels_of(op.name), "\n"));
  if (const std::string effect = effect_text(op); !effect.empty()) {
    append(text, str("Effect    ", effect, "\n"));
  }
  return text;
}

void add_markdown_section(std::string& text, std::string_view title, const Specs& specs) {
  if (specs.size() == 0) return;
  append(text, str("\n", title, ":\n\n"));
  for (const std::string_view spec : specs) {
    const std::string_view doc = doc_part(spec);
    append(text, str("- `", spec_part(spec), "`", doc.empty() ? "" : " ", doc, "\n"));
  }
}

std::string markdown(const OpDef& op) {
  std::string text = str("\n## ", op.name, "\n\n`", signature(op), "`\n\n", op.doc, "\n");
  add_markdown_section(text, "Inputs", op.inputs);
  add_markdown_section(text, "Outputs", op.outputs);
  add_markdown_section(text, "Attributes", op.attrs);
  append(text, str("\nGradient: ", gradient_text(op), ". Kernels: ", kernels_of(op.name)));
  const std::string effect = effect_text(op);
  return text + (effect.empty() ? ".\n" : str(". Effect: ", effect, ".\n"));
}

}  // namespace

int run_ops(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  std::string name;
  bool as_markdown = false;
  Options options(verb);
  options.word("NAME", name, "an op, e.g. MatMul; without it, all are listed", true);
  options.flag("markdown", as_markdown, "the manual of the op set");
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  const OpRegistry& ops = standard_ops();
  if (!name.empty()) {
    if (ops.find(name) == nullptr) {
      const std::string hint = nearest(name, ops.names());
      throw UsageError(
          str("there is no op '", name, "'",
              hint.empty() ? "; thalweg ops lists them" : str("; did you mean '", hint, "'?")));
    }
    const OpDef& op = *ops.at(name).def;
    console.out << (as_markdown ? markdown(op) : explain(op));
    return kDone;
  }
  if (as_markdown)
    console.out << "# Operations\n\nNames and semantics are TensorFlow's. Ops whose "
                   "name starts with `_` are made by the optimizer only.\n";
  for (const std::string& each : ops.names()) {
    const OpDef& op = *ops.at(each).def;
    console.out << (as_markdown ? markdown(op)
                                : str(signature(op), "  [", kernels_of(each), "]\n"));
  }
  return kDone;
}

}  // namespace thalweg::cli
