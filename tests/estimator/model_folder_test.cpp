#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <thread>

#include "estimator_testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"
#include "thalweg/base/log.h"
#include "thalweg/estimator/model_folder.h"
#include "thalweg/ops/unary.h"
#include "thalweg/summary/event_reader.h"

namespace thalweg {
namespace {

ClassifierOptions saved_in(const std::string& folder) {
  return {
      .optimizer = NamedOptimizer{.learning_rate = 0.02}, .batch_size = 16, .model_folder = folder};
}

TEST(ModelFolder, GivesTheSamePredictionsWhenLoaded) {
  TemporaryFolder folder;
  const Rows data = clouds(90);
  ClassifierOptions options = saved_in(folder / "Ñoño 数据");
  options.class_names = {"größe", "b", "c"};
  options.standardize = true;
  Classifier model(small_network(3, 0.2), options);
  model.fit(data.features, data.labels, {.epochs = 3});

  const auto loaded = Classifier::load(options.model_folder);
  EXPECT_TRUE(loaded.predict_values(data.features).same_bits(model.predict_values(data.features)));
  EXPECT_EQ(loaded.class_names(), options.class_names);
  EXPECT_EQ(loaded.evaluate(data.features, data.labels)["loss"],
            model.evaluate(data.features, data.labels)["loss"]);
  EXPECT_EQ(loaded.record().run.state, "finished");
  EXPECT_EQ(loaded.record().run.history.size(), 3u);
  EXPECT_NE(loaded.summary().find("dense_1 (Dense)"), std::string::npos);

  const auto any = Estimator::load(options.model_folder);
  EXPECT_NE(dynamic_cast<const Classifier*>(any.get()), nullptr);
  expect_error(
      Code::kInvalidArgument, [&] { Regressor::load(options.model_folder); }, "holds a classifier");
}

TEST(ModelFolder, HoldsTheBestWeightsNotTheLast) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  ClassifierOptions options = saved_in(folder / "m");
  // So large a rate that the loss goes up and down.
  options.optimizer = NamedOptimizer{.name = "sgd", .learning_rate = 3};
  Classifier model(small_network(3), options);
  const FitReport report = model.fit(data.features, data.labels, {.epochs = 6});
  ASSERT_TRUE(report.training.best.has_value());
  double least = report.training.history[0].validation[0].value;
  for (const EpochRecord& epoch : report.training.history) {
    least = std::min(least, figure(epoch.validation, "loss"));
  }
  EXPECT_EQ(figure(report.validation, "loss"), least);
  const auto loaded = Classifier::load(folder / "m");
  EXPECT_TRUE(loaded.predict_values(data.features).same_bits(model.predict_values(data.features)));
  EXPECT_EQ(loaded.record().weights, base_name(report.training.best->prefix));
}

TEST(ModelFolder, GoesOnToTheSameWeightsAsInOneGo) {
  TemporaryFolder folder;
  const Rows data = clouds(90);
  Classifier once(small_network(3, 0.3), saved_in(folder / "once"));
  once.fit(data.features, data.labels, {.epochs = 4, .validation_split = 0.2});

  Classifier begun(small_network(3, 0.3), saved_in(folder / "twice"));
  begun.fit(data.features, data.labels, {.epochs = 2, .validation_split = 0.2});
  const auto resumed = Estimator::load(folder / "twice");
  const FitReport report = resumed->fit(data.features, data.labels,
                                        {.epochs = 4, .validation_split = 0.2, .resume = true});
  EXPECT_EQ(report.training.first_step, 2 * 5);
  EXPECT_EQ(report.training.history.size(), 4u);
  expect_same_weights(once, *resumed);
  EXPECT_EQ(resumed->record().run.history.size(), 4u);

  const FitReport again = resumed->fit(data.features, data.labels,
                                       {.epochs = 4, .validation_split = 0.2, .resume = true});
  EXPECT_EQ(again.training.reason, EndReason::kNothingLeft);
  EXPECT_NE(again.training.message.find("epochs"), std::string::npos);
  expect_same_weights(once, *resumed);
}

TEST(ModelFolder, RefusesToGoOnWithOtherDataOrSettings) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  Classifier(small_network(3), saved_in(folder / "m"))
      .fit(data.features, data.labels, {.epochs = 1});
  const auto go_on = [&](const Rows& rows, ClassifierOptions options) {
    Classifier(small_network(3), std::move(options))
        .fit(rows.features, rows.labels, {.epochs = 2, .resume = true});
  };
  ClassifierOptions other = saved_in(folder / "m");
  other.batch_size = 8;
  expect_error(
      Code::kFailedPrecondition, [&] { go_on(data, other); }, "batch size was 16 and is 8",
      "overwrite");
  expect_error(
      Code::kFailedPrecondition, [&] { go_on(clouds(60, 2), saved_in(folder / "m")); },
      "fingerprint");
  // The same numbers under other names are other data.
  other = saved_in(folder / "m");
  other.class_names = {"cat", "dog", "bird"};
  expect_error(
      Code::kFailedPrecondition, [&] { go_on(data, other); }, "fingerprint");
  other = saved_in(folder / "m");
  other.label_name = "kind";
  expect_error(
      Code::kFailedPrecondition, [&] { go_on(data, other); }, "fingerprint");
  other = saved_in(folder / "m");
  other.feature_names = {"x", "y"};
  expect_error(
      Code::kFailedPrecondition, [&] { go_on(data, other); }, "fingerprint");
  go_on(data, saved_in(folder / "m"));
}

