// Keeps the list of runs up to date while some are being asked: only what is shown changes, and ticks stay.
"use strict";
{
  const PAUSE = 3000;
  const renew = async () => {
    const shown = document.getElementById("live");
    let again = true;
    if (!shown.contains(document.activeElement) && !document.hidden) {
      try {
        const reply = await fetch(location.href);
        const page = new DOMParser().parseFromString(await reply.text(), "text/html");
        const fresh = page.getElementById("live");
        const ticked = new Set([...shown.querySelectorAll("input:checked")].map((box) => box.value));
        for (const box of fresh.querySelectorAll("input")) box.checked = ticked.has(box.value);
        document.getElementById("news").textContent = page.getElementById("news")?.textContent ?? "";
        shown.replaceWith(fresh);
        again = page.getElementById("news") !== null;
      } catch {
        again = true; // the server is away; it may come back
      }
    }
    if (again) setTimeout(renew, PAUSE);
  };
  setTimeout(renew, PAUSE);
}
