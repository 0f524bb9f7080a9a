// Options of layers as attributes and back.
//
// Each layer lists its options once, in a template visit_options(visitor, options) that calls
// `v("units", o.units)` for each but the name; writer and reader are the two visitors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thalweg/nn/initializers.h"
#include "thalweg/nn/layer.h"
#include "thalweg/nn/regularizers.h"

namespace thalweg {

class OptionWriter {
 public:
  void operator()(std::string_view name, int64_t value) { put(name, value); }
  void operator()(std::string_view name, double value) { put(name, static_cast<float>(value)); }
  void operator()(std::string_view name, bool value) { put(name, value); }
  void operator()(std::string_view name, const std::string& value) { put(name, value); }
  void operator()(std::string_view name, const std::vector<int64_t>& value) { put(name, value); }
  void operator()(std::string_view name, const Initializer& value) { put(name, value.to_string()); }
  void operator()(std::string_view name, const Regularizer& value) { put(name, value.to_string()); }
  AttrMap take() { return std::move(attrs_); }

 private:
  void put(std::string_view name, AttrValue value) { attrs_.emplace(name, std::move(value)); }
  AttrMap attrs_;
};

/// Leaves options alone that the config lacks. Throws invalid_argument naming the option.
class OptionReader {
 public:
  explicit OptionReader(const AttrMap& config) : config_(config) {}
  void operator()(std::string_view name, int64_t& value);
  void operator()(std::string_view name, double& value);
  void operator()(std::string_view name, bool& value);
  void operator()(std::string_view name, std::string& value);
  void operator()(std::string_view name, std::vector<int64_t>& value);
  void operator()(std::string_view name, Initializer& value);
  void operator()(std::string_view name, Regularizer& value);
  /// Throws for an option that was not asked for, with the nearest that was.
  void finish() const;

 private:
  template <class T>
  const T* find(std::string_view name, std::string_view kind);
  const AttrMap& config_;
  std::vector<std::string> known_;
};

template <class Options>
AttrMap write_options(Options options) {
  OptionWriter writer;
  visit_options(writer, options);
  return writer.take();
}

template <class Options>
Options read_options(const AttrMap& config) {
  Options options;
  OptionReader reader(config);
  visit_options(reader, options);
  reader("name", options.name);
  reader.finish();
  return options;
}

/// A layer with options.
template <class Options>
class OptionLayer : public LayerBase {
 public:
  explicit OptionLayer(Options options) : LayerBase(options.name), options_(std::move(options)) {}
  AttrMap config() const override { return write_options(options_); }

 protected:
  const Options options_;
};

}  // namespace thalweg