TEST(ModelFolder, RefusesToGoOnStandardizedOtherwise) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  const Rows numbers = plane(60);
  for (const bool first : {false, true}) {
    const std::string path = folder / (first ? "on" : "off");
    const auto fit = [&](bool standardize, const FitOptions& options) {
      ClassifierOptions o = saved_in(path);
      o.standardize = standardize;
      Classifier(small_network(3), std::move(o)).fit(data.features, data.labels, options);
      Regressor(small_network(1), {.standardize = standardize, .model_folder = path + "-regressor"})
          .fit(numbers.features, numbers.labels, options);
    };
    fit(first, {.epochs = 1});
    expect_error(
        Code::kFailedPrecondition, [&] { fit(!first, {.epochs = 2, .resume = true}); },
        first ? "standardize was on and is off" : "standardize was off and is on", "overwrite");
    expect_error(
        Code::kFailedPrecondition,
        [&] {
          Regressor(small_network(1), {.standardize = !first, .model_folder = path + "-regressor"})
              .fit(numbers.features, numbers.labels, {.epochs = 2, .resume = true});
        },
        "standardize was");
    fit(first, {.epochs = 2, .resume = true});
  }
}

TEST(ModelFolder, RefusesToGoOnWithAnotherOptimizerOfOnesOwn) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  const auto fit = [&](const Optimizer& optimizer, const FitOptions& options) {
    Classifier(small_network(3), {.optimizer = optimizer, .model_folder = folder / "m"})
        .fit(data.features, data.labels, options);
  };
  fit(Adam({.beta1 = 0.8}), {.epochs = 1});
  expect_error(
      Code::kFailedPrecondition, [&] { fit(Adam(), {.epochs = 2, .resume = true}); },
      "optimizer was", "beta1=0.8", "beta1=0.9");
  expect_error(
      Code::kFailedPrecondition,
      [&] { fit(Adam({.beta1 = 0.8, .clip = {.global_norm = 1}}), {.epochs = 2, .resume = true}); },
      "clip.global_norm=1");
  fit(Adam({.beta1 = 0.8}), {.epochs = 2, .resume = true});
}

