// The card of a task of kind "review": a verdict of a rule or a model, confirmed or overruled.
//
// draw(task, ratings, strings, say, data) -> element
//   task     a ReviewTask as JSON: {id, query, text, hits, about, aspect, statement, supports, constraint, criterion,
//            references, opinions: [{source, value, why}], scale}; without opinions the review is blind
//   ratings  what this reviewer last said of it: {verdict: number | "not_applicable", note: "words"}
//   strings, say  as of cards_pair.js
//   data     of the page: `language`, in which numbers are written
// keys(task, strings) -> [{key, on, value, label}], the key for each choice
"use strict";
globalThis.cards ??= {};

cards.review = (() => {
  const NOT_APPLICABLE = "not_applicable";
  const scaleOf = (task) => task.scale ?? [0, 1];
  const isYesNo = (task) => scaleOf(task).length === 2 && scaleOf(task)[0] === 0 && scaleOf(task)[1] === 1;

  const words = (task, value, strings) => {
    if (value === undefined || value === null || value === NOT_APPLICABLE) return strings.review_not_applicable;
    if (!isYesNo(task)) return String(value);
    return value ? strings.review_pass : strings.review_fail;
  };

  const keys = (task, strings) => {
    const made = [...scaleOf(task)]
      .reverse()
      .map((value, place) => ({ key: isYesNo(task) ? String(place + 1) : cards.keyOf(value), value }));
    const none = made.some(({ key }) => key === "9") ? "n" : "9";
    const entries = [...made, { key: none, value: NOT_APPLICABLE }];
    const reviewed = task.opinions?.length ? task.opinions[0].value ?? NOT_APPLICABLE : undefined;
    return entries.map(({ key, value }) => {
      const said = words(task, value, strings);
      const name = said === key ? "" : said; // the key shows the grade
      const label = value !== reviewed ? name : name ? `${name} (${strings.review_confirm})` : strings.review_confirm;
      return { key, on: "verdict", value, label };
    });
  };

  const opinion = (task, said, strings) => {
    const made = cards.element("li", "opinion");
    const source = said.source === "rules" ? strings.review_rule : strings.review_model;
    made.append(cards.element("strong", "", `${source}: ${words(task, said.value, strings)}`));
    if (said.why) made.append(cards.element("p", "why", said.why));
    return made;
  };

  const part = (title, content) => {
    const made = cards.element("section", "part");
    made.setAttribute("aria-label", title);
    made.append(cards.element("h3", "", title), content);
    return made;
  };

  // A constraint in words: a phrase for each of its parts, of which all must hold, but of words and a circle one.
  const asked = (name, constraint, strings, number) => {
    const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
    const one = (value) => {
      if (typeof value === "boolean") return value ? strings.yes : strings.no;
      return typeof value === "number" ? number(value) : String(value);
    };
    const any = (values) => [values].flat().map(one).join(` ${strings.asked_or} `);
    const { equals, synonyms, contains_any, near, about, tolerance, fields } = constraint;
    const parts = [];
    if (equals !== undefined && equals !== null) parts.push(fill(strings.asked_equals, { name, value: any(equals) }));
    if (synonyms?.length) parts.push(fill(strings.asked_synonyms, { values: any(synonyms) }));
    const either = [];
    if (contains_any?.length) either.push(fill(strings.asked_contains, { name, values: any(contains_any) }));
    if (near) {
      const place = near.name || `${one(near.lat)}, ${one(near.lng)}`;
      either.push(fill(strings.asked_near, { km: one(near.radius_km), place }));
    }
    if (either.length) parts.push(either.join(` ${strings.asked_or} `));
    for (const kind of ["min", "max", "exact"]) {
      if (typeof constraint[kind] === "number") parts.push(fill(strings[`asked_${kind}`], { name, value: one(constraint[kind]) }));
    }
    const share = `${one(Math.round(1000 * (tolerance ?? 0.1)) / 10)} %`;
    if (typeof about === "number") parts.push(fill(strings.asked_about, { name, value: one(about), share }));
    else if (tolerance) parts.push(fill(strings.asked_tolerance, { share }));
    if (fields?.length) parts.push(fill(strings.asked_fields, { fields: fields.join(", ") }));
    return parts.join("; ");
  };

  // What the verdict is about in a sentence: the user's own words, else those of a usual aspect, else its name.
  const criterion = (task, strings) =>
    [task.aspect, task.criterion || strings[`review_${task.about}_${task.aspect}`]].filter(Boolean);

  const contexts = (task, strings, number) => {
    const list = cards.element("ol", "results");
    const asks = new Set(task.constraint ? [task.aspect, ...(task.constraint.fields ?? [])] : []);
    const numbers = (name) => (asks.has(name) ? number : undefined);
    for (const hit of task.hits) {
      const entry = cards.element("li");
      entry.append(cards.hit(hit, strings, { numbers }));
      if (task.supports?.includes(hit.key)) {
        entry.classList.add("supports");
        entry.append(cards.element("p", "mark", strings.review_supports));
      }
      list.append(entry);
    }
    return list;
  };

  const draw = (task, ratings, strings, say, data) => {
    const made = cards.element("article", "review");
    const format = new Intl.NumberFormat(data?.language, { maximumFractionDigits: 6 });
    const number = (value) => format.format(value);
    const judged = cards.element("div", "sides");
    const said = cards.element("ul", "opinions");
    for (const one of task.opinions ?? []) said.append(opinion(task, one, strings));
    const left = cards.element("div", "side");
    if (task.statement) left.append(part(strings.review_claim, cards.element("p", "statement", task.statement)));
    const [name, ...sentence] = criterion(task, strings);
    if (said.children.length) left.append(part(`${strings.review_verdict}: ${name}`, said));
    else left.append(part(strings.review_criterion, cards.element("p", "statement", name)));
    left.append(...sentence.map((words) => cards.element("p", "why", words)));
    if (task.about === "item" && task.aspect === "accepted") {
      const kind = [task.tags?.kind, task.tags?.unanswerable].filter(Boolean).join(": ");
      if (kind) left.append(cards.element("p", "kind", kind));
      left.append(cards.element("p", "why", strings.review_accepted));
    }
    if (task.constraint) {
      const words = asked(task.aspect, task.constraint, strings, number);
      left.append(part(strings.review_asked, cards.element("p", "statement", words)));
    }
    const right = cards.element("div", "side");
    if (task.hits?.length) {
      const title = task.about === "hit" ? strings.review_hit : strings.review_contexts;
      right.append(part(title, contexts(task, strings, number)));
    }
    if (task.text && task.about !== "hit") right.append(part(strings.review_answer, cards.element("p", "answer", task.text)));
    for (const text of task.references ?? []) {
      right.append(part(strings.review_reference, cards.element("p", "reference", text)));
    }
    judged.append(left, right);
    made.append(
      judged,
      cards.element("h3", "", task.opinions?.length ? strings.review_question : strings.review_blind),
      cards.choices(keys(task, strings), ratings, strings.review_question, say),
      cards.note(ratings, strings.review_note, say),
    );
    return made;
  };

  return { draw, keys };
})();
