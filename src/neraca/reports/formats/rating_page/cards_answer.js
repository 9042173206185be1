// The card of a task of kind "answer": a question, and the answer and hits that came back for it.
//
// draw(task, ratings, strings, say, data) -> element, as of cards_pair.js
//   ratings  what this rater last said: {quality: 0-5, note: "words", empty: "none" | "results", "hit:KEY": grade}
//   data     of the page: `grades`, and `searched`: whether anything here returned hits
// rows(task, strings, data) -> [{on, label, choices: [{key, on, value, label}]}], the lines that are rated, in order
"use strict";
globalThis.cards ??= {};

cards.answer = (() => {
  const graded = (on, strings, data) => {
    const names = data.grades.length > 2 ? strings.grades : [strings.not_relevant, strings.relevant];
    return data.grades.map((value) => ({ key: String(value), on, value, label: names[value] ?? String(value) }));
  };

  const rows = (task, strings, data) => {
    const made = (task.hits ?? []).map((hit, place) => ({
      on: `hit:${hit.key}`,
      label: `${strings.results} ${place + 1}`,
      choices: graded(`hit:${hit.key}`, strings, data),
    }));
    if (!made.length && data.searched) {
      const choices = [
        { key: "n", on: "empty", value: "none", label: strings.empty_none },
        { key: "s", on: "empty", value: "results", label: strings.empty_results },
      ];
      made.push({ on: "empty", label: strings.empty_question, choices });
    }
    const scale = strings.quality.map((words, value) => ({
      key: String(value), on: "quality", value, label: words,
    }));
    made.push({ on: "quality", label: strings.quality_question, choices: scale });
    return made;
  };

  const draw = (task, ratings, strings, say, data) => {
    const made = cards.element("article", "answer-card");
    const lines = rows(task, strings, data);
    const line = (row, ...content) => {
      const part = cards.element("div", "line");
      part.dataset.on = row.on;
      part.append(...content, cards.choices(row.choices, ratings, row.label, say));
      return part;
    };
    if (task.text) made.append(cards.element("h3", "", strings.answer), cards.element("p", "answer", task.text));
    if (task.hits?.length) {
      const list = cards.element("ol", "results");
      task.hits.forEach((hit, place) => {
        const entry = cards.element("li");
        entry.append(line(lines[place], cards.hit(hit)));
        list.append(entry);
      });
      made.append(cards.element("h3", "", strings.results), list);
    } else {
      made.append(cards.element("p", "nothing", task.text ? "" : strings.nothing));
    }
    for (const row of lines.filter((one) => !one.on.startsWith("hit:"))) {
      made.append(line(row, cards.element("h3", "", row.label)));
    }
    made.append(cards.note(ratings, strings.note, say));
    return made;
  };

  return { draw, rows };
})();