TEST(ModelFolder, RefusesToGoOnWithOtherValidationRows) {
  TemporaryFolder folder;
  const Rows data = clouds(60), own = clouds(30, 2), other = clouds(30, 3);
  const auto fit = [&](const Rows* validation, int64_t epochs) {
    FitOptions options{.epochs = epochs, .validation_split = 0, .resume = epochs > 1};
    if (validation != nullptr) {
      options.validation = Dataset::from_tensors({validation->features, validation->labels});
    }
    Classifier(small_network(3), saved_in(folder / (validation == nullptr ? "none" : "own")))
        .fit(data.features, data.labels, options);
  };
  fit(&own, 1);
  expect_error(
      Code::kFailedPrecondition, [&] { fit(&other, 2); }, "validation data of your own was");
  fit(&own, 2);
  fit(nullptr, 1);
  Classifier without(small_network(3), saved_in(folder / "own"));
  expect_error(
      Code::kFailedPrecondition,
      [&] {
        without.fit(data.features, data.labels,
                    {.epochs = 3, .validation_split = 0, .resume = true});
      },
      "validation data of your own was", "is none");
  Classifier with(small_network(3), saved_in(folder / "none"));
  expect_error(
      Code::kFailedPrecondition,
      [&] {
        with.fit(data.features, data.labels,
                 {.epochs = 2,
                  .validation = Dataset::from_tensors({own.features, own.labels}),
                  .resume = true});
      },
      "was none and is");
}

TEST(ModelFolder, IsReplacedOnlyWhenAskedTo) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier model(small_network(3), saved_in(folder / "m"));
  model.fit(data.features, data.labels, {.epochs = 2});
  const std::string before = read_file(folder / "m/model.json");
  expect_error(
      Code::kAlreadyExists, [&] { model.fit(data.features, data.labels, {.epochs = 1}); },
      "holds a model", "overwrite");
  EXPECT_EQ(read_file(folder / "m/model.json"), before);
  model.fit(data.features, data.labels, {.epochs = 1, .overwrite = true});
  EXPECT_EQ(Classifier::load(folder / "m").record().run.history.size(), 1u);
  EXPECT_EQ(list_folder(folder / "m/events/train").size(), 1u);
  expect_error(Code::kInvalidArgument, [&] {
    model.fit(data.features, data.labels, {.epochs = 1, .resume = true, .overwrite = true});
  });
}

