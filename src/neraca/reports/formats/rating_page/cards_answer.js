// The card of a task of kind "answer": a question, and the answer and hits that came back for it.
//
// draw(task, ratings, strings, say, data) -> element, as of cards_pair.js
//   ratings  what this rater last said: {quality: 0-5, note: "words", empty: "none" | "results", "hit:KEY": grade}
//   data     of the page: `grades`; `searched`, whether anything here returned hits; `scale`, [value, words] of each
//            quality, empty for the usual one; `ask`, whether the rater asks the questions
// rows(task, strings, data) -> [{on, label, choices: [{key, on, value, label}]}], the lines that are rated, in order
// contradiction(task, rating, ratings, strings, data) -> why a rating contradicts the others, or ""
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
    if (!made.length && (data.searched || (data.ask && !task.text))) {
      const choices = [
        { key: "n", on: "empty", value: "none", label: strings.empty_none },
        { key: "s", on: "empty", value: "results", label: strings.empty_results },
      ];
      made.push({ on: "empty", label: strings.empty_question, choices });
    }
    const usual = (made.length || !task.text ? strings.quality : strings.quality_text).map((words, value) => [value, words]);
    const scale = (data.scale.length ? data.scale : usual).map(([value, words]) => ({
      key: String(value), on: "quality", value, label: words,
    }));
    made.push({ on: "quality", label: strings.quality_question, choices: scale });
    return made;
  };

  // The quality that the usual scale gives to so many relevant results.
  const qualityOf = (relevant, n) => {
    if (relevant === n) return 5;
    return relevant / n > 0.7 ? 4 : relevant / n >= 0.5 ? 3 : relevant ? 2 : 1;
  };

  const contradiction = (task, { on, value }, ratings, strings, data) => {
    if (on === "empty") {
      if (!task.expected || value === task.expected || ratings.empty === value) return "";
      const words = { none: strings.empty_none, results: strings.empty_results };
      const values = { expected: words[task.expected], words: words[value] };
      return strings.contradiction_expected.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    }
    const grades = (task.hits ?? []).map((hit) => ratings[`hit:${hit.key}`]);
    if (on !== "quality" || data.scale.length || !grades.length || grades.includes(undefined)) return "";
    const [relevant, n] = [grades.filter((grade) => grade > 0).length, grades.length];
    const expected = qualityOf(relevant, n);
    if (value === expected || ratings.quality === value) return "";
    const values = { relevant, n, value, words: strings.quality[value], expected, usual: strings.quality[expected] };
    return strings.contradiction.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
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
    const titled = (title, ...content) => {
      const part = cards.element("section");
      part.append(cards.element("h3", "", title), ...content);
      return part;
    };
    const references = (task.references ?? []).map((words) => cards.element("p", "answer reference", words));
    const texts = cards.element("div", references.length && task.text ? "beside" : "");
    if (task.text) texts.append(titled(strings.answer, cards.element("p", "answer", task.text)));
    if (references.length) texts.append(titled(strings.review_reference, ...references));
    made.append(texts);
    if (task.hits?.length) {
      const list = cards.element("ol", "results");
      const texts = task.hits.some((hit) => hit.text?.trim());
      task.hits.forEach((hit, place) => {
        const entry = cards.element("li");
        entry.append(line(lines[place], cards.hit(hit, strings, { texts })));
        list.append(entry);
      });
      made.append(cards.element("h3", "", strings.results), list);
    } else if (!task.text) {
      made.append(cards.element("p", "nothing", strings.nothing));
    }
    for (const row of lines.filter((one) => !one.on.startsWith("hit:"))) {
      made.append(line(row, cards.element("h3", "", row.label)));
    }
    made.append(cards.note(ratings, strings.note, say));
    return made;
  };

  return { draw, rows, contradiction };
})();
