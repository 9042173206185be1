// Which of all that a page shows is the answer to the last question.
const state = {};

// Forget the last question.  `texts`: what the page showed before, where it has been loaded anew since.  Returns what it
// shows now, without the last exchange: a page that is loaded anew for each question may show just that again.
function arm(query, input, options, texts) {
  const blocks = read(document.body, options.ignore, false);
  if (state.query && !texts) {
    state.echoing = state.echoing || state.echoed;
    state.mute = !state.echoing;  // a page that has shown no question so far shows none
  }
  if (state.root) state.make = make(state.root);
  const shows = texts || blocks.map((block) => block.text);
  const known = texts || without(shows, [...(state.answer || []), state.query]);
  const { last } = state;
  Object.assign(state, options, { asked: state.query, query: plain(query), input, last: [], answer: [] });
  Object.assign(state, { echoes: null, echoed: false, told: false });
  state.before = texts ? texts.map((text) => ({ text })) : blocks;
  state.standing = new Set(texts ? [] : blocks.map((block) => block.element));
  state.known = new Set(known);
  state.born = new WeakMap();
  state.looks = 0;
  state.place = input ? selectorOf(input) : '';
  state.growing = new WeakMap();
  state.sourced = new WeakSet(state.sources && !texts ? all(document.body, state.sources) : []);
  state.composer = look_of_composer();
  state.moving = moving();
  return texts || without(shows, [...(last || []), state.asked]);
}

function without(texts, left) {
  const kept = [...texts];
  for (const text of left) if (kept.includes(text)) kept.splice(kept.lastIndexOf(text), 1);
  return kept;
}

// A block is old when its element says what it said.  It is old as well when it says what another element said that has
// gone or says something else now, in the same place among those that are still there: a history that was written anew.
function mark(blocks) {
  const places = new Map();
  state.before.forEach((one, i) => one.element && !one.gone && places.set(one.element, [...(places.get(one.element) || []), i]));
  const kept = blocks.map(({ element, text }) => {
    const mine = places.get(element) || [];
    const at = mine.findIndex((i) => state.before[i].text === text);
    return at < 0 ? -1 : mine.splice(at, 1)[0];
  });
  const still = new Set(kept);
  const shown = new Set(blocks.map((block) => block.element));
  state.before.forEach((one, i) => {
    one.gone = one.gone || (!still.has(i) && (!one.element || shown.has(one.element) || !one.element.isConnected));
  });
  let after = -1;
  blocks.forEach((block, i) => {
    block.old = kept[i] >= 0;
    if (block.old) after = kept[i];
    if (block.old || state.last.some((old) => old.length > 2 && block.text.startsWith(old))) return;
    const next = kept.slice(i).find((place) => place >= 0) ?? state.before.length;
    const at = state.before.findIndex((one, j) => j > after && j < next && one.gone && !still.has(j) &&
      one.element !== block.element && one.text === block.text);
    if (at >= 0) block.old = Boolean(still.add(at));
  });
}

// The place of the question's echo among the blocks, or -1; every echo is marked.
function findEcho(blocks) {
  if (state.mute) return -1;
  const fresh = blocks.filter((block) => !block.old);
  const exact = fresh.filter((block) => block.text === state.query);
  const near = exact.length ? exact : fresh.filter((block) => block.text.includes(state.query) && block.text.length < state.query.length + LABEL);
  if (!state.echoes || !near.some((block) => state.echoes.has(block.element))) {
    const first = fresh.findIndex((block) => !near.includes(block));  // an answer may quote the question
    const ahead = first < 0 ? near : fresh.slice(0, first);
    state.echoes = new Set((ahead.length ? ahead : near.slice(0, 1)).map((block) => block.element));
  }
  let place = -1;
  blocks.forEach((block, i) => {
    block.echo = near.includes(block) && state.echoes.has(block.element);
    if (block.echo) place = i;
  });
  return place < 0 ? splitEcho(blocks) : place;
}

// A question of several paragraphs is several blocks.
function splitEcho(blocks) {
  for (let i = 0; i < blocks.length; i++) {
    if (blocks[i].old || !state.query.startsWith(blocks[i].text)) continue;
    for (let j = i + 1, text = blocks[i].text; j < blocks.length && text.length < state.query.length; j++) {
      text += ` ${blocks[j].text}`;
      if (text !== state.query) continue;
      for (const block of blocks.slice(i, j + 1)) block.echo = true;
      return j;
    }
  }
  return -1;
}

