// thalweg export MODEL --out FOLDER
#include <ostream>

#include "cli/common_options.h"
#include "cli/json.h"
#include "cli/table_model_folder.h"
#include "cli/verbs.h"
#include "cli/what_is.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {

int run_export(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  std::string folder;
  std::optional<std::string> out;
  bool variables = false;
  CommonOptions common;
  Options options(verb);
  options.word("MODEL", folder, "the folder of a model");
  options.value("out", "FOLDER", out,
                "the folder of the SavedModel, which must not be there; "
                "TensorFlow Serving wants a number for its name");
  options.flag("variables", variables, "keep weights as variables, with a checkpoint of their own");
  common.declare(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  common.apply(console);
  if (!out) throw UsageError("export needs --out FOLDER");
  if (is_table_model(folder)) {
    load_table_model(folder).export_saved_model(*out, variables);
  } else {
    load_model(folder)->export_saved_model(*out, variables);
  }
  if (common.json) {
    console.out << dump({{"schema", kJsonSchema},
                         {"verb", "export"},
                         {"model", folder},
                         {"saved_model", *out},
                         {"variables", variables}});
  } else {
    console.notice("wrote '" + *out + "'; thalweg show " + *out + " says what it holds");
  }
  return kDone;
}

}  // namespace thalweg::cli
