// The card of a task of kind "pair": two answers, or two lists of results, beside each other.
//
// draw(task, ratings, strings, say) -> element
//   task     a PairTask as JSON: {id, query, before, left: {text, hits, replies}, right: {…}, both: [keys]}
//   ratings  what this rater last said of it: {preferred: "left" | "tie" | "right", note: "words"}
//   strings  words of the page in its language, as in strings.json
//   say      called with {on, value} for each thing that is said
// "left" is the one that is read first: it is called A, because it stands above the other where there is no room, and
// right of it where one reads from the right.
// keys(task, strings) -> [{key, on, value, label}], the key for each choice
"use strict";
globalThis.cards ??= {};

cards.pair = (() => {
  const keys = (task, strings) => [
    { key: "1", on: "preferred", value: "left", label: strings.pair_left },
    { key: "2", on: "preferred", value: "tie", label: strings.pair_tie },
    { key: "3", on: "preferred", value: "right", label: strings.pair_right },
  ];

  const side = (shown, name, task, strings) => {
    const made = cards.element("section", "side");
    made.setAttribute("aria-label", name);
    made.append(cards.element("h3", "side-name", name), ...cards.earlier(shown.replies?.length ? task.before : [], shown.replies, strings));
    if (shown.replies?.length) made.append(cards.element("p", "mark", strings.answer));
    if (shown.text) made.append(cards.element("p", "answer", shown.text));
    if (shown.hits?.length) {
      const texts = [task.left, task.right].some((one) => one?.hits?.some((hit) => hit.text?.trim()));
      const list = cards.element("ol", "results");
      for (const hit of shown.hits) {
        const entry = cards.element("li");
        entry.append(cards.hit(hit, strings, { folds: true, texts }));
        if (task.both?.includes(hit.key)) {
          entry.classList.add("in-both");
          entry.append(cards.element("p", "mark", strings.pair_both));
        }
        list.append(entry);
      }
      made.append(list);
    } else if (!shown.text) {
      made.append(cards.element("p", "nothing", strings.pair_nothing));
    }
    return made;
  };

  const draw = (task, ratings, strings, say) => {
    const made = cards.element("article", "pair");
    const sides = cards.element("div", "sides");
    sides.append(
      side(task.left ?? {}, strings.pair_left, task, strings),
      side(task.right ?? {}, strings.pair_right, task, strings),
    );
    made.append(
      sides,
      cards.choices(keys(task, strings), ratings, strings.pair_question, say),
      cards.note(ratings, strings.pair_reason, say),
    );
    return made;
  };

  return { draw, keys };
})();