// The new blocks that may be of the answer: after the echo, or before it where a page puts the newest first.
function candidates(blocks) {
  const echo = findEcho(blocks);
  const place = composer();
  const free = blocks.filter((block) => !block.old && !block.echo && !closest(block.element, 'details') &&
    !(place && within(place, block.element)));
  const after = free.filter((block) => blocks.indexOf(block) > echo);
  return after.length ? after : free;
}

// Which blocks have become longer since the last look, and when each was seen first.
function grow(found) {
  state.looks++;
  const now = new Set(found.map((block) => block.text));
  const begun = state.last.filter((old) => !now.has(old)).map((old) => old.replace(CURSOR, '')).filter((old) => old.length > 2);
  for (const block of found) {
    if (!state.born.has(block.element)) state.born.set(block.element, state.looks);
    const start = begun.find((old) => block.text.startsWith(old));
    if (start && /\p{L}/u.test(block.text.slice(start.length))) state.growing.set(block.element, state.looks);
  }
  state.last = found.map((block) => block.text);
}

// What holds a block: the nearest element around it that is more than a paragraph, a line, or the frame of a table.
function holder(block, blocks) {
  let node = block.element;
  for (let up = parent(node); up && up.nodeType === 1 && up !== document.body; node = up, up = parent(up)) {
    if (blocks.some((other) => (other.old || other.echo) && within(up, other.element))) break;
    const framed = node !== block.element && /^(TR|PRE)$/.test(block.element.tagName) &&
      [...node.children].every((one) => !WRITTEN.has(one.tagName) || /^(TABLE|PRE)$/.test(one.tagName));
    if (!WRITTEN.has(node.tagName) && !framed && !(node === block.element && line(node, up))) break;
  }
  return node;
}

// Whether an element is one line of a text that has each line in an element of the same make.
function line(node, up) {
  return children(up).some((one) => one.nodeType === 1 && one !== node && plain(one.textContent) &&
    (one.tagName === node.tagName ? one.className === node.className : /^(P|UL|OL|PRE|TABLE)$/.test(one.tagName)));
}

// Whether two elements are made alike, and all around them up to what they have in common.
function alike(one, other) {
  for (; one !== other; [one, other] = [parent(one), parent(other)]) {
    if (!one || !other || one.nodeType !== 1 || one.tagName !== other.tagName) return false;
    const [few, many] = [[...one.classList], [...other.classList]].sort((a, b) => a.length - b.length);
    if (!few.length !== !many.length || !few.every((name) => many.includes(name))) return false;
  }
  return true;
}

const make = (element) => [element, parent(element)].map((one) => `${one.tagName} ${one.className}`).join(' < ');

// Whether a block looks like what stands around an answer: a name, a time, something to click, a passing notice.
function aside(block, echo) {
  const style = getComputedStyle(block.element);
  if (TIME.test(block.text) || state.standing.has(block.element) || style.userSelect === 'none') return true;
  if (block.text.length <= LABEL && state.known.has(block.text)) return true;
  if (style.cursor === 'pointer' && !closest(block.element, 'a')) return true;
  if (echo && parseFloat(style.fontSize) < 0.9 * Math.min(parseFloat(getComputedStyle(echo).fontSize), 16)) return true;
  for (let node = block.element; node && node.nodeType === 1; node = parent(node)) {
    if (getComputedStyle(node).position === 'fixed') return !(state.input && within(node, state.input)) && !(echo && within(node, echo));
  }
  return false;
}

