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

  const put = (task, on, value) => {
    const at = new Date().toISOString();
    const rating = { id: crypto.randomUUID?.() ?? `${at}-${Math.random()}`, task: task.id, on, value, at };
    newest.set(place(rating), rating);
    keep(rating, false);
    if (data.sync) {
      waiting.set(rating.id, rating);
      send();
    }
    tell();
  };
  const say = (task, on, value) => {
    undoable.push({ task, on, value: valueOf(task, on) });
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
      const { stored, refused = {} } = await reply.json();
      const settled = new Set([...stored, ...Object.keys(refused)]); // what is refused will be refused again
      for (const rating of part) {
        if (!settled.has(rating.id)) continue;
        waiting.delete(rating.id);
        if (newest.get(place(rating))?.id === rating.id) keep(rating, true);
      }
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
    if (which === "unrated" ? rated(task) : which && task.tags?.category !== which) return false;
    return !words || [task.query, task.text ?? ""].some((text) => text.toLowerCase().includes(words));
  };
  const filter = () => {
    const before = shown[current];
    shown = data.tasks.filter(matches);
    current = Math.max(0, shown.indexOf(before));
    draw();
    list();
  };

  const draw = () => {
    const task = shown[current];
    const card = find("card");
    card.replaceChildren();
    find("previous").disabled = !task || current === 0;
    find("next").disabled = !task || current >= shown.length - 1;
    if (!task) {
      card.append(cards.element("p", "nothing", strings.nothing_left));
      return;
    }
    if (task.before?.length) {
      const earlier = cards.element("details", "earlier");
      const asked = cards.element("ol");
      for (const query of task.before) asked.append(cards.element("li", "", query));
      earlier.append(cards.element("summary", "", strings.earlier), asked);
      card.append(earlier);
    }
    const head = cards.element("h2", "query", task.query);
    head.id = "query";
    head.tabIndex = -1;
    if (task.tags?.category) card.append(cards.element("p", "category", task.tags.category));
    card.append(head, kindOf(task).draw(task, said(task), strings, ({ on, value }) => spoken(task, on, value), data));
    const rows = rowsOf(task);
    const open = rows.findIndex((row) => valueOf(task, row.on) === null);
    mark(open < 0 ? rows.length - 1 : open, false);
  };
  const spoken = (task, on, value) => {
    say(task, on, value);
    const row = rowsOf(task).findIndex((one) => one.on === on);
    if (row >= 0) mark(row);
  };
  const mark = (row, scroll = true) => {
    active = row;
    const lines = [...find("card").querySelectorAll(".line")];
    lines.forEach((line, number) => line.classList.toggle("active", number === row));
    if (scroll) lines[row]?.scrollIntoView({ block: "nearest" });
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
    if (number < 0 || number >= shown.length) return;
    current = number;
    draw();
    find("query")?.focus({ preventScroll: true });
    find("card").scrollIntoView({ block: "start" });
  };
  const onward = () => {
    const open = shown.findIndex((task, number) => number > current && !rated(task));
    go(open < 0 ? current + 1 : open);
  };

  let done = 0;
  const tell = () => {
    done = data.tasks.filter(rated).length;
    find("progress").textContent = fill(strings.progress, { done, all: data.tasks.length });
    find("bar").value = done;
    const time = new Date().toLocaleTimeString(data.language);
    let words = newest.size ? fill(data.sync ? strings.saved_there : strings.saved, { time }) : "";
    if (waiting.size) words = fill(strings.waiting, { n: waiting.size });
    if (!keeps && !data.sync) words = strings.unsaved;
    if (done === data.tasks.length && !waiting.size) words = data.sync ? strings.done_there : `${words} ${strings.done}`;
    find("saved").textContent = words;
    find("saved").classList.toggle("warning", waiting.size > 0 || (!keeps && !data.sync));
  };

  // --- keys ------------------------------------------------------------------------------------------------------
  const press = (key) => {
    const task = shown[current];
    const rows = task ? rowsOf(task) : [];
    const choice = rows[active]?.choices.find((one) => one.key === key);
    if (!choice) return false;
    say(task, choice.on, choice.value);
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
  const undo = () => {
    const last = undoable.pop();
    if (!last) return;
    put(last.task, last.on, last.value);
    const number = shown.indexOf(last.task);
    if (number >= 0) current = number;
    draw();
    const row = rowsOf(last.task).findIndex((one) => one.on === last.on);
    if (row >= 0) mark(row);
  };
  const forwards = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const commands = {
    ArrowDown: () => mark(Math.min(active + 1, rowsOf(shown[current]).length - 1)),
    ArrowUp: () => mark(Math.max(active - 1, 0)),
    ArrowLeft: () => go(current + (forwards === "ArrowLeft" ? 1 : -1)),
    ArrowRight: () => go(current + (forwards === "ArrowRight" ? 1 : -1)),
    t: () => find("card").querySelector("textarea")?.focus(),
    u: undo,
    "?": () => find("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select");
    if (event.key === "Escape" && field) field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey || find("help").open) return;
    if (press(event.key) || (shown.length && commands[event.key]?.() !== undefined) || commands[event.key]) {
      event.preventDefault();
    }
  });

  // --- files -----------------------------------------------------------------------------------------------------
  const save = (name, text, type) => {
    if (!rater) {
      find("rater").focus();
      find("saved").textContent = strings.name_first;
      return;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `ratings-${rater.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.${name}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const asJson = () => JSON.stringify({ neraca: "ratings", v: 1, set: data.set, rater, ratings: [...newest.values()] });
  const COLUMNS = [
    "query_id", "question", "category", "results_count", "relevant_count", "first_relevant_rank", "overall_precision",
    "precision_at_5", "mrr", "success", "response_quality", "notes", "answer", "ratings",
  ];
  const rowOf = (task) => {
    const grades = (task.hits ?? []).map((hit) => valueOf(task, `hit:${hit.key}`));
    const [n, rest] = [grades.length, { query_id: task.number, question: task.query, answer: task.id }];
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
      ...rest, ...counted, category: task.tags?.category ?? "", results_count: n,
      response_quality: valueOf(task, "quality") ?? "",
      notes: [told, valueOf(task, "note")].filter(Boolean).join("; "),
      ratings: grades.map((grade) => grade ?? "").join(";"),
    };
  };
  const cell = (value) => {
    const words = String(value ?? "");
    const text = /^[=+\-@\t\r]/.test(words) ? `'${words}` : words;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const asCsv = () => {
    const rows = data.tasks.filter((task) => (task.kind ?? "answer") === "answer").map(rowOf);
    return `\uFEFF${[COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]
      .map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
  };

  // --- begin -----------------------------------------------------------------------------------------------------
  load();
  const categories = new Set(data.tasks.map((task) => task.tags?.category).filter(Boolean));
  for (const [value, label] of [["", strings.all], ["unrated", strings.unrated], ...[...categories].map((c) => [c, c])]) {
    const option = cards.element("option", "", label);
    option.value = value;
    find("show").append(option);
  }
  find("bar").max = data.tasks.length;
  find("rater").value = rater;
  find("rater").addEventListener("input", () => {
    rater = find("rater").value.trim();
    try {
      localStorage.setItem("neraca rater", rater);
    } catch {
      keeps = false;
    }
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
  draw();
  tell();
  send();
}
