#include "cases/case_file.h"

#include <algorithm>
#include <set>

#include "thalweg/base/file.h"

namespace thalweg::testing {
namespace {

constexpr std::pair<std::string_view, Code> kCodes[] = {
    {"cancelled", Code::kCancelled},
    {"invalid_argument", Code::kInvalidArgument},
    {"deadline_exceeded", Code::kDeadlineExceeded},
    {"not_found", Code::kNotFound},
    {"already_exists", Code::kAlreadyExists},
    {"permission_denied", Code::kPermissionDenied},
    {"resource_exhausted", Code::kResourceExhausted},
    {"failed_precondition", Code::kFailedPrecondition},
    {"aborted", Code::kAborted},
    {"out_of_range", Code::kOutOfRange},
    {"unimplemented", Code::kUnimplemented},
    {"internal_error", Code::kInternal},
    {"unavailable", Code::kUnavailable},
    {"data_loss", Code::kDataLoss},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

// "name: rest".
std::pair<std::string, std::string_view> name_and_rest(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw invalid_argument("expected `name: value`, got `", text, "`");
  return {std::string(trim(text.substr(0, colon))), trim(text.substr(colon + 1))};
}

// One file, read line by line.
class Reader {
 public:
  Reader(const std::string& file, const OpRegistry& registry) : file_(file), registry_(registry) {}

  void read_line(std::string_view line) {
    ++line_number_;
    line = trim(line);
    if (line.empty() || line.starts_with('#')) return;
    const size_t space = line.find(' ');
    const std::string_view rest =
        space == std::string_view::npos ? std::string_view() : trim(line.substr(space));
    try {
      read_entry(line.substr(0, space), rest);
    } catch (Error& error) {
      error.add_context(here());
      throw;
    }
  }

  std::vector<Case> finish() {
    try {
      finish_case();
    } catch (Error& error) {
      error.add_context(here());
      throw;
    }
    return std::move(cases_);
  }

 private:
  std::string here() const { return str(file_, ":", line_number_); }

  void read_entry(std::string_view keyword, std::string_view rest) {
    if (keyword == "op") {
      schema_ = &registry_.at(rest);
      if (file_ != str(rest, ".case"))
        throw invalid_argument("the cases of ", rest, " belong into ", rest, ".case");
      return;
    }
    if (schema_ == nullptr)
      throw invalid_argument("a file begins with `op <name>`, got `", keyword, "`");
    if (keyword == "dtypes") {
      (open_ ? case_.dtypes : file_dtypes_) = read_dtypes(rest);
    } else if (keyword == "case") {
      finish_case();
      open_ = true;
      case_ = {};
      case_.op = schema_->name;
      case_.sentence = rest;
      case_.file = file_;
      case_.line = line_number_;
      case_.dtypes = file_dtypes_;
    } else if (!open_) {
      throw invalid_argument("`", keyword, "` stands before the first case");
    } else {
      read_property(keyword, rest);
    }
  }

  void read_property(std::string_view keyword, std::string_view rest) {
    if (keyword == "attr") {
      const auto [name, text] = name_and_rest(rest);
      const AttrSchema* attr = schema_->find_attr(name);
      const AttrValue value = parse_case_attr(attr == nullptr ? "" : attr->kind, text);
      if (!case_.attrs.emplace(name, value).second)
        throw invalid_argument("attribute `", name, "` is given twice");
    } else if (keyword == "input") {
      case_.inputs.push_back(read_input(rest));
    } else if (keyword == "output" || keyword == "variable") {
      const auto [name, text] = name_and_rest(rest);
      const bool is_variable = keyword == "variable";
      (is_variable ? case_.variables : case_.outputs)
          .push_back({name, parse_case_tensor(text), is_variable});
    } else if (keyword == "upstream" || keyword == "slope") {
      const auto [name, text] = name_and_rest(rest);
      (keyword == "slope" ? case_.slopes : case_.upstream)
          .push_back({name, parse_case_tensor(text)});
    } else if (keyword == "tolerance") {
      case_.tolerance = parse_case_tensor(str("float64[] ", rest)).item<double>();
    } else if (keyword == "gradient") {
      read_gradient(words_of(rest));
    } else if (keyword == "second_derivative") {
      if (!rest.empty() && rest != "none")
        throw invalid_argument("expected nothing or `none`, got `", rest, "`");
      case_.second_derivative = rest.empty() ? Case::Second::kDemanded : Case::Second::kNone;
    } else if (keyword == "error") {
      read_failure(words_of(rest));
    } else {
      throw invalid_argument(
          "`", keyword,
          "` is no keyword; known are op, dtypes, case, attr, input, output, variable, "
          "upstream, slope, tolerance, gradient, second_derivative, error");
    }
  }

  static CaseDTypes read_dtypes(std::string_view word) {
    if (word == "all") return CaseDTypes::kAll;
    if (word == "floating") return CaseDTypes::kFloating;
    if (word == "none") return CaseDTypes::kNone;
    throw invalid_argument("dtypes are `all`, `floating` or `none`, got `", word, "`");
  }

  static CaseTensor read_input(std::string_view rest) {
    auto [name, text] = name_and_rest(rest);
    CaseTensor input{.name = name};
    if (text.starts_with("resource ")) {
      input.is_variable = true;
      text = trim(text.substr(9));
      if (text.ends_with(" uninitialized")) {
        input.is_initialized = false;
        const size_t open = text.find('[');
        const auto shape = parse_case_attr("shape", text.substr(open, text.rfind(']') + 1 - open));
        input.value = Tensor::zeros(parse_dtype(text.substr(0, open)), std::get<Shape>(shape));
        return input;
      }
    }
    input.value = parse_case_tensor(text);
    return input;
  }

  void read_gradient(const std::vector<std::string>& words) {
    if (words.empty()) throw invalid_argument("`gradient` names inputs, or is `gradient none`");
    if (words[0] == "none") {
      case_.no_gradient = true;
      return;
    }
    bool of = false;
    for (const std::string& word : words) {
      if (word == "of") {
        of = true;
      } else {
        (of ? case_.gradient_of : case_.gradient).push_back(word);
      }
    }
  }

  void read_failure(std::vector<std::string> words) {
    if (words.empty()) throw invalid_argument("`error` needs a code");
    const auto* code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                    [&](auto& c) { return c.first == words[0]; });
    if (code == std::end(kCodes)) throw invalid_argument("`", words[0], "` is no error code");
    words.erase(words.begin());
    case_.failure = Case::Failure{code->second, std::move(words)};
  }

  // Puts the tensors in the order of the op's arguments.
  static void order(std::vector<CaseTensor>& tensors, const std::vector<ArgSchema>& args) {
    std::vector<CaseTensor> ordered;
    for (const ArgSchema& arg : args) {
      for (const CaseTensor& tensor : tensors) {
        if (tensor.name == arg.name) ordered.push_back(tensor);
      }
    }
    if (ordered.size() != tensors.size()) {
      std::vector<std::string> names;
      for (const ArgSchema& arg : args) names.push_back(arg.name);
      throw invalid_argument("the op has only the arguments ", join(names, ", "));
    }
    tensors = std::move(ordered);
  }

  void finish_case() {
    if (!open_) return;
    order(case_.inputs, schema_->inputs);
    order(case_.outputs, schema_->outputs);
    if (case_.failure && !(case_.outputs.empty() && case_.variables.empty())) {
      throw invalid_argument("case `", case_.sentence, "` expects both values and an error");
    }
    if (!names_.insert(case_.test_name()).second) {
      throw invalid_argument("two cases are called `", case_.sentence, "`");
    }
    cases_.push_back(std::move(case_));
    open_ = false;
  }

  const std::string file_;
  const OpRegistry& registry_;
  int line_number_ = 0;
  const OpSchema* schema_ = nullptr;
  CaseDTypes file_dtypes_ = CaseDTypes::kAll;
  bool open_ = false;
  Case case_;
  std::vector<Case> cases_;
  std::set<std::string> names_;
};

}  // namespace

std::string Case::test_name() const {
  std::string name;
  bool upper = true;
  for (char c : sentence) {
    if (!std::isalnum(static_cast<unsigned char>(c))) {
      upper = true;
      continue;
    }
    name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return name;
}

std::string Case::where() const { return str(file, ":", line); }

std::vector<Case> parse_cases(std::string_view text, const std::string& file,
                              const OpRegistry& registry) {
  Reader reader(file, registry);
  for (const std::string& line : split(text, '\n')) reader.read_line(line);
  return reader.finish();
}

std::vector<Case> read_cases(const std::string& folder, const OpRegistry& registry) {
  std::vector<Case> cases;
  for (const std::string& name : list_folder(folder)) {
    if (!name.ends_with(".case")) continue;
    for (Case& c : parse_cases(read_file(join_path(folder, name)), name, registry))
      cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace thalweg::testing
