#include "cli/config_file.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli_testing.h"
#include "thalweg/base/error.h"

namespace thalweg::cli {
namespace {

using Kind = ConfigEntry::Kind;
using Names = std::vector<std::string>;

TEST(ConfigFile, HasTextsNumbersBooleansAndLists) {
  const auto entries = parse_config(
      "# a comment\n"
      "threads = 2\n\n"
      "[fit]\n"
      "data = \"a b.csv\"  # another\r\n"
      "'label' = 'in\\come'\n"
      "rate = 1_000.5e-3\n"
      "dry-run = true\n"
      "ignore = [\n  \"a\", # one\n  \"b\\u00e9\\n\",\n]\n",
      "c.toml");
  ASSERT_EQ(entries.size(), 6u);
  EXPECT_EQ(entries[0].key, "threads");
  EXPECT_EQ(entries[0].table, "");
  EXPECT_EQ(entries[1].values, Names{"a b.csv"});
  EXPECT_EQ(entries[1].table, "fit");
  EXPECT_EQ(entries[1].line, 5);
  EXPECT_EQ(entries[2].values, Names{"in\\come"});
  EXPECT_EQ(entries[3].values, Names{"1000.5e-3"});
  EXPECT_EQ(entries[3].kind, Kind::kNumber);
  EXPECT_EQ(entries[4].kind, Kind::kBoolean);
  EXPECT_EQ(entries[5].values, (Names{"a", "b\u00e9\n"}));
}

TEST(ConfigFile, NamesTheLineOfAMistake) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_config(text, "c.toml");
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a = 1\nb = yes\n", "c.toml:2: 'b': 'yes' is no number"},
      {"a = \"open\nb = 1\n", "c.toml:1: the text that \" opens"},
      {"a = 1\na = 2\n", "c.toml:2: 'a' stands there twice"},
      {"[fit\n", "c.toml:1: ']' is expected"},
      {"[fit]\n[fit]\n", "c.toml:2: the table [fit] stands there twice"},
      {"a 1\n", "c.toml:1: '=' and a value"},
      {"= 1\n", "c.toml:1: a key or a [table]"},
      {"a = 1 b = 2\n", "c.toml:1: nothing may follow"},
      {"a.b = 1\n", "dotted keys"},
      {"a = {b = 1}\n", "tables in values"},
      {"a = \"\"\"x\"\"\"\n", "several lines"},
      {"a = [1\n2]\n", "c.toml:2: ',' or ']'"},
      {"a = \"\\q\"\n", "'\\q' is no escape"},
      {"a = 2026-01-01\n", "'2026-01-01' is no number"},
      {"a = \"\xff\"\n", "UTF-8"}};
  for (const auto& [text, words] : cases) {
    EXPECT_NE(message(text).find(words), std::string::npos) << text << message(text);
  }
}

TEST(ConfigFile, ReadsWhatItQuotes) {
  const std::string text = "a\"b\\c\n\x01\u00e9";
  EXPECT_EQ(parse_config("k = " + toml_quoted(text), "c.toml")[0].values, Names{text});
}

TEST(Names, MayHoldCommasInQuotes) {
  EXPECT_EQ(parse_names("ids", "a, \"b, c\",\"d\"\"e\""), (Names{"a", "b, c", "d\"e"}));
  for (const Names& names : {Names{"a"}, Names{"distance, km", "a\"b", "", " x"}, Names{""}}) {
    EXPECT_EQ(parse_names("ids", names_text(names)), names);
  }
  EXPECT_THROW(parse_names("ids", "a,\"b"), UsageError);
  EXPECT_THROW(parse_names("ids", "\"b\"c"), UsageError);
  const Names columns = {"distance, km", "a", "b"};
  EXPECT_EQ(parse_columns("ids", "distance, km", columns), Names{"distance, km"});
  EXPECT_EQ(parse_columns("ids", "b,\"distance, km\"", columns), (Names{"b", "distance, km"}));
  EXPECT_THROW(parse_columns("ids", "c", columns), UsageError);
  EXPECT_THROW(parse_columns("ids", "a,a", columns), UsageError);
  const auto pairs = parse_pairs("class-weights", "a=2, \"b=c\"=0.5");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[1].first, "b=c");
  EXPECT_EQ(pairs[1].second, "0.5");
  EXPECT_THROW(parse_pairs("class-weights", "a"), UsageError);
}

