#include <csignal>
#include <map>

#include "cli/image_text.h"
#include "cli_testing.h"
#include "thalweg/tensor/tensor.h"
#include "thalweg/train/signals.h"

namespace thalweg::cli {
namespace {

std::vector<std::string> fit(const std::string& data, const std::string& out,
                             const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"fit",      data, "--out",        out,
                                        "--epochs", "4",  "--batch-size", "16"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Images, GoFromFitToEvaluateToShow) {
  TemporaryFolder folder;
  const std::string data = folder / "tiny", model = folder / "m";
  put_image_folder(data, 90, 12);
  const Outcome fitted = run(fit(data, model, {"--model", "cnn", "--class-names", "top,low,side"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  for (const char* word : {"test", "top 30, low 30, side 30", "thalweg evaluate"}) {
    EXPECT_NE(fitted.out.find(word), std::string::npos) << fitted.out << "\nlacks: " << word;
  }
  const Outcome again =
      run({"fit", "--config", model + "/config.toml", "--out", folder / "again", "--quiet"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(run({"predict", folder / "again", data}).out, run({"predict", model, data}).out);
  const Outcome evaluated = run({"evaluate", model, data, "--json", "--require", "accuracy>=0.9"});
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  EXPECT_EQ(evaluated.json()["examples"], 12);
  EXPECT_NE(evaluated.out.find("\"accuracy\": "), std::string::npos);
  EXPECT_EQ(run({"evaluate", model, data, "--json", "--split", "train"}).json()["examples"], 90);

  const Outcome shown = run({"predict", model, data, "--show", "2"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  for (const char* word : {"1: top", "is top", "2: low", "is low"}) {
    EXPECT_NE(shown.out.find(word), std::string::npos) << shown.out;
  }
  EXPECT_EQ(shown.out.find('\x1b'), std::string::npos) << "no colour but on a terminal";
  // The images themselves are enough to predict.
  const Outcome predicted = run({"predict", model, data + "/t10k-images-idx3-ubyte"});
  EXPECT_EQ(predicted.out, run({"predict", model, data}).out);
}

TEST(Images, FailTheRequirementThatIsMissed) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "linear"})).status, 0);
  const Outcome missed = run({"evaluate", folder / "m", folder / "d", "--require", "loss<0"});
  EXPECT_EQ(missed.status, 1);
  EXPECT_NE(missed.err.find("error: required, but missed: loss<0"), std::string::npos);
  expect_failure(run({"evaluate", folder / "m", folder / "d", "--require", "acuracy>=0.9"}), 2,
                 "'acuracy'", "loss, accuracy");
}

TEST(Images, TakeTheNamesOfFashionMnistFromTheFoldersName) {
  TemporaryFolder folder;
  put_image_folder(folder / "my-Fashion-set", 30, 6, 10);
  const Outcome fitted =
      run(fit(folder / "my-Fashion-set/", folder / "m", {"--model", "linear", "--json"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_NE(fitted.err.find("Fashion-MNIST's names"), std::string::npos) << fitted.err;
  EXPECT_EQ(fitted.json()["data"]["classes"][9], "Ankle boot");
  EXPECT_TRUE(fitted.json()["metrics"]["test"].contains("accuracy"));
  // Other classes than those ten are no Fashion-MNIST's, whatever the folder is called.
  for (const int classes : {3, 12}) {
    const std::string data = folder / ("fashion-" + std::to_string(classes));
    put_image_folder(data, 36, 12, classes);
    const Outcome other = run(fit(data, data + "-model", {"--model", "linear", "--json"}));
    ASSERT_EQ(other.status, 0) << other.err;
    EXPECT_EQ(other.json()["data"]["classes"].size(), static_cast<size_t>(classes));
    EXPECT_EQ(other.json()["data"]["classes"][1], "1");
    EXPECT_EQ(other.err.find("Fashion-MNIST"), std::string::npos) << other.err;
  }
}

TEST(Fit, NeverOverwritesAModelUnasked) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  const auto command = fit(folder / "d", folder / "m", {"--model", "linear"});
  ASSERT_EQ(run(command).status, 0);
  const std::string before = file_text(folder / "m/model.json");
  expect_failure(run(command), 2, "--overwrite", "--resume");
  EXPECT_EQ(file_text(folder / "m/model.json"), before);
  EXPECT_EQ(run(fit(folder / "d", folder / "m", {"--model", "mlp", "--overwrite"})).status, 0);
  EXPECT_NE(file_text(folder / "m/model.json"), before);
}

TEST(Fit, SaysThatNothingIsLeftToDoAndWhatGoesOn) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "linear"})).status, 0);
  const Outcome again = run({"fit", folder / "d", "--out", folder / "m", "--resume"});
  EXPECT_EQ(again.status, 0);
  for (const char* word : {"nothing left to do", "raise --epochs", "--resume --epochs 8"}) {
    EXPECT_NE(again.err.find(word), std::string::npos) << again.err;
  }
  const std::string all = again.err + again.out;
  EXPECT_EQ(all.find("nothing left"), all.rfind("nothing left")) << "once is enough: " << all;
  const Outcome more =
      run({"fit", folder / "d", "--out", folder / "m", "--resume", "--epochs", "6", "--json"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(more.json()["epochs"], 6);
  EXPECT_EQ(more.json()["steps"], 6 * 2);
}

TEST(Fit, RefusesToGoOnWithOtherOptions) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "linear"})).status, 0);
  const auto go_on = [&](const std::string& option, const std::string& value) {
    return run(
        {"fit", folder / "d", "--out", folder / "m", "--resume", "--epochs", "5", option, value});
  };
  expect_failure(go_on("--batch-size", "8"), 2, "--batch-size 8", "16");
  expect_failure(go_on("--seed", "2"), 2, "--seed 2");
  expect_failure(go_on("--model", "mlp"), 2, "--model mlp");
  put_image_folder(folder / "d", 33, 6);
  expect_failure(go_on("--seed", "1"), 1, "fingerprint", "(--overwrite)");
}