// How much a block looks like the text of an answer.
function weight(block, echo, latest) {
  const held = block.holder;
  return Math.min(block.text.length, 400) + (/[.!?。！？؟۔:]["”»)\]]*$/.test(block.text) ? 100 : 0) +
    (WRITTEN.has(block.element.tagName) ? 50 : 0) + (held && make(held) === state.make ? 5000 : 0) +
    (latest && state.growing.get(block.element) === latest ? 2000 : 0) - (aside(block, echo) ? 1000 : 0) -
    (echo && state.born.get(block.element) <= state.born.get(echo) ? 100 : 0);
}

// The blocks that are held as the one is that looks most like an answer.
function gather(blocks, found) {
  const echo = (blocks.find((block) => block.echo) || {}).element;
  if (echo && !state.born.has(echo)) state.born.set(echo, state.looks);
  const latest = Math.max(0, ...found.map((block) => state.growing.get(block.element) || 0));
  for (const block of found) block.holder = holder(block, blocks);
  for (const block of found) block.weight = weight(block, echo, latest);
  const main = found.reduce((one, other) => (other.weight > one.weight ? other : one));
  const root = main.holder;
  const roots = new Set(found.map((block) => block.holder).filter((one) => alike(one, root)));
  const belongs = (block) => block === main || (!TIME.test(block.text) && (WRITTEN.has(block.element.tagName) ||
    roots.has(block.element) || alike(block.element, main.element) || block.text.length > LABEL));
  const taken = found.filter((block) => [...roots].some((one) => within(one, block.element)) && belongs(block));
  return { root, roots, blocks: taken.filter((block) => !listed(block, taken, roots)) };
}

// Whether a block is in a part of its own, below a heading that calls it the sources.
function listed(block, taken, roots) {
  return taken.some((head) => {
    const part = SOURCES.test(head.text) && parent(head.element);
    return part && within(part, block.element) && ![...roots].some((root) => within(part, root));
  });
}

// The blocks of an answer as they are written down for themselves: without the marks of a list that holds the chat.
function written(answer) {
  const lines = (block) => `${block.text}\n${block.lines.length}`;
  return [...answer.roots].flatMap((root) => read(root, state.ignore, state.links)
    .filter((block) => answer.blocks.some((one) => one.element === block.element && lines(one) === lines(block))));
}

function selected(blocks) {
  const roots = [...all(document.body, state.response)].filter((root) => shown(root) && blocks.some((block) => !block.old && !block.echo && within(root, block.element)));
  const root = roots[roots.length - 1];
  return root ? { root, roots: [root], blocks: blocks.filter((block) => within(root, block.element) && !closest(block.element, 'details')) } : null;
}

// What there is to see now.
function look() {
  const blocks = read(document.body, state.ignore, state.links);
  mark(blocks);
  const found = candidates(blocks);
  grow(found);
  const answer = state.response ? selected(blocks) : found.length ? gather(blocks, found) : null;
  state.root = answer && answer.root;
  state.answer = answer ? answer.blocks.map((block) => block.text) : [];
  const stop = stopping(), move = moving() > state.moving, composed = look_of_composer();
  state.echoed = blocks.some((block) => block.echo);
  state.told = state.told || state.echoed;
  return {
    text: answer ? written(answer).flatMap((block) => block.lines).join('\n') : '',
    echo: state.echoed,
    doubt: doubt(),
    stop,
    moving: move,
    composed: composed !== state.composer,
    gone: composed === 'gone',
    typed: state.input && state.input.isConnected ? typed(state.input) : '',
  };
}

// Why what looks like the answer may be none, or ''.
function doubt() {
  if (state.root && closest(state.root, '[role=alert]')) return 'the page shows it as an alert';
  return state.echoing && !state.told ? 'the page does not show the question as it did before' : '';
}

// The sources that have come with the answer: those of older ones may have been made anew, but stand before the question.
function sources() {
  if (!state.sources) return [];
  const echoes = [...(state.echoes || [])];
  const later = (one) => echoes.every((echo) => !(echo.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING));
  return [...all(document.body, state.sources)].filter((one) => !state.sourced.has(one) && later(one)).map((one) => {
    const anchor = one.matches('a[href]') ? one : one.querySelector('a[href]');
    return { text: plain(one.textContent), url: anchor && addressed(anchor) ? anchor.href : '' };
  }).filter((one) => one.text || one.url);
}

const typed = (input) => plain(input.value ?? input.textContent ?? '');

window.__neraca = { arm, typed, look, sources, inputs, sendButton, launcher, selectorOf, state,
  response: () => (state.root ? selectorOf(state.root) : ''),
  ready: (input) => input.isConnected && !input.disabled && shown(input) };
