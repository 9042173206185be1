// Keeps the list of runs up to date while some are being asked: only what is shown changes, and ticks stay.
"use strict";
{
  const LONGEST = 3000;
  let pause = 400; // short computations show at once; longer ones are asked for less often
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
    pause = Math.min(pause * 1.5, LONGEST);
    if (again) setTimeout(renew, pause);
  };
  setTimeout(renew, pause);
}
