// Finds the verb, and turns whatever it throws into one line and an exit status.
#include "cli/run_cli.h"

#include <cerrno>
#include <new>
#include <ostream>

#include "cli/console.h"
#include "cli/verbs.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/version.h"
#include "thalweg/kernels/version.h"

namespace thalweg::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"fit", "Trains a model on DATA and saves it in the folder MODEL.",
     "DATA --out MODEL [OPTIONS]", "thalweg fit iris.csv --label species --out iris-model", run_fit,
     "--model auto compares a linear model, boosted trees and guessing on the validation rows.\n"
     "Beside a table's model are report.html, model_card.md, and config.toml to do it again.\n"
     "Ctrl-C ends after the current step and saves: --resume goes on with the same bits.\n"
     "A second Ctrl-C ends at once: what was trained since the last checkpoint is lost.\n"
     "--overwrite keeps the old model until the new one is trained.\n"
     "Test files (t10k-...) in a folder are checked before, and evaluated after the training.\n"
     "A .json file of --model lists layers: {\"layers\": [{\"type\": \"Dense\", \"units\": 64}]}"},
    {"evaluate", "Measures how good MODEL is on DATA.", "MODEL DATA [OPTIONS]",
     "thalweg evaluate iris-model test.csv --require 'accuracy>=0.9'", run_evaluate},
    {"predict", "Writes what MODEL says of each row of DATA.", "MODEL DATA [OPTIONS]",
     "thalweg predict iris-model new.csv --out predictions.csv", run_predict},
    {"export", "Writes MODEL as a SavedModel for TensorFlow.", "MODEL --out FOLDER [OPTIONS]",
     "thalweg export iris-model --out served/iris/1", run_export},
    {"run", "Calls a signature of a SavedModel, or runs a graph file.", "MODEL [OPTIONS]",
     "thalweg run saved/1 --input x=1,2,3", run_run},
    {"show", "Says what a model, SavedModel, graph or checkpoint holds.", "MODEL [OPTIONS]",
     "thalweg show iris-model", run_show},
    {"ops", "Lists the operations of graphs, or explains one.", "[NAME] [OPTIONS]",
     "thalweg ops MatMul", run_ops},
};

std::string general_help() {
  std::string text =
      "Example: thalweg fit iris.csv --label species --out iris-model\n\n"
      "Usage: thalweg VERB [OPTIONS]\n\n";
  for (const Verb& verb : kVerbs) {
    std::string left = str("  ", verb.name);
    left.resize(12, ' ');
    append(text, str(left, verb.summary, "\n"));
  }
  return text +
         "  help VERB Explains a verb and its options.\n\n"
         "  --version   versions of the program and its kernels, threads\n"
         "Results go to stdout, everything else to stderr. Exit status: 0 done, 1 failed,\n"
         "2 wrong use, 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (the first one of fit saves, a second "
         "ends at once).\n";
}

std::string version_text() {
  return str("thalweg ", kVersion, "\noneDNN ", onednn_version(), "\nSIMD ", simd_target(),
             "\nthreads ", num_threads(), "\n");
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> names = {"help"};
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return verb;
    names.emplace_back(verb.name);
  }
  const bool is_option = !name.empty() && name[0] == '-';
  if (is_option) names = {"--help", "--version"};
  const std::string hint = nearest(name, names);
  throw UsageError(str(is_option ? "unknown option '" : "there is no verb '", name, "'",
                       hint.empty() ? str("; thalweg help lists what there is")
                                    : str("; did you mean '", hint, "'?")));
}

int dispatch(const std::vector<std::string>& arguments, Console& console) {
  if (arguments.empty()) {
    console.err << general_help();
    return kWrongUse;
  }
  const std::string& first = arguments[0];
  const bool is_general = first == "--version" || first == "--help" || first == "-h";
  if (const size_t most = is_general ? 1 : 2;
      (is_general || first == "help") && arguments.size() > most) {
    throw UsageError(str("unexpected argument '", arguments[most], "' after ",
                         is_general ? first : str("help ", arguments[1])));
  }
  if (first == "--version") {
    console.out << version_text();
    return kDone;
  }
  const bool is_help = first == "help" && (arguments.size() == 1 || arguments[1] == "help");
  if (first == "--help" || first == "-h" || is_help) {
    console.out << general_help();
    return kDone;
  }
  if (first == "help") {
    const Verb& verb = find_verb(arguments[1]);
    return verb.run(verb, {"--help"}, console);
  }
  const Verb& verb = find_verb(first);
  return verb.run(verb, {arguments.begin() + 1, arguments.end()}, console);
}

// One line, whatever the message holds; line ends are those of our own texts.
int fail(const Console& console, std::string message, int status) {
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  console.err << "error: " << printable(message) << std::endl;
  return status;
}

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            bool is_process) {
  Console console{.out = out, .err = err, .is_process = is_process, .arguments = arguments};
  try {
    const int status = dispatch(arguments, console);
    out.flush();
    // A reader that has seen enough (`thalweg ops | head`) needs no telling.
    if (!out && is_process && errno == EPIPE) return kFailed;
    if (!out) return fail(console, "the results could not be written to stdout", kFailed);
    return status;
  } catch (const UsageError& error) {
    return fail(console, error.what(), kWrongUse);
  } catch (const Error& error) {
    return fail(console, error.message(), kFailed);
  } catch (const std::bad_alloc&) {
    const bool is_fit = !arguments.empty() && arguments[0] == "fit";
    return fail(console,
                str("out of memory; ", is_fit ? "a smaller --batch-size" : "less data at once",
                    " needs less"),
                kFailed);
  } catch (const std::exception& error) {
    return fail(console, str("unexpected: ", error.what()), kFailed);
  }
}

}  // namespace thalweg::cli
