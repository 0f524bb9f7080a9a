// The report of a training as a document.
#pragma once

#include "cli/report/document.h"
#include "cli/report/table_facts.h"

namespace thalweg::cli {

/// `with_plots`: for HTML.
Document fit_document(const TableFitFacts& facts, bool with_plots);

/// Shared with the model card.
const TableFitFacts::Metric* main_metric(const TableFitFacts& facts);
std::string lead_sentence(const TableFitFacts& facts);
DocTable metrics_table(const TableFitFacts& facts);
DocTable class_table(const TableFitFacts& facts);
DocTable columns_table(const TableFitFacts& facts);

}  // namespace thalweg::cli