TEST(ModelFolder, StaysWhileItIsReplacedAndWhenThatFails) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  Classifier old(small_network(3), saved_in(folder / "m"));
  old.fit(data.features, data.labels, {.epochs = 2});
  const Tensor expected = old.predict_values(data.features);
  const auto still_there = [&] {
    return Classifier::load(folder / "m").predict_values(data.features).same_bits(expected);
  };
  struct Look : Hook {
    explicit Look(std::function<void(LoopState&)> call) : call(std::move(call)) {}
    void end_epoch(LoopState& state, const EpochRecord&) override { call(state); }
    std::function<void(LoopState&)> call;
  };
  Classifier next(small_network(3, 0.1), saved_in(folder / "m"));
  FitOptions options{.epochs = 3, .overwrite = true, .checkpoint_steps = 1};
  const auto run = [&](std::function<void(LoopState&)> call) {
    options.hooks = {std::make_shared<Look>(std::move(call))};
    return next.fit(data.features, data.labels, options);
  };
  expect_error(
      Code::kAborted,
      [&] {
        run([&](LoopState& state) {
          EXPECT_TRUE(still_there());
          if (state.step > 4) throw aborted("no more");
        });
      },
      "no more", "as it was before");
  EXPECT_TRUE(still_there());
  EXPECT_THROW(run([](LoopState&) { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_TRUE(still_there());
  {
    std::unique_ptr<ScopedDiskFull> full;
    expect_error(Code::kResourceExhausted,
                 [&] { run([&](LoopState&) { full = std::make_unique<ScopedDiskFull>(100); }); });
  }
  EXPECT_TRUE(still_there());
  EXPECT_FALSE(file_exists(folder / "m/.new"));

  // Ctrl-C leaves it too, and what was trained so far beside it, for who wants to go on.
  const FitReport report = run([&](LoopState& state) {
    EXPECT_TRUE(still_there());
    if (state.epoch == 2) std::raise(SIGINT);
  });
  EXPECT_EQ(report.training.reason, EndReason::kInterrupted);
  EXPECT_FALSE(report.replaced);
  EXPECT_EQ(report.kept_aside, folder / "m/.new");
  EXPECT_TRUE(still_there());
  EXPECT_TRUE(holds_replacement(folder / "m"));
  EXPECT_TRUE(file_exists(report.training.last_checkpoint + ".index")) << "told where it is now";
  EXPECT_NE(report.training.message.find(folder / "m/.new/ckpt-"), std::string::npos)
      << report.training.message;
  next.fit(data.features, data.labels, {.epochs = 3, .resume = true});
  EXPECT_FALSE(still_there());
  EXPECT_FALSE(file_exists(folder / "m/.new"));
  const auto resumed = Estimator::load(folder / "m");
  resumed->fit(data.features, data.labels, {.epochs = 3, .resume = true});
  Classifier once(small_network(3, 0.1), saved_in(folder / "once"));
  once.fit(data.features, data.labels, {.epochs = 3});
  expect_same_weights(once, *resumed);
}

TEST(ModelFolder, GoesOnWithAReplacementThatWasKilled) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  Classifier(small_network(3), saved_in(folder / "m"))
      .fit(data.features, data.labels, {.epochs = 2});
  const auto take_over = [&] { return take_over_replacement(TrainingLock(folder / "m")); };
  EXPECT_FALSE(take_over());
  // What a kill leaves: the old model, and below it the new one as far as it was saved.
  ClassifierOptions options = saved_in(folder / "m/.new");
  Classifier(small_network(3, 0.1), options).fit(data.features, data.labels, {.epochs = 4});
  EXPECT_TRUE(holds_replacement(folder / "m"));
  EXPECT_TRUE(take_over());
  EXPECT_FALSE(file_exists(folder / "m/.new"));
  const auto model = Estimator::load(folder / "m");
  EXPECT_EQ(model->record().run.history.size(), 4u);
  // Without anything saved there is nothing to take over: it is cleared away.
  const auto put_remains = [&] {
    std::filesystem::create_directory(folder / "m/.new");
    put_file(folder / "m/.new/model.json", "{}");
  };
  put_remains();
  EXPECT_FALSE(take_over());
  EXPECT_FALSE(holds_replacement(folder / "m"));
  put_remains();
  model->fit(data.features, data.labels, {.epochs = 1, .overwrite = true});
  EXPECT_FALSE(file_exists(folder / "m/.new"));
  EXPECT_EQ(Estimator::load(folder / "m")->record().run.history.size(), 1u);
}

// Two trainings take turns; what is read between them is always one of the two, and whole.
TEST(ModelFolder, IsReadWholeWhileItIsReplaced) {
  TemporaryFolder folder;
  Rows data[] = {clouds(30), clouds(30, 2)};
  for (float& value : data[1].features.mutable_data<float>()) value *= 1000;
  ClassifierOptions options = saved_in(folder / "m");
  options.standardize = true;
  const auto train = [&](int which) {
    Classifier(small_network(3), options)
        .fit(data[which].features, data[which].labels, {.epochs = 1, .overwrite = true});
  };
  std::vector<Tensor> expected;
  for (const int which : {1, 0}) {
    train(which);
    expected.push_back(Classifier::load(folder / "m").predict_values(data[0].features));
  }
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    for (int i = 0; i < 12; ++i) train(i % 2);
    is_over = true;
  });
  do {
    const Tensor seen = Classifier::load(folder / "m").predict_values(data[0].features);
    EXPECT_TRUE(seen.same_bits(expected[0]) || seen.same_bits(expected[1]));
  } while (!is_over);
  writer.join();
}

