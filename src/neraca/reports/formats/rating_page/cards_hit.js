// A hit as raters see it: its text and its fields.  Words of systems become text, never markup; a link is made of an
// http address alone, and nothing is loaded before it is clicked.
"use strict";
globalThis.cards ??= {};

cards.element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) {
    made.textContent = text;
    made.dir = "auto";
  }
  return made;
};

cards.address = (value) => {
  try {
    const url = new URL(value);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : "";
  } catch {
    return "";
  }
};

// Whether a number of this field is an amount, whose digits are read in groups: a price, or five digits or more of what
// is no id, no code, no telephone number and no time.
const PRICES = /price|cost|rent|fee|salary|harga|biaya|sewa|tarif|gaji|precio|coste|costo|alquiler|salario|prix|preço|سعر/i;
const NAMES = /(^|[^a-z])(id|no|nr|num|ref|key|sku|isbn|zip|tel|hp|wa|lat|lng|lon)s?($|[^a-z])|[a-z](Id|ID|No)$|number|nomor|número|numero|code|kode|código|codigo|postal|phone|telp|telepon|teléfono|telefono|year|tahun|año|time|date|waktu|tanggal|fecha|hora|created|updated|رقم|هاتف/;
cards.isAmount = (name, value) => PRICES.test(name) || (Math.abs(value) >= 10000 && !NAMES.test(name));
const amounts = () => new Intl.NumberFormat(document.documentElement.lang || "en", { maximumFractionDigits: 20 });

// The value of a field: a link if it is an address; with `number`, which writes numbers, a number in groups of digits.
cards.value = (value, strings, number) => {
  if (value === null) return cards.element("span", "nothing", strings.not_stated);
  if (typeof value === "boolean") return cards.element("span", "", value ? strings.yes : strings.no);
  if (typeof value === "number" && number) return cards.element("span", "", number(value));
  const plain = Array.isArray(value) && value.every((one) => typeof one !== "object");
  const words = typeof value === "string" ? value : plain ? value.join(", ") : JSON.stringify(value);
  const address = typeof value === "string" ? cards.address(value) : "";
  if (!address) return cards.element("span", "", words);
  const link = cards.element("a", "", words);
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
};

// A text of which the style shows the first lines, and a button for all of it if it is longer than that.
cards.folded = (text, strings) => {
  const button = cards.element("button", "show-all", strings.show_all);
  button.type = "button";
  button.hidden = true;
  text.classList.add("folded");
  const sized = new ResizeObserver(() => {
    button.hidden = text.scrollHeight <= text.clientHeight + 1;
  });
  sized.observe(text);
  button.addEventListener("click", () => {
    sized.disconnect();
    text.classList.remove("folded");
    button.remove();
  });
  return [text, button];
};

// The earlier questions of a conversation, each with the answer of the same system where it is known; the last ones are
// in sight, because a question may mean nothing without them.  Long answers are folded.
// before: [question]; replies: the answers to these, as an array; several if equal answers ended several conversations
cards.earlier = (before = [], replies = [], strings) => {
  if (!before.length) return [];
  const first = Math.max(0, before.length - 3);
  const turn = (query, answers, place) => {
    const made = cards.element("li", "", answers ? undefined : query);
    if (!answers) return made;
    const reply = answers[place] ? cards.element("p", "reply", answers[place]) : cards.element("p", "reply nothing", strings.nothing);
    made.append(cards.element("p", "asked", query), ...cards.folded(reply, strings));
    return made;
  };
  const listed = (answers, start, end) => {
    const asked = cards.element("ol");
    asked.start = start + 1;
    for (let place = start; place < end; place += 1) asked.append(turn(before[place], answers, place));
    return asked;
  };
  const conversations = replies.length ? replies : [undefined];
  return conversations.map((answers, number) => {
    const part = cards.element("section", "earlier");
    part.append(cards.element("p", "mark", number ? strings.earlier_too : answers ? strings.earlier_turns : strings.earlier));
    if (first) {
      const folded = cards.element("details");
      folded.append(cards.element("summary", "", `1 – ${first}`), listed(answers, 0, first));
      part.append(folded);
    }
    part.append(listed(answers, first, before.length));
    return part;
  });
};

// hit: {key, text, fields}; folds: whether a long text and all but the first few fields are folded;
// texts: whether hits beside this one have a text, so that one without says so; numbers: name of a field -> how its
// number is written, if another way than that of its kind
cards.hit = (hit, strings, { folds = false, texts = false, numbers = () => undefined } = {}) => {
  const made = cards.element("div", "hit");
  const more = folds && strings.more_fields;
  const text = hit.text?.trim() ? cards.element("p", "hit-text", hit.text) : null;
  if (text) made.append(...(folds ? cards.folded(text, strings) : [text]));
  else if (texts || !Object.keys(hit.fields ?? {}).length) made.append(cards.element("p", "nothing", strings.no_text));
  const fields = Object.entries(hit.fields ?? {});
  const table = (some) => {
    const list = cards.element("dl", "fields");
    for (const [name, value] of some) {
      const given = cards.element("dd");
      const amount = typeof value === "number" && cards.isAmount(name, value) ? amounts().format : undefined;
      given.append(cards.value(value, strings, numbers(name) ?? amount));
      const term = cards.element("dt"); // takes the direction of the page, so that its colon stands beside the value
      term.append(cards.element("bdi", "", name));
      list.append(term, given);
    }
    return list;
  };
  const few = more && fields.length > 6 ? 5 : fields.length;
  if (fields.length) made.append(table(fields.slice(0, few)));
  if (few < fields.length) {
    const rest = cards.element("details");
    rest.append(cards.element("summary", "", more.replace("{n}", fields.length - few)), table(fields.slice(few)));
    made.append(rest);
  }
  return made;
};

// The key for a whole number up to 10: its digit, or x for ten; "" for other numbers, which have only a button.
cards.keyOf = (value) => (Number.isInteger(value) && value >= 0 && value < 10 ? String(value) : value === 10 ? "x" : "");

// A button for each choice, the one that was chosen pressed.  choices: [{key, on, value, label}]
cards.choices = (choices, ratings, name, say) => {
  const group = cards.element("div", choices.length > 6 ? "choices many" : "choices");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", name);
  for (const { key, on, value, label } of choices) {
    const button = cards.element("button", "choice");
    button.type = "button";
    button.setAttribute("aria-pressed", String(ratings[on] === value));
    if (key) button.append(cards.element("kbd", "", key));
    if (label) button.append(cards.element("span", "", label));
    button.addEventListener("click", () => {
      for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
      say({ on, value });
    });
    group.append(button);
  }
  return group;
};

// A field for words.  They are said when typing pauses and when the field is left, so that none are lost.
cards.note = (ratings, label, say) => {
  const made = cards.element("label", "note");
  const field = cards.element("textarea");
  let timer = 0;
  let said = ratings.note ?? "";
  field.rows = 2;
  field.maxLength = 10000; // a server takes no longer ones
  field.dir = "auto";
  field.value = said;
  const tell = () => {
    clearTimeout(timer);
    if (field.value === said) return;
    said = field.value;
    say({ on: "note", value: said || null });
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(tell, 400);
  });
  field.addEventListener("change", tell);
  made.append(cards.element("span", "", label), field);
  return made;
};