struct Sample {
  std::string data;
  std::optional<int64_t> epochs;
  std::optional<std::string> ignore, task;
  std::vector<std::string> require;
  bool dry_run = false;
  static constexpr Verb kVerb{
      .name = "fit", .summary = "", .usage = "DATA", .example = "", .run = nullptr};
  Options options{kVerb};

  Sample() {
    static const std::vector<std::string> kTasks = {"one", "two"};
    options.word("DATA", data, "");
    options.value("epochs", "N", epochs, "");
    options.names("ignore", "A,B", ignore, "");
    options.choice("task", kTasks, task, "");
    options.values("require", "M", require, "");
    options.flag("dry-run", dry_run, "");
  }
};

TEST(Config, GivesWayToTheCommandLine) {
  TemporaryFolder folder;
  put_file(folder / "c.toml",
           "epochs = 3\n[fit]\ndata = \"x.csv\"\ntask = \"two\"\nignore = [\"a\", \"b, c\"]\n"
           "require = [\"r>1\", \"s>2\"]\ndry-run = true\n[show]\nnothing = 1\n");
  Sample s;
  ASSERT_TRUE(s.options.parse({"--config", folder / "c.toml", "--epochs", "7"}));
  EXPECT_EQ(s.data, "x.csv");
  EXPECT_EQ(s.epochs, 7);
  EXPECT_EQ(s.task, "two");
  EXPECT_EQ(s.ignore, "a,\"b, c\"");
  EXPECT_EQ(s.require, (Names{"r>1", "s>2"}));
  EXPECT_TRUE(s.dry_run);
  EXPECT_TRUE(s.options.is_given("task"));

  // What is written is read again.
  const std::vector<std::string_view> left_out = {"dry-run"};
  put_file(folder / "again.toml", s.options.to_toml(left_out));
  Sample again;
  ASSERT_TRUE(again.options.parse({"--config", folder / "again.toml"}));
  EXPECT_EQ(again.data, "x.csv");
  EXPECT_EQ(again.epochs, 7);
  EXPECT_EQ(again.ignore, s.ignore);
  EXPECT_EQ(again.require, s.require);
  EXPECT_FALSE(again.dry_run);

  Sample words;
  ASSERT_TRUE(words.options.parse(
      {"y.csv", "--require", "t>3", "--config", folder / "c.toml", "--task=one"}));
  EXPECT_EQ(words.data, "y.csv");
  EXPECT_EQ(words.require, Names{"t>3"});
  EXPECT_EQ(words.task, "one");
}

TEST(Config, NamesFileLineAndNearestOption) {
  TemporaryFolder folder;
  const auto message = [&](const std::string& text) -> std::string {
    put_file(folder / "c.toml", text);
    Sample s;
    try {
      s.options.parse({"x.csv", "--config", folder / "c.toml"});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message("\nepoch = 1\n").find("c.toml:2: there is no option 'epoch'"),
            std::string::npos);
  EXPECT_NE(message("epoch = 1\n").find("'epochs'"), std::string::npos);
  EXPECT_NE(message("[fitt]\n a = 1\n").find("[fit]"), std::string::npos);
  EXPECT_NE(message("epochs = true\n").find("takes a value"), std::string::npos);
  EXPECT_NE(message("dry-run = 1\n").find("true or false"), std::string::npos);
  EXPECT_NE(message("epochs = \"many\"\n").find("c.toml:1: --epochs takes a whole number"),
            std::string::npos);
  EXPECT_NE(message("task = \"on\"\n").find("did you mean 'one'"), std::string::npos);
}

TEST(Config, IsReadByEveryVerb) {
  TemporaryFolder folder;
  put_file(folder / "c.toml", "[ops]\nmarkdwon = true\n");
  expect_failure(run({"ops", "--config", folder / "c.toml"}), 2, "c.toml:2", "'markdown'");
  put_file(folder / "good.toml", "[ops]\nname = \"MatMul\"\n[fit]\nnothing = 1\n");
  EXPECT_EQ(run({"ops", "--config", folder / "good.toml"}).out, run({"ops", "MatMul"}).out);
  expect_failure(run({"fit", "x.csv", "--config", folder / "none.toml"}), 1, "none.toml");
}

}  // namespace
}  // namespace thalweg::cli