// The old training has more steps than the new one, so its checkpoints would be the newest.
TEST(ModelFolder, IsReplacedToTheEndWhenAKillCameAmidIt) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  Classifier(small_network(3), saved_in(folder / "old"))
      .fit(data.features, data.labels, {.epochs = 5});
  Classifier next(small_network(3), saved_in(folder / "new"));
  next.fit(data.features, data.labels, {.epochs = 1});
  const auto copy = [](const std::string& from, const std::string& to) {
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
  };
  std::vector<std::string> order;  // of the moves
  std::string journal;
  for (const std::string& name : list_folder(folder / "new")) {
    if (name.starts_with(".")) continue;
    journal += name + "\n";
    if (name.starts_with("ckpt-")) order.push_back(name);
  }
  order.insert(order.end(), {"best", "checkpoint", "model.json"});
  for (size_t moved = 0; moved <= order.size(); ++moved) {
    for (const bool resumes : {false, true}) {
      const std::string model = folder / str("m", moved, resumes);
      copy(folder / "old", model);
      copy(folder / "new", model + "/.new");
      put_file(model + "/.new/moving", journal);
      for (size_t i = 0; i < moved; ++i) {
        std::filesystem::rename(model + "/.new/" + order[i], model + "/" + order[i]);
      }
      Classifier(small_network(3), saved_in(model))
          .fit(data.features, data.labels, {.epochs = 1, .resume = resumes, .overwrite = !resumes});
      const auto loaded = Classifier::load(model);
      EXPECT_EQ(loaded.record().run.history.size(), 1u) << moved;
      EXPECT_TRUE(
          loaded.predict_values(data.features).same_bits(next.predict_values(data.features)));
      const CheckpointManager checkpoints(model, {.read_only = true});
      for (const CheckpointRecord& record : checkpoints.checkpoints()) {
        EXPECT_LE(record.step, 4) << moved;
      }
      EXPECT_FALSE(file_exists(model + "/.new"));
      EXPECT_EQ(list_folder(model + "/events/train").size(), resumes ? 2u : 1u);
    }
  }
}

TEST(ModelFolder, ReplacedAnewSaysThatSomethingIsLost) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier model(small_network(3), saved_in(folder / "m"));
  model.fit(data.features, data.labels, {.epochs = 1});
  Classifier(small_network(3), saved_in(folder / "m/.new"))
      .fit(data.features, data.labels, {.epochs = 1});
  std::string said;
  const LogSink before =
      set_log_sink([&](LogLevel, std::string_view, std::string_view text) { said += text; });
  model.fit(data.features, data.labels, {.epochs = 1, .overwrite = true});
  set_log_sink(before);
  EXPECT_NE(said.find("m/.new' held a training"), std::string::npos) << said;
}

TEST(ModelFolder, BelongsToOneTrainingAtATime) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier model(small_network(3), saved_in(folder / "m"));
  std::optional<TrainingLock> other(folder / "m");
  for (const bool resume : {false, true}) {
    expect_error(
        Code::kFailedPrecondition,
        [&] {
          model.fit(data.features, data.labels,
                    {.epochs = 1, .resume = resume, .overwrite = !resume});
        },
        "another training", str("process ", getpid()), "choose another folder");
  }
  EXPECT_EQ(list_folder(folder / "m"), std::vector<std::string>{".lock"});
  other.reset();
  EXPECT_FALSE(file_exists(folder / "m")) << "it made the folder, and nothing is in it";
  model.fit(data.features, data.labels, {.epochs = 1});
  EXPECT_FALSE(file_exists(folder / "m/.lock"));
}

TEST(ModelFolder, IsNotHeldByATrainingThatDied) {
  TemporaryFolder folder;
  const pid_t process = fork();
  if (process == 0) {
    new TrainingLock(folder / "m");
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(file_exists(folder / "m/.lock"));
  const TrainingLock lock(folder / "m");
}

TEST(ModelFolder, IsNeverAFolderOfOthers) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"best", "precious"},
      {"checkpoint", "model_checkpoint_path: \"ckpt-1\"\n"},
      {"model.json", "{\"format\": \"layers-model\"}"},
      {"events/run.txt", "precious"}};
  for (const auto& [name, bytes] : files) {
    const std::string place = folder / name.substr(0, 2);
    std::filesystem::create_directories(place + "/" + folder_name(name));
    put_file(place + "/" + name, bytes);
    Classifier model(small_network(3), saved_in(place));
    for (const bool overwrite : {false, true}) {
      expect_error(
          Code::kAlreadyExists,
          [&] { model.fit(data.features, data.labels, {.epochs = 1, .overwrite = overwrite}); },
          name.substr(0, name.find('/')), "another folder");
    }
    EXPECT_EQ(read_file(place + "/" + name), bytes);
    EXPECT_EQ(list_folder(place).size(), 1u);
  }
}

