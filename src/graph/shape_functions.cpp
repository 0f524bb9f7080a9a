#include "thalweg/graph/shape_context.h"

namespace thalweg::shape_functions {

void same_as_input(ShapeContext& context) { context.set_output(0, context.input(0)); }

void broadcast_inputs(ShapeContext& context) {
  context.set_output(0, broadcast(context.input(0), context.input(1)));
}

void scalar(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, Shape{});
}

void unknown(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, Shape::unknown());
}

void none(ShapeContext&) {}

}  // namespace thalweg::shape_functions