// Whether it was given or is the optimizer's own.
TEST(Fit, GoesOnWithTheRateThatItHas) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(
      run(fit(folder / "d", folder / "m", {"--model", "linear", "--optimizer", "sgd"})).status, 0);
  const auto go_on = [&](const std::string& rate) {
    return run({"fit", folder / "d", "--out", folder / "m", "--resume", "--learning-rate", rate});
  };
  EXPECT_EQ(go_on("0.01").status, 0);
  expect_failure(go_on("0.02"), 2, "--learning-rate 0.02", "has 0.01");
}

TEST(Fit, StartsAnewWhenThereIsNothingToGoOnWith) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  const Outcome outcome = run(fit(folder / "d", folder / "m", {"--model", "linear", "--resume"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("starting anew"), std::string::npos);
}

TEST(Fit, NeverBeginsATrainingAnewInSilence) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "linear"})).status, 0);
  const auto go_on = [&] { return run({"fit", folder / "d", "--out", folder / "m", "--resume"}); };
  // The description is lost: the weights must not get another one.
  std::filesystem::rename(folder / "m/model.json", folder / "kept.json");
  const Outcome lost = go_on();
  EXPECT_EQ(lost.status, 1);
  EXPECT_NE(lost.err.find("no model.json"), std::string::npos) << lost.err;
  std::filesystem::rename(folder / "kept.json", folder / "m/model.json");
  // The weights are lost: what is left of them must not be cleared away.
  int data_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "m")) {
    if (entry.path().extension() == ".index") std::filesystem::remove(entry.path());
  }
  const Outcome broken = go_on();
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.err.find("none of its checkpoints"), std::string::npos) << broken.err;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "m")) {
    if (entry.path().filename().string().find(".data-") != std::string::npos) ++data_files;
  }
  EXPECT_GT(data_files, 0);
}

TEST(Fit, WantsANameOfItsOwnForEachClass) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  const auto named = [&](const std::string& names) {
    return run(fit(folder / "d", folder / "m", {"--class-names", names}));
  };
  expect_failure(named("a,b,a"), 2, "'a'", "twice");
  expect_failure(named("a,b,c,d,e"), 2, "--class-names", "5 names", "3 classes", "0 to 2");
  expect_failure(named("a,b"), 2, "--class-names", "2 names", "3 classes");
  expect_failure(named("a"), 2, "1 name,", "3 classes");
}

std::map<std::string, std::string> all_files(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path()] = file_text(entry.path());
  }
  return files;
}

TEST(Fit, LeavesTheOldModelWhenTheNewOneFails) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "linear"})).status, 0);
  put_file(folder / "m/notes.txt", "mine");
  const auto before = all_files(folder / "m");
  std::filesystem::create_directory(folder / "empty");
  expect_failure(run(fit(folder / "empty", folder / "m", {"--overwrite"})), 1, "MNIST");
  expect_failure(run(fit(folder / "d", folder / "m",
                         {"--overwrite", "--model", "linear", "--optimizer", "sgd",
                          "--learning-rate", "1e38", "--schedule", "constant"})),
                 1, "not finite", "--learning-rate", "is as it was before");
  EXPECT_EQ(all_files(folder / "m"), before);
  EXPECT_FALSE(std::filesystem::exists(folder / "m/.new"));
  // The new one takes the place of the old one's files, and of no others.
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "mlp", "--overwrite"})).status, 0);
  EXPECT_EQ(file_text(folder / "m/notes.txt"), "mine");
  EXPECT_EQ(run({"evaluate", folder / "m", folder / "d"}).status, 0);
  EXPECT_NE(file_text(folder / "m/model.json"), before.at(folder / "m/model.json"));
}

