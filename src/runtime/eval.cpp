#include "thalweg/runtime/session.h"

namespace thalweg {

Tensor eval(Output y, const std::vector<Feed>& feeds) {
  if (!y) throw invalid_argument("eval: an empty Output has no value");
  Session session(y.graph());
  session.initialize();
  return session.run(y, feeds);
}

}  // namespace thalweg
