// Keys and a drawer for the table of questions; without this script each question is a link to a page of its own.
"use strict";
{
  const drawer = document.getElementById("drawer");
  const links = () => [...document.querySelectorAll(".matrix a.open")];
  let current = -1;
  let opened = "";

  const rowOf = (link) => link.closest("tr");
  const mark = (place) => {
    const all = links();
    if (!all.length) return;
    current = Math.min(Math.max(place, 0), all.length - 1);
    for (const link of all) rowOf(link).classList.toggle("now", link === all[current]);
    rowOf(all[current]).scrollIntoView({ block: "nearest" });
    if (drawer.open) show(all[current]);
    else all[current].focus({ preventScroll: true });
  };

  const show = async (link) => {
    opened = link.href;
    try {
      const reply = await fetch(link.href);
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      if (opened !== link.href) return; // another question was opened in the meantime
      const close = document.createElement("button");
      close.type = "button";
      close.textContent = "Close";
      close.className = "close";
      close.addEventListener("click", hide);
      const whole = document.createElement("a");
      whole.href = link.href;
      whole.textContent = "Page of this question";
      const bar = document.createElement("p");
      bar.className = "drawer-bar";
      bar.append(close, whole);
      const title = document.createElement("h2");
      title.tabIndex = -1;
      title.dir = "auto";
      title.textContent = page.querySelector("h1").textContent;
      drawer.replaceChildren(bar, title, ...page.getElementById("main").childNodes);
      if (!drawer.open) drawer.show();
      document.body.classList.add("beside");
      drawer.scrollTop = 0;
      title.focus({ preventScroll: true });
    } catch {
      location.href = link.href; // the server may be away; its page says so
    }
  };
  const hide = () => {
    opened = "";
    drawer.close();
    document.body.classList.remove("beside");
    links()[current]?.focus();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
    if (event.key === "Escape" && drawer.open) hide();
    else if (typing) return;
    else if (event.key === "j") mark(current + 1);
    else if (event.key === "k") mark(current - 1);
    else if (event.key === "/") document.querySelector("#find input[type=search]").focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const row = event.target.closest(".matrix tbody tr");
    const link = row?.querySelector("a.open");
    if (!link || (event.target.closest("a") && !event.target.closest("a.open"))) return;
    event.preventDefault();
    current = links().indexOf(link);
    for (const each of links()) rowOf(each).classList.toggle("now", each === link);
    show(link);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("select") && event.target.form?.id === "find") event.target.form.requestSubmit();
  });
}
