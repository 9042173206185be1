// The card of a task of kind "answer": a question, and the answer and hits that came back for it.
//
// draw(task, ratings, strings, say, data) -> element, as of cards_pair.js
//   ratings  what this rater last said: {quality: a value of its scale, note: "words", empty: "none" | "results", "hit:KEY": grade}
//   data     of the page: `grades`, [value, words] of each; `searched`, whether anything here returned hits; `scale`, [value,
//            words] of each quality, empty for the usual one; `ask`, whether the rater asks the questions
// rows(task, strings, data) -> [{on, label, choices: [{key, on, value, label}]}], the lines that are rated, in order
// usual(task, ratings) -> what the quality should go with: the quality that the usual scale gives to these results, what
//   was said of an answer without results, or null while that is not rated
// contradiction(task, rating, ratings, strings, data) -> why a rating contradicts the others, or ""
"use strict";
globalThis.cards ??= {};

cards.answer = (() => {
  const graded = (on, strings, data) => {
    const n = data.grades.length;
    const last = n > 4 ? { [n - 1]: strings.grades.at(-1), 0: strings.grades[0] } : strings.grades; // no words between them
    const names = n > 2 ? last : [strings.not_relevant, strings.relevant];
    const isNamed = data.grades.some(([, words]) => words);
    return data.grades.map(([value, words]) => {
      const label = (isNamed ? words : names[value]) || String(value);
      return { key: cards.keyOf(value), on, value, label };
    });
  };

  // The values of the quality with their words; answers without results have words of their own.
  const scaleOf = (task, strings, data, isSearch) => {
    if (data.scale.length) return data.scale;
    const words = task.hits?.length ? strings.quality : isSearch || !task.text ? strings.quality_empty : strings.quality_text;
    return words.map((text, value) => [value, text]);
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
    const scale = scaleOf(task, strings, data, made.length > 0).map(([value, words]) => {
      const key = cards.keyOf(value);
      const label = key === String(value) ? words : [value, words].filter(String).join(" ");
      return { key, on: "quality", value, label };
    });
    made.push({ on: "quality", label: strings.quality_question, choices: scale });
    return made;
  };

  // The quality that the usual scale gives to so many relevant results.
  const qualityOf = (relevant, n) => {
    if (relevant === n) return 5;
    return relevant / n > 0.7 ? 4 : relevant / n >= 0.5 ? 3 : relevant ? 2 : 1;
  };

  const usual = (task, ratings) => {
    const grades = (task.hits ?? []).map((hit) => ratings[`hit:${hit.key}`]);
    if (!grades.length) return ratings.empty ?? null;
    return grades.includes(undefined) ? null : qualityOf(grades.filter((grade) => grade > 0).length, grades.length);
  };

  // Qualities of an answer without results that go with what was said of it: right from 4 on, wrong up to 2.
  const goesWith = (empty, quality) => (empty === "none" ? quality > 2 || quality === 0 : quality < 4);
  const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

  const contradiction = (task, { on, value }, ratings, strings, data) => {
    const expected = usual(task, ratings);
    if (on !== "quality" || data.scale.length || expected === null || ratings.quality === value) return "";
    if (!task.hits?.length) {
      if (goesWith(expected, value)) return "";
      const empty = expected === "none" ? strings.empty_none : strings.empty_results;
      return fill(strings.contradiction_empty, { empty, value, words: strings.quality_empty[value] });
    }
    if (value === expected) return "";
    const n = task.hits.length;
    const relevant = task.hits.filter((hit) => ratings[`hit:${hit.key}`] > 0).length;
    const values = { relevant, n, value, words: strings.quality[value], expected, usual: strings.quality[expected] };
    return fill(strings.contradiction, values);
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

  return { draw, rows, usual, contradiction };
})();
