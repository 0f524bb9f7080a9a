// How messages spell the options that they advise to set: a program that trains for its user puts
// in what that user can type.
#pragma once

#include <string>

namespace thalweg {

struct OptionNames {
  std::string resume = "resume";
  std::string overwrite = "overwrite";
  std::string epochs = "epochs";
  std::string patience = "patience";
  std::string learning_rate = "the learning rate";
};

}  // namespace thalweg
