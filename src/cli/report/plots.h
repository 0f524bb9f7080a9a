// The plots of a report.
#pragma once

#include <vector>

#include "cli/report/document.h"
#include "cli/report/table_facts.h"

namespace thalweg::cli {

/// Those that the facts have something for, each empty or with one or more plots.
std::vector<DocPlot> history_plots(const TableFitFacts& facts);
std::vector<DocPlot> result_plots(const TableFitFacts& facts);
std::vector<DocPlot> column_plots(const TableFitFacts& facts);

}  // namespace thalweg::cli
