// The rating page: one answer at a time, one key for each thing that is rated.
//
// It draws the tasks of the JSON block "ratings" and keeps what is said as ratings {id, task, on, value, at}: in this
// browser, and where the page has a `sync` address also there, in a queue that waits for the connection.  The newest
// rating on the same thing counts; one whose value is null takes it back.  A hit that recurs is rated once, but for tasks
// that come again ("ID~2") to see whether they are rated alike.
"use strict";
{
  const data = JSON.parse(document.getElementById("ratings").textContent);
  const strings = data.strings;
  const find = (id) => document.getElementById(id);
  const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  const kindOf = (task) => cards[task.kind ?? "answer"];
  const byId = new Map(data.tasks.map((task) => [task.id, task]));

  // --- what was said ---------------------------------------------------------------------------------------------
  const place = (rating) => (rating.on.startsWith("hit:") && !rating.task.includes("~") ? rating.on : `${rating.task} ${rating.on}`);
  const newest = new Map();
  const waiting = new Map();
  const undoable = [];
  let rater = data.sync?.rater ?? data.rater ?? "";
  let keeps = true;

  const prefix = () => `neraca ${data.set} ${data.sync?.rater ?? ""} `;
  const keep = (rating, sent) => {
    try {
      localStorage.setItem(prefix() + place(rating), JSON.stringify({ ...rating, sent }));
    } catch {
      keeps = false;
    }
    disk.put(prefix() + place(rating), { ...rating, sent });
  };
  const take = (rating) => {
    const known = newest.get(place(rating));
    if (!known || known.at <= rating.at) newest.set(place(rating), rating);
    return !known || known.at <= rating.at;
  };
  const load = () => {
    for (const rating of data.ratings ?? []) take(rating);
    try {
      for (let n = 0; n < localStorage.length; n += 1) {
        const key = localStorage.key(n);
        if (!key.startsWith(prefix())) continue;
        const { sent, ...rating } = JSON.parse(localStorage.getItem(key));
        if (rating.task && take(rating) && data.sync && !sent) waiting.set(rating.id, rating);
      }
      rater ||= localStorage.getItem("neraca rater") ?? "";
    } catch {
      keeps = false;
    }
    // What was saved before can be taken back, the last first; the values before it are not kept, so it is cleared.
    const saved = [...newest.values()].filter(({ task, value }) => value !== null && byId.has(task));
    undoable.push(...inOrder(saved).map(({ task, on }) => ({ task: byId.get(task), on, value: null })));
  };
  const inOrder = (ratings) => ratings.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  // Take what is on disk and newer than what the browser remembers, because it was killed before it wrote that down.
  const restore = async () => {
    const lost = (await disk.all(prefix())).filter((rating) => {
      const known = newest.get(place(rating));
      return !known || known.at < rating.at;
    });
    if (!lost.length) return;
    for (const { sent, ...rating } of inOrder(lost)) {
      take(rating);
      keep(rating, sent);
      if (data.sync && !sent) waiting.set(rating.id, rating);
      if (rating.value !== null && byId.has(rating.task)) undoable.push({ task: byId.get(rating.task), on: rating.on, value: null });
    }
    current = Math.max(0, shown.findIndex((task) => !rated(task)));
    draw();
    tell();
    list();
    send();
  };

  const said = (task) => {
    const found = {};
    const wanted = [...rowsOf(task).map((row) => row.on), "note"];
    for (const on of wanted) {
      const rating = newest.get(place({ task: task.id, on }));
      if (rating && rating.value !== null) found[on] = rating.value;
    }
    return found;
  };
  const valueOf = (task, on) => newest.get(place({ task: task.id, on }))?.value ?? null;

  // The quality that went with the results when it was said: task -> quality; and when it was asked about.
  const usualWhenSaid = new Map();
  const usualWhenAsked = new Map();
  const usual = (task) => kindOf(task).usual?.(task, said(task)) ?? null;

  const put = (task, on, value) => {
    const at = new Date().toISOString();
    const rating = { id: crypto.randomUUID?.() ?? `${at}-${Math.random()}`, task: task.id, on, value, at };
    newest.set(place(rating), rating);
    if (on === "quality") usualWhenSaid.set(task.id, usual(task));
    else if (on !== "note") usualWhenAsked.delete(task.id);
    keep(rating, false);
    if (data.sync) {
      waiting.set(rating.id, rating);
      send();
    }
    tell();
  };
  const say = (task, on, value) => {
    const before = valueOf(task, on);
    if (before !== value) undoable.push({ task, on, value: before }); // what changes nothing cannot be undone
    undone("");
    put(task, on, value);
  };

  // --- sending ---------------------------------------------------------------------------------------------------
  let sending = false;
  let pause = 1000;
  const send = async () => {
    if (sending || !waiting.size) return;
    sending = true;
    const part = [...waiting.values()].slice(0, 200);
    try {
      const reply = await fetch(data.sync.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ratings: part }),
      });
      if (!reply.ok) throw new Error(reply.status);
      const { stored, refused = {}, tasks = [] } = await reply.json();
      const settled = new Set([...stored, ...Object.keys(refused)]); // what is refused will be refused again
      for (const rating of part) {
        if (!settled.has(rating.id)) continue;
        waiting.delete(rating.id);
        if (newest.get(place(rating))?.id === rating.id) keep(rating, true);
      }
      add(tasks);
      pause = 1000;
    } catch {
      pause = Math.min(2 * pause, 15000);
    }
    sending = false;
    tell();
    if (waiting.size) setTimeout(send, pause);
  };

  // --- what is shown ---------------------------------------------------------------------------------------------
  const rowsOf = (task) => {
    const kind = kindOf(task);
    if (kind.rows) return kind.rows(task, strings, data);
    const choices = kind.keys(task, strings);
    return [{ on: choices[0].on, label: "", choices }];
  };
  const rated = (task) => rowsOf(task).every((row) => valueOf(task, row.on) !== null);

  let shown = data.tasks;
  let current = 0;
  let active = 0;

  const matches = (task) => {
    const words = find("search").value.trim().toLowerCase();
    const which = find("show").value;
    if (which === "unrated" && rated(task)) return false;
    const texts = [task.query, task.text, task.left?.text, task.right?.text, task.statement];
    return !words || texts.some((text) => text?.toLowerCase().includes(words));
  };
  // What comes next where that follows from what was said; whoever had come to the end goes on.
  const add = (tasks) => {
    const fresh = tasks.filter((task) => !byId.has(task.id));
    if (!fresh.length) return;
    const ended = shown.every(rated);
    for (const task of fresh) byId.set(task.id, task);
    data.tasks.push(...fresh);
    shown = data.tasks.filter((task) => matches(task) || task === shown[current]);
    find("next").disabled = current >= shown.length - 1;
    list();
    if (ended && !document.activeElement?.closest("textarea")) onward();
  };
  const filter = () => {
    const before = shown[current];
    shown = data.tasks.filter(matches);
    current = Math.max(0, shown.indexOf(before));
    draw();
    list();
  };

  // The earlier turns of a conversation; of a pair, each side has its own.
  const earlierOf = (task) => {
    const isPair = [task.left, task.right].some((side) => side?.replies?.length);
    return isPair ? [] : cards.earlier(task.before, task.replies, strings);
  };
  const draw = () => {
    const task = shown[current];
    const card = find("card");
    card.replaceChildren();
    find("previous").disabled = !task || current === 0;
    find("next").disabled = !task || current >= shown.length - 1;
    if (!task) {
      card.append(cards.element("p", "nothing", data.ask && !data.tasks.length ? strings.ask_first : strings.nothing_left));
      return;
    }
    card.append(...earlierOf(task));
    const head = cards.element("h2", "query", task.query);
    head.id = "query";
    head.tabIndex = -1;
    card.append(head, kindOf(task).draw(task, said(task), strings, ({ on, value }) => spoken(task, on, value), data));
    const rows = rowsOf(task);
    for (const line of card.querySelectorAll(".line")) {
      if (isFilled(task, line.dataset.on)) line.append(cards.element("p", "mark filled", strings.filled));
    }
    const open = rows.findIndex((row) => valueOf(task, row.on) === null);
    doubted = null;
    mark(open < 0 ? rows.length - 1 : open, false);
  };
  // Whether a result was rated in an earlier answer.
  const isFilled = (task, on) => {
    const rating = newest.get(place({ task: task.id, on }));
    return rating !== undefined && rating.value !== null && rating.task !== task.id;
  };
  // Why the quality of an answer no longer fits, because its results were graded after it was said; else "".
  const outdated = (task) => {
    const quality = newest.get(place({ task: task.id, on: "quality" }));
    const now = usual(task);
    if (now === null || !quality || quality.value === null || usualWhenSaid.get(task.id) === now) return "";
    const isLater = ({ on }) => (newest.get(place({ task: task.id, on }))?.at ?? "") > quality.at;
    if (!rowsOf(task).some(isLater)) return "";
    const { quality: value, ...others } = said(task);
    return kindOf(task).contradiction(task, { on: "quality", value }, others, strings, data);
  };
  // Ask about a quality that no longer fits, once for each change: where the rater reaches it, or leaves the answer.
  const isUnsettled = (task) => usualWhenAsked.get(task.id) !== usual(task) && outdated(task) !== "";
  const asksAgain = (task) => {
    if (!task || !isUnsettled(task)) return false;
    const why = outdated(task);
    usualWhenAsked.set(task.id, usual(task));
    askWhether({ task, on: "quality", value: valueOf(task, "quality"), isSaid: true }, why);
    return true;
  };
  // Say a rating; one that contradicts the others is asked about first, and Enter or the button keeps it.
  let doubted = null;
  const sayUnlessDoubted = (task, on, value) => {
    const ratings = said(task);
    if (on === "quality" && isUnsettled(task)) delete ratings.quality; // to say it again settles nothing
    const why = kindOf(task).contradiction?.(task, { on, value }, ratings, strings, data) ?? "";
    find("card").querySelector(".doubt")?.remove();
    doubted = null;
    if (!why) {
      say(task, on, value);
      return true;
    }
    if (on === "quality") usualWhenAsked.set(task.id, usual(task));
    askWhether({ task, on, value }, why);
    return false;
  };
  // Ask in the line of a rating whether it is right.  `isSaid`: whether it stands already.
  const askWhether = (rating, why) => {
    const { task, on, value } = rating;
    doubted = rating;
    find("card").querySelector(".doubt")?.remove();
    const row = rowsOf(task).findIndex((one) => one.on === on);
    const choice = rowsOf(task)[row].choices.find((one) => one.value === value);
    const asked = cards.element("div", "doubt");
    asked.setAttribute("role", "alert");
    const button = cards.element("button", "");
    button.type = "button";
    button.append(cards.element("kbd", "", "Enter"), cards.element("span", "", ` ${fill(strings.keep, { value: on === "empty" ? choice.label : value })}`));
    button.addEventListener("click", (event) => keepDoubted(event.detail === 0)); // 0: the click came from a key
    asked.append(cards.element("p", "", why), button);
    find("card").querySelectorAll(".line")[row].append(asked);
    mark(row);
    asked.scrollIntoView({ block: "nearest" });
  };
  // A key goes on to the next answer; a click or a tap stays, as it does for every other rating.
  const keepDoubted = (byKey) => {
    const { task, on, value } = doubted;
    doubted = null;
    say(task, on, value);
    if (byKey && rated(task)) onward();
    else draw();
  };
  const spoken = (task, on, value) => {
    if (!sayUnlessDoubted(task, on, value)) return;
    const row = rowsOf(task).findIndex((one) => one.on === on);
    if (row >= 0) mark(row);
  };
  const mark = (row, isMoved = true) => {
    active = row;
    const lines = [...find("card").querySelectorAll(".line")];
    lines.forEach((line, number) => line.classList.toggle("active", number === row));
    if (isMoved) lines[row]?.scrollIntoView({ block: "nearest" });
    if (isMoved && lines[row]?.dataset.on === "quality") asksAgain(shown[current]);
  };
  const list = () => {
    const items = find("list-items");
    items.replaceChildren();
    if (!find("list").open) return;
    for (const [number, task] of shown.slice(0, 300).entries()) {
      const entry = cards.element("li");
      const button = cards.element("button", rated(task) ? "rated" : "", `${task.number}. ${task.query}`);
      button.type = "button";
      button.addEventListener("click", () => go(number));
      entry.append(button);
      items.append(entry);
    }
    if (shown.length > 300) items.append(cards.element("li", "", fill(strings.more, { n: shown.length - 300 })));
  };
  const go = (number) => {
    if (number < 0 || number >= shown.length || (number !== current && asksAgain(shown[current]))) return;
    current = number;
    draw();
    find("query")?.focus({ preventScroll: true });
    find("card").scrollIntoView({ block: "start" });
    const line = find("card").querySelectorAll(".line")[active];
    if (find("card").querySelector(".filled")) line?.scrollIntoView({ block: "nearest" });
    if (line?.dataset.on === "quality") asksAgain(shown[current]);
  };
  const onward = () => {
    const open = shown.findIndex((task, number) => number > current && !rated(task));
    const doubtful = open < 0 ? shown.findIndex(isUnsettled) : -1; // by a result that it shares with another answer
    const next = open < 0 ? current + 1 : open;
    if (doubtful >= 0 && doubtful !== current) go(doubtful);
    else if (next < shown.length) go(next);
    else {
      draw(); // the last task stays, and shows what was said of it
      if (data.ask && !find("question").disabled) find("question").focus(); // what is typed next is a question, no rating
    }
  };

  let done = 0;
  const tell = () => {
    done = data.tasks.filter(rated).length;
    const words_of_kind = strings[`progress_${data.tasks[0]?.kind}`] ?? strings.progress;
    const all = Math.max(data.tasks.length, data.ask?.questions ?? 0);
    find("progress").textContent = fill(words_of_kind, { done, all });
    find("bar").max = all;
    if (data.ask) {
      const left = all - data.tasks.length;
      find("asked").textContent = left ? fill(strings.ask_left, { left }) : strings.ask_all;
      find("question").disabled = find("ask-now").disabled = !left;
    }
    find("bar").value = done;
    find("undo").disabled = !undoable.length;
    const time = new Date().toLocaleTimeString(data.language);
    let words = newest.size ? fill(data.sync ? strings.saved_there : strings.saved, { time }) : "";
    if (waiting.size) words = fill(strings.waiting, { n: waiting.size });
    if (!keeps && !data.sync) words = strings.unsaved;
    if (done === all && !waiting.size) words = data.sync ? strings.done_there : `${words} ${strings.done}`;
    find("saved").textContent = words;
    find("saved").classList.toggle("warning", waiting.size > 0 || (!keeps && !data.sync));
  };

  // --- questions of the rater's own --------------------------------------------------------------------------------
  const draft = () => `${prefix()}draft`;
  const ask = async (event) => {
    event.preventDefault();
    const field = find("question");
    if (!field.value.trim() || find("ask-now").disabled || asksAgain(shown[current])) return;
    field.dataset.id ||= crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`; // asked again it has the same name
    find("ask-now").disabled = true;
    find("asked").textContent = strings.ask_waiting;
    let why = "";
    try {
      const reply = await fetch(data.ask.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id: field.dataset.id, query: field.value }),
      });
      const { task, error } = await reply.json();
      if (task) {
        field.value = "";
        delete field.dataset.id;
        localStorage.removeItem(draft());
        if (!byId.has(task.id)) {
          byId.set(task.id, task);
          data.tasks.push(task);
          data.searched ||= Boolean(task.hits?.length);
        }
        filter();
        go(shown.findIndex((one) => one.id === task.id));
      } else why = error;
    } catch (error) {
      why = error.message;
    }
    find("ask-now").disabled = false;
    tell();
    if (why) find("asked").textContent = fill(strings.ask_failed, { why });
  };
  const begin_asking = () => {
    const field = find("question");
    try {
      field.value = localStorage.getItem(draft()) ?? "";
    } catch {
      keeps = false;
    }
    field.addEventListener("input", () => {
      delete field.dataset.id;
      localStorage.setItem(draft(), field.value);
    });
    find("ask").addEventListener("submit", ask);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) ask(event);
    });
  };

  // --- keys ------------------------------------------------------------------------------------------------------
  const press = (key) => {
    const task = shown[current];
    const rows = task ? rowsOf(task) : [];
    const choice = rows[active]?.choices.find((one) => one.key === key);
    if (!choice) return false;
    if (!sayUnlessDoubted(task, choice.on, choice.value)) return true;
    const last = active === rows.length - 1;
    if (last && rated(task)) onward();
    else {
      const from = active;
      const open = rows.findIndex((row, number) => number > from && valueOf(task, row.on) === null);
      draw();
      mark(open < 0 ? Math.min(from + 1, rows.length - 1) : open);
    }
    return true;
  };
  // The words of a rating: what was rated, and how.
  const inWords = (task, on, value) => {
    if (on === "note") return `${strings.note}: ${value.length > 60 ? `${value.slice(0, 60)} …` : value}`;
    const row = rowsOf(task).find((one) => one.on === on);
    const words = row?.choices.find((one) => one.value === value)?.label || String(value);
    return row?.label ? `${row.label}: ${words}` : words;
  };
  // Say in the card what was taken back, beside the line that it is about, with a button to take back more.
  const undone = (words, row = -1) => {
    find("card").querySelector(".undone")?.remove();
    if (!words) return;
    const told = cards.element("div", "undone");
    const text = cards.element("p", "", words);
    text.setAttribute("role", "alert");
    told.append(text);
    if (undoable.length) {
      const more = cards.element("button", "", strings.undo);
      more.type = "button";
      more.addEventListener("click", undo);
      told.append(more);
    }
    const line = find("card").querySelectorAll(".line")[row];
    if (line) line.append(told);
    else find("card").prepend(told);
    told.scrollIntoView({ block: "nearest" });
  };
  // Take back one thing: a rating that was doubted and not yet kept, or else what was said last.
  const undo = () => {
    if (doubted && !doubted.isSaid) {
      const { task, on, value } = doubted;
      const row = active;
      draw();
      mark(row);
      undone(fill(strings.undone, { what: inWords(task, on, value) }), row);
      return;
    }
    const last = undoable.pop();
    if (!last) {
      undone(strings.undone_all);
      return;
    }
    const { task, on, value } = last;
    const before = valueOf(task, on);
    put(task, on, value);
    if (!shown.includes(task)) {
      find("search").value = find("show").value = ""; // it would stay out of sight
      shown = data.tasks.filter(matches);
      list();
    }
    current = shown.indexOf(task);
    draw();
    const row = rowsOf(task).findIndex((one) => one.on === on);
    if (row >= 0) mark(row);
    const now = value === null ? "" : inWords(task, on, value);
    const what = before === null ? "" : inWords(task, on, before);
    const words = !what ? strings.undone_back : now ? strings.undone_again : strings.undone;
    undone(fill(words, { what, now }), row);
  };
  const clear = () => {
    const task = shown[current];
    const row = active;
    const { on } = rowsOf(task)[row];
    if (valueOf(task, on) === null) return;
    say(task, on, null);
    draw();
    mark(row);
  };
  const forwards = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const commands = {
    Enter: () => doubted && keepDoubted(true),
    ArrowDown: () => mark(Math.min(active + 1, rowsOf(shown[current]).length - 1)),
    ArrowUp: () => mark(Math.max(active - 1, 0)),
    ArrowLeft: () => go(current + (forwards === "ArrowLeft" ? 1 : -1)),
    ArrowRight: () => go(current + (forwards === "ArrowRight" ? 1 : -1)),
    t: () => find("card").querySelector("textarea")?.focus(),
    u: undo,
    Backspace: clear,
    Delete: clear,
    "?": () => find("help").showModal(),
  };
  // The key as on a Latin keyboard: an Arabic one has other letters and digits in the same places.
  const keyOf = (event) =>
    /^[ -~]/.test(event.key) || !event.code ? event.key : event.code.replace(/^(Key|Digit|Numpad)/, "").toLowerCase();
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select");
    if (event.key === "Escape" && field) field.blur();
    if (field || (event.key === "Enter" && (!doubted || event.target.closest("button, summary, a")))) return;
    if (event.ctrlKey || event.metaKey || event.altKey || find("help").open) return;
    const key = keyOf(event);
    if (press(key) || (shown.length && commands[key]?.() !== undefined) || commands[key]) event.preventDefault();
  });

  // --- files -----------------------------------------------------------------------------------------------------
  const save = (name, text, type) => {
    if (asksAgain(shown[current])) return;
    if (!rater) {
      find("rater").focus();
      find("saved").textContent = strings.name_first;
      return;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    const kind = { pair: "pairs", review: "reviews" }[data.tasks[0]?.kind] ?? "ratings"; // three kinds of files, three names
    link.download = `${kind}-${rater.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.${name}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const withWords = (values) => values.map(([value, words]) => (words ? `${value}=${words}` : value)).join(";");
  const scale = withWords(data.scale); // of its own; "": the usual one
  const isUsual = data.grades.length === 2 && !data.grades.some(([, words]) => words);
  const grades = isUsual ? "" : withWords(data.grades);
  const asJson = () => JSON.stringify({ neraca: "ratings", v: 1, set: data.set, runs: data.runs, scale, grades, rater, ratings: [...newest.values()] });
  const ratedAt = (task) => [...newest.values()].filter((one) => one.task === task.id).map((one) => one.at).sort().at(-1);
  const whose = () => ({ rater, runs: data.runs.join(" "), top_grade: data.grades.at(-1)[0], grades, scale });
  const asCsv = () => tableOfRatings(data.tasks, valueOf, ratedAt, whose());

  // --- begin -----------------------------------------------------------------------------------------------------
  load();
  for (const [value, label] of [["", strings.all], ["unrated", strings.unrated]]) {
    const option = cards.element("option", "", label);
    option.value = value;
    find("show").append(option);
  }
  find("rater").value = rater;
  find("rater").addEventListener("input", () => {
    rater = find("rater").value.trim();
    try {
      localStorage.setItem("neraca rater", rater);
    } catch {
      keeps = false;
    }
  });
  find("rater").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) event.target.blur(); // the next keys are ratings
  });
  find("search").addEventListener("input", filter);
  find("show").addEventListener("change", filter);
  find("list").addEventListener("toggle", list);
  find("previous").addEventListener("click", () => go(current - 1));
  find("next").addEventListener("click", () => go(current + 1));
  find("undo").addEventListener("click", undo);
  find("keys").addEventListener("click", () => find("help").showModal());
  find("close").addEventListener("click", () => find("help").close());
  find("csv")?.addEventListener("click", () => save("csv", asCsv(), "text/csv"));
  find("json")?.addEventListener("click", () => save("json", asJson(), "application/json"));
  addEventListener("online", send);
  addEventListener("beforeunload", (event) => {
    if (waiting.size || (!keeps && newest.size && !data.sync)) event.preventDefault();
  });
  current = Math.max(0, shown.findIndex((task) => !rated(task)));
  if (find("guideline")) find("guideline").open = matchMedia("(min-width: 75rem)").matches;
  if (data.ask) begin_asking();
  draw();
  if (shown[current] && rated(shown[current])) asksAgain(shown[current]);
  tell();
  send();
  restore();
}