TEST(ModelFolder, KeepsWhatOthersPutBesideTheModel) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier model(small_network(3), saved_in(folder / "m"));
  model.fit(data.features, data.labels, {.epochs = 1});
  std::filesystem::create_directories(folder / "m/events/mine");
  const std::vector<std::string> kept = {"notes.txt", "ckpt-notes.txt", "events/mine/run",
                                         "events/train/notes"};
  for (const std::string& name : kept) put_file(folder / ("m/" + name), "precious");
  model.fit(data.features, data.labels, {.epochs = 2, .overwrite = true});
  for (const std::string& name : kept) EXPECT_EQ(read_file(folder / ("m/" + name)), "precious");
  EXPECT_EQ(list_folder(folder / "m/events/train").size(), 2u) << "one file of events";
  EXPECT_EQ(Classifier::load(folder / "m").record().run.history.size(), 2u);
}

TEST(ModelFolder, OfATrainingThatSavedNothingIsBegunAnew) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  struct Fail : Hook {
    void after_step(LoopState&) override { throw aborted("no more"); }
  };
  Classifier first(small_network(3), saved_in(folder / "m"));
  expect_error(Code::kAborted, [&] {
    first.fit(data.features, data.labels, {.epochs = 1, .hooks = {std::make_shared<Fail>()}});
  });
  EXPECT_TRUE(is_untrained(folder / "m"));
  EXPECT_EQ(read_model_record(folder / "m").run.state, "failed: no more");
  Classifier(small_network(3, 0.1), saved_in(folder / "m"))
      .fit(data.features, data.labels, {.epochs = 2});
  EXPECT_FALSE(is_untrained(folder / "m"));
  EXPECT_EQ(Classifier::load(folder / "m").record().run.history.size(), 2u);
  EXPECT_EQ(list_folder(folder / "m/events/train").size(), 1u);
}

TEST(ModelFolder, IsNeverAFile) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  put_file(folder / "file", "precious");
  Classifier model(small_network(3), saved_in(folder / "file"));
  for (const bool overwrite : {false, true}) {
    expect_error(
        Code::kAlreadyExists,
        [&] { model.fit(data.features, data.labels, {.epochs = 1, .overwrite = overwrite}); },
        "is a file", "folder");
  }
  EXPECT_EQ(read_file(folder / "file"), "precious");
}

TEST(ModelFolder, HoldsCurvesHistogramsAndGraphForTensorBoard) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  Classifier model(small_network(3), saved_in(folder / "m"));
  model.fit(data.features, data.labels, {.epochs = 2});
  const EventLog train = read_event_folder(folder / "m/events/train");
  EXPECT_FALSE(train.graph_def.empty());
  EXPECT_EQ(train.scalars.at("epoch/accuracy").size(), 2u);
  const EventLog validation = read_event_folder(folder / "m/events/validation");
  EXPECT_EQ(validation.scalars.at("epoch/loss").size(), 2u);
  const EventLog weights = read_event_folder(folder / "m/events/weights");
  EXPECT_EQ(weights.histograms.at("dense/kernel").size(), 2u);
}

TEST(ModelFolder, OfAFunctionNeedsTheFunctionAgain) {
  TemporaryFolder folder;
  const Rows data = clouds(60);
  const auto make = [] {
    return [hidden = Dense({.units = 8}), last = Dense({.units = 3})](Output x, Mode mode) {
      return last(relu(hidden(x, mode)), mode);
    };
  };
  Classifier model(make(), saved_in(folder / "m"));
  model.fit(data.features, data.labels, {.epochs = 2});
  EXPECT_EQ(model.summary(), "");
  expect_error(
      Code::kFailedPrecondition, [&] { Estimator::load(folder / "m"); }, "function",
      "Classifier::load");
  const auto loaded = Classifier::load(folder / "m", Network(make()));
  EXPECT_TRUE(loaded.predict_values(data.features).same_bits(model.predict_values(data.features)));
}

