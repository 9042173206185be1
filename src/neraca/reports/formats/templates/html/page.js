"use strict";
(() => {
  const list = document.getElementById("list");
  const all = [...list?.children ?? []];
  if (!all.length) return;
  const get = (id) => document.getElementById(id);
  const place = new Map(all.map((q, n) => [q, n]));

  // Where a report has many answers, what stands below a question is packed, some questions together.
  const packed = [...document.querySelectorAll("script[type='application/gzip']")];
  const unpacked = new Map();
  const unpack = (n) => {
    if (!unpacked.has(n)) {
      const bytes = Uint8Array.from(atob(packed[n].textContent), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      unpacked.set(n, new Response(stream).json());
    }
    return unpacked.get(n);
  };
  const below = async (q) => {
    const size = Number(list.dataset.size);
    return (await unpack(Math.floor(place.get(q) / size)))[place.get(q) % size];
  };
  const fill = async (q) => {
    if (!packed.length || q.children.length > 1) return;
    const html = await below(q);
    if (q.children.length === 1) q.insertAdjacentHTML("beforeend", html);
  };
  list.addEventListener("toggle", (event) => { if (event.target.open) fill(event.target); }, true);

  // The letters of packed answers that HTML writes in another way.
  const LETTERS = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'" };
  const textOf = (html) => html.replace(/<[^>]*>/g, " ").replace(/&(?:amp|lt|gt|#34|#39);/g, (written) => LETTERS[written]);
  const words = new Map();
  const read = async () => {
    for (const q of all) {
      if (words.has(q)) continue;
      const more = packed.length && q.children.length === 1 ? textOf(await below(q)) : "";
      words.set(q, `${q.textContent} ${more}`.toLowerCase());
    }
  };

  // The first of many are shown, until somebody asks for all.
  const FEW = 40;
  const FIRST = 20;
  let every = all.length <= FEW;
  let order = all;
  const chosen = () => ({
    text: get("filter").value.toLowerCase().split(/\s+/).filter(Boolean),
    tags: [...document.querySelectorAll(".tools [data-tag]")].filter((one) => one.value),
    outcome: get("outcome")?.value ?? "",
    best: get("best")?.value ?? "",
  });
  const fits = (q, { text, tags, outcome, best }) =>
    text.every((word) => words.get(q).includes(word)) &&
    tags.every((one) => JSON.parse(q.dataset.t ?? "[]").some(([name, value]) => name === one.dataset.tag && value === one.value)) &&
    (!outcome || (q.dataset.o ?? "").split("|").includes(outcome)) &&
    (!best || q.dataset.b === best);
  const show = async () => {
    if (chosen().text.length) await read();
    const asked = chosen();  // it may have changed while the answers were read
    let found = 0;
    let shown = 0;
    for (const q of order) {
      const fit = fits(q, asked);
      found += fit;
      q.hidden = !fit || (!every && shown >= FIRST);
      shown += !q.hidden;
    }
    get("more").hidden = shown === found;
    get("more").textContent = SAID[0].replace("{found}", found);
    get("shown").textContent = SAID[1].replace("{shown}", shown).replace("{all}", shown < found ? found : all.length);
  };
  const sort = () => {
    const key = get("order").value;
    const sign = key === "s" ? -1 : 1;
    const rank = (q) => (q.dataset[key] === "" ? Infinity : sign * Number(q.dataset[key]));
    order = [...all].sort((a, b) => (rank(a) === rank(b) ? a.dataset.n - b.dataset.n : rank(a) - rank(b)));
    list.append(...order);
  };

  // What is chosen stands in the address, so that it can be sent to somebody.
  const fields = () => [...document.querySelectorAll(".tools input, .tools select")];
  const nameOf = (field) => (field.dataset.tag ? `tag.${field.dataset.tag}` : field.id);
  const keep = () => {
    const kept = fields().filter((field) => field.value && !(field.id === "order" && field.value === "n"));
    const link = new URLSearchParams(kept.map((field) => [nameOf(field), field.value]));
    history.replaceState(null, "", kept.length ? `#?${link}` : location.pathname + location.search);
  };
  const changed = () => { sort(); show(); keep(); };
  const goTo = () => {
    if (location.hash.startsWith("#?")) {
      const link = new URLSearchParams(location.hash.slice(2));
      for (const field of fields()) field.value = link.get(nameOf(field)) ?? (field.id === "order" ? "n" : "");
      sort();
      show();
      get("questions").scrollIntoView();
    } else if (all.some((q) => `#${q.id}` === location.hash)) {
      const q = get(location.hash.slice(1));
      q.hidden = false;
      q.open = true;
      q.scrollIntoView();
    }
  };

  for (const field of fields()) field.addEventListener(field.id === "filter" ? "input" : "change", changed);
  get("more").addEventListener("click", () => { every = true; show(); });
  get("open").addEventListener("click", () => all.forEach((q) => { if (!q.hidden) q.open = true; }));
  get("close").addEventListener("click", () => all.forEach((q) => { q.open = false; }));
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
  document.querySelector(".tools").hidden = false;
  addEventListener("hashchange", goTo);
  show().then(goTo);

  // Paper cannot be clicked: questions on which the runs differ most are opened for printing.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all.filter((q) => "m" in q.dataset && !q.hidden && !q.open);
    opened.forEach((q) => { q.open = true; });
  });
  addEventListener("afterprint", () => {
    opened.forEach((q) => { q.open = false; });
    opened = [];
  });
})();
