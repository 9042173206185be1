// Ratings of answers as a table, a line each, with the columns of a rater's table; for spreadsheets.
//
// tableOfRatings(tasks, valueOf, ratedAt, whose) -> CSV; valueOf(task, on) -> what was said last, or null;
// ratedAt(task) -> when something was last said of it; whose: the rater's name, the opaque names of the runs, the
// highest grade of a hit, and grades with words and a scale of its own, which stand in every line
"use strict";
{
  const COLUMNS = [
    "query_id", "question", "category", "results_count", "relevant_count", "first_relevant_rank", "overall_precision",
    "precision_at_5", "mrr", "success", "response_quality", "notes", "answer", "ratings",
    "session", "rater", "runs", "rated_at", "top_grade",
  ];
  const rowOf = (task, valueOf, ratedAt, whose) => {
    const grades = (task.hits ?? []).map((hit) => valueOf(task, `hit:${hit.key}`));
    const [n, rest] = [grades.length, { query_id: task.query_id ?? task.number, question: task.query, answer: task.id }];
    const relevant = grades.filter((grade) => grade > 0).length;
    const first = grades.findIndex((grade) => grade > 0) + 1;
    const complete = n > 0 && grades.every((grade) => grade !== null);
    const counted = complete ? {
      relevant_count: relevant,
      first_relevant_rank: first || "",
      overall_precision: (relevant / n).toFixed(4),
      precision_at_5: (grades.slice(0, 5).filter((grade) => grade > 0).length / 5).toFixed(4),
      mrr: first ? (1 / first).toFixed(4) : "0",
      success: relevant > 0 ? 1 : 0,
    } : {};
    const empty = n ? null : valueOf(task, "empty");
    const told = { none: "no data exists", results: "should have results" }[empty] ?? "";
    if (empty) Object.assign(counted, { relevant_count: 0, success: empty === "none" ? 1 : 0 });
    return {
      ...rest, ...whose, session: task.session ?? "", ...counted, category: task.tags?.category ?? "", results_count: n,
      response_quality: valueOf(task, "quality") ?? "",
      notes: [told, valueOf(task, "note")].filter(Boolean).join("; "),
      ratings: grades.map((grade) => grade ?? "").join(";"),
      rated_at: ratedAt(task),
    };
  };
  const cell = (value) => {
    const words = String(value ?? "");
    const text = /^[=+\-@\t\r]/.test(words) ? `'${words}` : words;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  globalThis.tableOfRatings = (tasks, valueOf, ratedAt, whose) => {
    const rows = tasks.map((task) => rowOf(task, valueOf, ratedAt, whose));
    const columns = [...COLUMNS, ...["grades", "scale"].filter((name) => whose[name])];
    return `\uFEFF${[columns, ...rows.map((row) => columns.map((name) => row[name]))]
      .map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
  };
}