TEST(ModelFolder, SaysWhichFileIsDamaged) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier(small_network(3), saved_in(folder / "m"))
      .fit(data.features, data.labels, {.epochs = 2});
  expect_error(
      Code::kNotFound, [&] { Estimator::load(folder / "none"); }, "none", "model.json");

  const std::string weights = read_model_record(folder / "m").weights;
  const std::string path = folder / ("m/" + weights + ".data-00000-of-00001");
  const std::string bytes = read_file(path);
  put_file(path, bytes.substr(0, bytes.size() / 2));
  expect_error(
      Code::kDataLoss, [&] { Estimator::load(folder / "m"); }, weights);
  put_file(path, bytes);

  const std::string json = read_file(folder / "m/model.json");
  put_file(folder / "m/model.json", json.substr(0, json.size() / 2));
  expect_error(
      Code::kDataLoss, [&] { Estimator::load(folder / "m"); }, "model.json", "line ", "too early");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    text.replace(text.find(from), from.size(), to);
    put_file(folder / "m/model.json", text);
  };
  with("\"seed\": 1", "\"seed\": \"one\"");
  expect_error(
      Code::kDataLoss, [&] { Estimator::load(folder / "m"); }, "`seed` is a text",
      "expected a number");
  with("\"history\"", "\"histroy\"");
  expect_error(
      Code::kDataLoss, [&] { Estimator::load(folder / "m"); }, "`history` is missing");
  const std::string deep(100000, '[');
  with("\"network\": {", "\"network\": " + deep + ", \"was\": {");
  expect_error(
      Code::kDataLoss, [&] { Estimator::load(folder / "m"); }, "model.json", "nested more than");
  put_file(folder / "m/model.json", "[]");
  expect_error(
      Code::kDataLoss, [&] { Estimator::load(folder / "m"); }, "a list where an object");
  std::string later = json;
  later.replace(later.find("\"version\": 1"), 12, "\"version\": 9");
  put_file(folder / "m/model.json", later);
  expect_error(
      Code::kFailedPrecondition, [&] { Estimator::load(folder / "m"); }, "version 9");
}

TEST(ModelFolder, WithoutACheckpointCanBeLoadedButNotUsed) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier(small_network(3), saved_in(folder / "m"))
      .fit(data.features, data.labels, {.epochs = 1});
  for (const std::string& name : list_folder(folder / "m")) {
    if (name != "model.json" && name != "events") remove_file(folder / ("m/" + name));
  }
  const auto model = Estimator::load(folder / "m");
  expect_error(
      Code::kFailedPrecondition, [&] { model->predict_values(data.features); }, "no weights");
  model->fit(data.features, data.labels, {.epochs = 1, .resume = true});
  EXPECT_EQ(model->predict_values(data.features).dim(0), 30);
}

TEST(ModelRecord, StatesWhatARunDependsOn) {
  TemporaryFolder folder;
  const Rows data = clouds(30);
  Classifier model(small_network(3), saved_in(folder / "m"));
  model.fit(data.features, data.labels,
            {.epochs = 1, .data_name = "clouds", .command = "fit clouds"});
  const ModelRecord record = read_model_record(folder / "m");
  EXPECT_EQ(record.kind, "classifier");
  EXPECT_EQ(record.run.command, "fit clouds");
  EXPECT_EQ(record.run.data, "clouds");
  EXPECT_EQ(record.run.data_fingerprint.size(), 16u);
  EXPECT_EQ(record.run.seed, 1u);
  EXPECT_GT(record.run.threads, 0);
  EXPECT_EQ(record.run.parameters, 2 * 8 + 8 + 8 * 3 + 3);
  for (const char* key : {"thalweg", "oneDNN", "simd", "compiler", "system"}) {
    EXPECT_FALSE(record.run.environment.at(key).empty()) << key;
  }
  // Reading and writing loses nothing.
  EXPECT_EQ(to_json(record), read_file(folder / "m/model.json"));
}

}  // namespace
}  // namespace thalweg
