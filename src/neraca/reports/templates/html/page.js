"use strict";
(() => {
  const list = document.getElementById("list");
  const all = [...list.children];
  if (!all.length) return;
  const get = (id) => document.getElementById(id);
  const words = new Map();
  const textOf = (q) => {
    if (!words.has(q)) words.set(q, q.textContent.toLowerCase());
    return words.get(q);
  };
  const count = () => {
    const shown = all.filter((q) => !q.hidden).length;
    get("shown").textContent = `${shown} of ${all.length} questions`;
  };
  get("filter").addEventListener("input", (event) => {
    const asked = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const q of all) q.hidden = !asked.every((word) => textOf(q).includes(word));
    count();
  });
  get("order").addEventListener("change", (event) => {
    const key = event.target.value;
    const sign = key === "s" ? -1 : 1;
    const place = (q) => (q.dataset[key] === "" ? Infinity : sign * Number(q.dataset[key]));
    const sorted = [...all].sort((a, b) => {
      const [x, y] = [place(a), place(b)];
      return x === y ? a.dataset.n - b.dataset.n : x - y;
    });
    list.append(...sorted);
  });
  get("open").addEventListener("click", () => all.forEach((q) => { if (!q.hidden) q.open = true; }));
  get("close").addEventListener("click", () => all.forEach((q) => { q.open = false; }));
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
  document.querySelector(".tools").hidden = false;
  count();

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
