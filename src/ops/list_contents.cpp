#include "ops/list_contents.h"

#include "ops/known_values.h"
#include "thalweg/graph/function_shapes.h"

namespace thalweg {
namespace {

// Longer chains count as unknown.
constexpr int kMaxSteps = 64;
constexpr int kMaxLoops = 4;

// A list as changes of another one.
struct Walk {
  Output base;              // what is not looked behind
  bool any_new = false;     // whether items were put in
  bool is_known = true;     // whether all of those have the shape `item`
  bool keeps_count = true;  // whether there are as many as in the base
  Shape item = Shape::unknown();
};

void put(Walk& walk, const Shape& item) {
  walk.is_known = walk.is_known && item.is_fully_defined() && (!walk.any_new || item == walk.item);
  walk.item = item;
  walk.any_new = true;
}

void go_back(Walk& walk, int loops);
ListContents contents(const Output& list, int loops);

// What all iterations together do to a list that a loop changes.
void pass_loop(Walk& walk, int loops) {
  const Node& node = *walk.base.node();
  const auto index = static_cast<size_t>(walk.base.index());
  const Function* body = node.graph().functions().find(node.attr<FunctionName>("body").name);
  walk.base = node.input(static_cast<int>(index));
  if (body == nullptr || loops >= kMaxLoops) {
    walk.is_known = walk.keeps_count = false;
    return;
  }
  std::vector<Shape> shapes;
  for (int i = 0; i < node.num_outputs(); ++i) shapes.push_back(node.output_shape(i));
  // Lists that the loop only reads are known from outside.
  std::vector<Shape> item_shapes(shapes.size(), Shape::unknown());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (body->arguments[i].dtype() == kVariant && body->results[i] == body->arguments[i])
      item_shapes[i] = contents(node.input(static_cast<int>(i)), loops + 1).item;
  }
  const ShapedBody shaped = with_shapes(*body, shapes, item_shapes);
  Walk inner{.base = shaped.results[index]};
  go_back(inner, loops + 1);
  if (!(inner.base == shaped.arguments[index])) {
    walk.is_known = walk.keeps_count = false;
    return;
  }
  walk.keeps_count = walk.keeps_count && inner.keeps_count;
  walk.is_known = walk.is_known && inner.is_known;
  if (inner.any_new) put(walk, inner.item);
}

void go_back(Walk& walk, int loops) {
  for (int step = 0; step < kMaxSteps; ++step) {
    const Node& node = *walk.base.node();
    const std::string_view type = node.type();
    if (type == "Identity") {
      walk.base = node.input(0);
    } else if (type == "TensorListPopBack" || type == "TensorListResize") {
      walk.keeps_count = false;
      walk.base = node.input(0);
    } else if (type == "TensorListPushBack" || type == "TensorListSetItem") {
      const AttrValue* grows = node.find_attr("resize_if_index_out_of_bounds");
      if (grows == nullptr || std::get<bool>(*grows)) walk.keeps_count = false;
      put(walk, node.input(node.num_inputs() - 1).shape());
      walk.base = node.input(0);
    } else if (type == "While" || type == "StatelessWhile") {
      pass_loop(walk, loops);
    } else {
      return;
    }
  }
  walk.is_known = walk.keeps_count = false;
}

ListContents contents(const Output& list, int loops) {
  Walk walk{.base = list};
  go_back(walk, loops);
  const Node& base = *walk.base.node();
  const std::string_view type = base.type();
  ListContents contents;
  if (type == "TensorListFromTensor" && base.input(0).shape().has_rank()) {
    const Shape& tensor = base.input(0).shape();
    put(walk, tensor.slice(1));
    contents.count = tensor[0];
  } else if (type == "TensorListReserve") {
    // Items that nobody sets are zeros of the shape told, which must then be known.
    if (const auto count = known_scalar(base, 1)) contents.count = *count;
  } else if (const AttrValue* told = base.find_attr("_item_shape")) {
    put(walk, std::get<Shape>(*told));
  } else if (type != "EmptyTensorList") {
    walk.is_known = false;
  }
  if (!walk.keeps_count) contents.count = kUnknownDim;
  if (walk.is_known && walk.any_new) contents.item = walk.item;
  return contents;
}

}  // namespace

ListContents list_contents(const Output& list) { return contents(list, 0); }

}  // namespace thalweg