TEST(Fit, DryRunWritesNothing) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  const Outcome outcome = run(fit(folder / "d", folder / "m", {"--dry-run"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* word : {"30 rows of uint8[8, 8]", "cnn", "Conv2d", "Total"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << outcome.out;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

TEST(Fit, LooksAtTheTestFilesBeforeItTrains) {
  TemporaryFolder folder;
  put_image_folder(folder / "labels", 30, 6);
  put_file(folder / "labels/t10k-labels-idx1-ubyte", idx_header(1, {6}) + std::string(6, '\x07'));
  put_image_folder(folder / "cut", 30, 6);
  put_file(folder / "cut/t10k-images-idx3-ubyte", idx_header(3, {6, 8, 8}) + "abc");
  put_image_folder(folder / "large", 30, 6);
  put_file(folder / "large/t10k-images-idx3-ubyte",
           idx_header(3, {6, 9, 9}) + std::string(6 * 81, 'x'));
  const std::map<std::string, std::string> words = {
      {"labels", "label 7"}, {"cut", "t10k-images-idx3-ubyte"}, {"large", "uint8[9, 9]"}};
  for (const auto& [data, word] : words) {
    for (const char* more : {"--overwrite", "--dry-run"}) {
      expect_failure(run(fit(folder / data, folder / "m", {"--model", "linear", more})), 1,
                     "the test set", word);
      EXPECT_FALSE(std::filesystem::exists(folder / "m"));
    }
  }
}

TEST(Fit, EndsWithTheSignalsStatusAndSaysHowToGoOn) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "linear"})).status, 0);
  const auto before = all_files(folder / "m");
  const ScopedSignals signals;  // so that it comes before the first step
  std::raise(SIGINT);
  const Outcome replaced = run(fit(folder / "d", folder / "m", {"--model", "mlp", "--overwrite"}));
  EXPECT_EQ(replaced.status, 130);
  EXPECT_EQ(replaced.out, "");
  for (const char* word : {"no step was made", "is as it was", "begin again with: thalweg fit"}) {
    EXPECT_NE(replaced.err.find(word), std::string::npos) << replaced.err;
  }
  EXPECT_EQ(all_files(folder / "m"), before);
  const Outcome begun = run(fit(folder / "d", folder / "n", {"--model", "linear"}));
  EXPECT_EQ(begun.status, 130);
  EXPECT_NE(begun.err.find("go on with: thalweg fit"), std::string::npos) << begun.err;
  EXPECT_NE(begun.err.find("--resume\n"), std::string::npos) << begun.err;
}

TEST(Fit, GivesNothingButTheReportWhenQuiet) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  const Outcome outcome = run(fit(folder / "d", folder / "m", {"--model", "linear", "-q"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("linear"), std::string::npos);
  EXPECT_NE(outcome.out.find("of it in steps at"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST(Show, SaysWhatTheModelIsAndHowItCameAbout) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  ASSERT_EQ(run(fit(folder / "d", folder / "m", {"--model", "mlp"})).status, 0);
  const Outcome shown = run({"show", folder / "m"});
  for (const char* word : {"classifier", "dense (Dense)", "uint8[8, 8]", "0 (10), 1 (10), 2 (10)",
                           "adam", "finished", "thalweg fit", "oneDNN", "validation accuracy"}) {
    EXPECT_NE(shown.out.find(word), std::string::npos) << shown.out << "\nlacks: " << word;
  }
  EXPECT_EQ(run({"show", folder / "m", "--json"}).json()["version"], 1);
  expect_failure(run({"show", folder / "d"}), 1, "no model");
  expect_failure(run({"show", folder / "none"}), 1, "no such file or folder");
}

TEST(Model, OfATableRefusesImagesAndTheOtherWayRound) {
  TemporaryFolder folder;
  put_image_folder(folder / "d", 30, 6);
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  ASSERT_EQ(run(fit(folder / "d", folder / "images", {"--model", "linear"})).status, 0);
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "table", {"--label", "y", "--model", "dnn"})).status,
            0);
  expect_failure(run({"predict", folder / "images", folder / "x.csv"}), 1, "images");
  expect_failure(run({"predict", folder / "table", folder / "d"}), 1, "table", "a, b");
  put_image_folder(folder / "cut", 30, 6);
  put_file(folder / "cut/t10k-images-idx3-ubyte", idx_header(3, {6, 8, 8}) + "abc");
  expect_failure(run({"predict", folder / "images", folder / "cut"}), 1, "t10k-images-idx3-ubyte",
                 "shorter");
}

TEST(ImageLines, DrawsTwoPixelsACharacter) {
  const Tensor image = Tensor::of<uint8_t>({0, 255, 0, 255, 128, 0}, {3, 2});
  // The last line's lower half is dark: (128 + 0) / 2 of 255 is the third of ten shades.
  EXPECT_EQ(image_lines(image, false), (std::vector<std::string>{" @", ": "}));
  const auto shaded = image_lines(image, true);
  ASSERT_EQ(shaded.size(), 2u);
  EXPECT_EQ(shaded[0], "\x1b[38;5;232;48;5;232m\u2580\x1b[38;5;255;48;5;255m\u2580\x1b[0m");
}

}  // namespace
}  // namespace thalweg::cli
