// Find the answer to the last question on a page: the new text after the echo, which is the question as the page repeats it.
const state = { answer: [] };
const SOURCES = /^(sources?|references?|citations?|fuentes?|referencias|citas|sumber|referensi|quellen|المصادر|المراجع)( ?\(?\d+\)?)?:?$/i;
const NOTICE = /\b(offline|reconnect|connection|went wrong|try(ing)? again|too many|rate limit|unavailable|sin conexi|error)/i;
const make = (element) => [element, parent(element)].filter((one) => one && one.tagName).map((one) => `${one.tagName} ${one.className}`).join(' < ');
const seat = (element) => `${element.tagName} ${[...(parent(element) || element).children].indexOf(element)}`;
const shape = (text) => text.replace(/\d+/g, '#');
const label = (block) => block.text.length <= LABEL && !WRITTEN.has(block.element.tagName);

// Prepare for a question.  `learned`: knowledge from earlier answers; `texts`: the texts before a reload, if the page has
// been reloaded since.  Return the page's texts without the last exchange, which a reloaded page may show again.
function arm(query, input, options, learned, texts) {
  const last = [...state.answer, state.query], sets = { echoes: new Set(), grown: new Map(), met: new Set(), looks: 0 };
  Object.assign(state, options, sets, { query: plain(query), input, learned, shown: null, answer: [], place: input ? selectorOf(input) : '' });
  const blocks = texts ? texts.map((text) => ({ text })) : read(document.body), left = blocks.map((block) => block.text);
  state.standing = new Set(blocks.map((block) => block.element));
  state.sourced = new Set(state.sources && !texts ? all(document.body, state.sources) : []);
  Object.assign(state, { before: blocks, composed: composed(), moving: moving(), previous: state.last });
  for (const text of texts ? [] : last) if (left.includes(text)) left.splice(left.lastIndexOf(text), 1);
  return left;
}

// Mark old blocks: the best common subsequence of the earlier and the present blocks, in which later blocks weigh more.
function mark(blocks) {
  const says = new Map();
  for (const { element, text } of blocks) says.set(element, [...(says.get(element) || []), text]);
  state.before = state.before.filter(({ element, text }) => !says.has(element) || says.get(element).includes(text));
  const { before } = state, best = Array.from({ length: before.length + 1 }, () => new Float64Array(blocks.length + 1));
  const same = (i, j) => (before[i].text !== blocks[j].text ? 0 : (before[i].element === blocks[j].element ? 2 : 1) * 1.5 ** i);
  const both = (i, j) => same(i, j) && same(i, j) + best[i + 1][j + 1];
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = blocks.length - 1; j >= 0; j--) best[i][j] = Math.max(both(i, j), best[i + 1][j], best[i][j + 1]);
  }
  for (let i = 0, j = 0; i < before.length && j < blocks.length;) {
    if (same(i, j) && both(i, j) === best[i][j]) blocks[j++].old = Boolean(++i); else if (best[i][j] === best[i + 1][j]) i++; else j++;
  }
  for (const block of blocks) block.old ||= before.some((one) => one.element === block.element && one.text === block.text);
}

// Mark the echo of the question: verbatim, in several blocks, or with a name or a time; an answer may quote it, too.
function echoed(fresh) {
  const near = fresh.flatMap((_, i) => {
    let { text } = fresh[i], j = i;
    while (state.query.startsWith(text) && text.length < state.query.length && ++j < fresh.length) text += ` ${fresh[j].text}`;
    return text === state.query ? fresh.slice(i, j + 1) : [];
  });
  if (!near.length) near.push(...fresh.filter(({ text }) => text.includes(state.query) && text.length < state.query.length + LABEL));
  const first = fresh.findIndex((block) => !near.includes(block)), known = near.filter((block) => state.echoes.has(block.element));
  const ahead = near.includes(fresh[fresh.length - 1]) ? near : first ? fresh.slice(0, first) : near.slice(0, 1);
  for (const block of known.length ? known : ahead) block.echo = Boolean(state.echoes.add(block.element));
  return fresh.filter((block) => block.echo);
}

// Return the new blocks that may belong to the answer: those between the last echo with anything after it and the input.
// If the first answer is above its echo, in one element with it, the page lists the newest exchange first.
function candidates(blocks) {
  const fresh = blocks.filter((block) => !block.old), echoes = state.learned.order === 'none' ? [] : echoed(fresh), place = composer();
  const free = fresh.filter((block) => !block.echo && !closest(block.element, 'details') && !within(place || state, block.element) &&
    !floats(block.element));
  for (const echo of [...echoes].reverse()) {
    const at = blocks.indexOf(echo), end = blocks.input > at ? blocks.input : Infinity;
    const after = free.filter((block) => blocks.indexOf(block) > at && blocks.indexOf(block) < end);
    if (after.length) return after;
  }
  if (!echoes.length || state.learned.order === 'above') return free;
  let box = echoes[0].element;
  while (parent(box) !== document.body && !blocks.some((block) => block.old && within(parent(box), block.element))) box = parent(box);
  return state.learned.order ? [] : free.filter((block) => within(box, block.element));
}

// Return whether an element floats over the page, apart from the chat.
function floats(node) {
  while (node && node.nodeType === 1 && getComputedStyle(node).position !== 'fixed') node = parent(node);
  return node && node.nodeType === 1 && ![state.input, ...state.echoes].some((one) => within(node, one));
}

// Return the container of a block: the nearest ancestor that is more than a paragraph, a line, or the frame of a table.
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

// Return whether an element is one line of a text whose lines are elements of the same kind.
const line = (node, up) => [...up.children].some((one) => one !== node && plain(one.textContent) &&
  (one.tagName === node.tagName ? one.className === node.className : /^(P|UL|OL|PRE|TABLE)$/.test(one.tagName)));

// Return whether two elements, and their ancestors up to a common one, have the same tags and compatible classes.
function alike(one, other) {
  if (!one || !other || one.nodeType !== 1 || one.tagName !== other.tagName) return false;
  const [few, many] = [[...one.classList], [...other.classList]].sort((a, b) => a.length - b.length);
  return one === other || (!few.length === !many.length && few.every((name) => many.includes(name)) && alike(parent(one), parent(other)));
}

// Return whether a block is furniture around answers: a time, a clickable or unselectable text, small print, a name at the
// position of a name beside the echo, or a text that was beside an answer before.
function aside(block, blocks) {
  const style = getComputedStyle(block.element), echo = blocks.findLast((one) => one.echo);
  if (label(block) && state.learned.edges.includes(shape(block.text))) return Boolean(state.met.add(shape(block.text)));
  if (TIME.test(block.text) || state.standing.has(block.element) || style.userSelect === 'none') return true;
  if (style.cursor === 'pointer' && !closest(block.element, 'a')) return true;
  const beside = blocks.filter((one) => echo && !one.old && !one.echo && one.element !== block.element &&
    parent(one.element) === parent(echo.element));
  if (label(block) && beside.some((one) => seat(one.element) === seat(block.element))) return true;
  return echo && parseFloat(style.fontSize) < 0.9 * Math.min(parseFloat(getComputedStyle(echo.element).fontSize), 16);
}

// Return the blocks in containers like that of the most likely answer block.  Blocks rank higher in a container of earlier
// answers, if they are not furniture or a usual question about the answer, grew last, are long, and are sentences or
// paragraphs.
function gather(blocks, found) {
  const latest = Math.max(1, ...found.map((block) => block.grew));
  for (const block of found) {
    Object.assign(block, { holder: holder(block, blocks), aside: aside(block, blocks) });
    block.rank = [state.learned.makes.includes(make(block.holder)), !block.aside && !usual(block), block.grew === latest].reduce((sum, it) => 2 * sum + it, 0) *
      1e6 + Math.min(block.text.length, 400) + (/[.!?。！？؟۔:]["”»)\]]*$/.test(block.text) ? 100 : 0) + (WRITTEN.has(block.element.tagName) ? 50 : 0);
  }
  const main = found.reduce((one, other) => (other.rank > one.rank ? other : one)), root = main.holder;
  const roots = [...new Set(found.map((block) => block.holder).filter((one) => alike(one, root)))];
  const held = (block) => !block.aside && (roots.includes(block.element) || roots.includes(block.holder));
  const taken = found.filter((block) => roots.some((one) => within(one, block.element)) && (block === main ||
    (!TIME.test(block.text) && (!label(block) || held(block)))));
  const listed = (block) => taken.some((head) => {  // in a section of its own, under a heading such as Sources
    const part = SOURCES.test(head.text) && parent(head.element);
    return part && within(part, block.element) && !roots.some((one) => within(part, one));
  });
  return { root, roots, blocks: taken.filter((block) => !listed(block)) };
}

// Return the blocks in the elements that the settings name: all that hold new text after the question, else the last.
function selected(blocks, found) {
  const named = [...all(document.body, state.response)].filter(shown), holding = (some) => named.filter((one) => some.some((block) =>
    within(one, block.element)));
  const later = holding(found), roots = outermost(later.length ? later : holding(blocks.filter((block) => !block.old && !block.echo)).slice(-1));
  return roots.length ? { root: roots[roots.length - 1], roots, blocks: blocks.filter((block) => !closest(block.element, 'details') &&
    roots.some((one) => within(one, block.element))) } : null;
}

const outermost = (elements) => elements.filter((one) => !elements.some((other) => other !== one && within(other, one)));

// Return a selector that, of what is new after the question, matches the containers of the answer and nothing else, or ''.
function selectorFor(roots, echo) {
  const after = (one) => !echo || state.learned.order === 'above' || echo.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const fits = (selector) => {
    const matches = outermost([...all(document.body, selector)].filter((one) => shown(one) && plain(one.textContent) && after(one) &&
      ![...state.standing].some((old) => within(one, old))));
    return matches.length === roots.length && roots.every((root) => matches.includes(root));
  };
  const [root] = roots, whole = root.tagName.toLowerCase() + [...root.classList].map((name) => `.${CSS.escape(name)}`).join('');
  return [selectorOf(root), whole].find(fits) || '';
}

// Return the lines of the blocks for which `taken` is true, without the marks of a list that contains the chat.
const written = (roots, taken) => roots.flatMap((one) => read(one)).filter(taken).flatMap((block) => block.lines).join('\n');

// Return the present state of the page.
function look() {
  const blocks = read(document.body);
  mark(blocks);
  const found = candidates(blocks), echo = blocks.findLast((block) => block.echo), now = composed();
  state.looks++;
  for (const block of found) {
    const [before, when] = state.grown.get(block.element) || ['', 0], start = before.replace(/[\s▌▍▎█▋●⬤⚫■|_.…]+$/u, '');
    block.grew = start && before !== block.text && block.text.startsWith(start) ? state.looks : when;
    state.grown.set(block.element, [block.text, block.grew]);
  }
  const answer = state.response ? selected(blocks, found) : found.length ? gather(blocks, found) : null;
  if (answer) Object.assign(answer, { whole: answer.blocks, blocks: unfurnished(answer) });
  Object.assign(state, { shown: answer, answer: answer ? answer.blocks.map((block) => block.text) : [] });
  const notice = blocks.find((block) => !block.old && !block.echo && block.text.length < 200 && !state.answer.includes(block.text) &&
    (closest(block.element, '[role=alert]') || NOTICE.test(block.text)));
  const text = answer ? written(answer.roots, (block) => answer.blocks.some((one) => one.element === block.element && one.text === block.text)) : '';
  return { text, echo: Boolean(echo), doubt: answer ? doubt(blocks, answer, echo) : '', notice: notice ? notice.text : '', stop: stops(),
    moving: [...moving()].some((one) => !state.moving.has(one)), composed: now !== state.composed, gone: now === 'gone',
    typed: state.input && state.input.isConnected ? typed(state.input) : '', lost: window.__neracaLost || 0, edited: edited(blocks) };
}

// Return why the candidate may not be the answer, or ''.
function doubt(blocks, { root, roots, blocks: [first, ...rest] }, echo) {
  const { order, makes } = state.learned, edge = [first, rest[rest.length - 1]].find((block) => roots.length > 1 && block && block.holder !== root &&
    label(block));
  if (closest(root, '[role=alert]')) return 'the page shows it as an alert';
  if (/above|below/.test(order) && !echo) return 'the page does not show the question, as it did before';
  if (makes.length && ![root, parent(root)].some((one) => makes.includes(make(one))) && !state.response) return 'it is in another place than earlier answers';
  if (!order && echo && blocks.indexOf(first) < blocks.indexOf(echo)) return 'it is above its question';
  return edge && !order ? `${edge.text} may not belong to it` : '';
}

// Finish an answer.  Return its sources, its selector and what is learned, to which a `sure` answer adds: the order of
// question and answer, the containers of answers, and short texts beside them, which are furniture if they come again.
function finish(sure) {
  const { learned, shown: answer, echoes } = state, echo = [...echoes].pop(), { root, roots, blocks } = answer;
  const besides = new Set(roots.flatMap((one) => read(one)).map((block) => block.text).filter((text) => !state.answer.includes(text)));
  state.last = { roots, blocks, besides, query: state.query };
  state.last.text = again(state.last);
  const above = echo && echo.compareDocumentPosition(blocks[0].element) & Node.DOCUMENT_POSITION_PRECEDING;
  const parts = blocks.filter((block) => block.holder && block.holder !== root && label(block)), union = (...lists) => [...new Set(lists.flat())];
  const taught = { order: !echo ? 'none' : above ? 'above' : 'below', makes: union(learned.makes, make(root), make(parent(root))),
    edges: union(learned.edges, parts.map((block) => shape(block.text))), furniture: union(learned.furniture, [...state.met]),
    tails: [...learned.tails, ...tails(answer)].slice(-60) };
  return { learned: sure ? taught : learned, sources: sources(), response: state.response || selectorFor(roots, echo) };
}

const again = ({ roots, besides }) => written(roots, ({ text }) => !besides.has(text) && !TIME.test(text) &&
  !state.learned.furniture.includes(shape(text)));

// Return the present text of the previous answer; null if it has not changed or is gone.
function edited(blocks) {
  const { previous } = state;
  if (!previous || state.learned.order === 'none') return null;
  const whole = previous.blocks.every((one) => blocks.some((block) => block.text === one.text));
  if (previous.roots.every((root) => root.isConnected)) {
    const now = again(previous);
    return now !== previous.text && (!whole || now.startsWith(previous.text)) ? now : null;
  }
  const from = blocks.findLastIndex((block) => !block.echo && block.text === previous.query);
  const rest = blocks.slice(from + 1, Math.max(from + 1, blocks.findIndex((block) => block.echo)));
  return whole || from < 0 || !rest.length ? null : rest.flatMap((block) => block.lines).join('\n');
}

// Return the sources that came with the answer; sources of older answers, even if rendered again, precede the question.
function sources() {
  const later = (one) => [...state.echoes].every((echo) => !(echo.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING));
  const found = state.sources ? [...all(document.body, state.sources)].filter((one) => !state.sourced.has(one) && later(one)) : [];
  return found.map((one) => {
    const anchor = one.matches('a[href]') ? one : one.querySelector('a[href]');
    return { text: plain(one.textContent), url: anchor && addressed(anchor) ? anchor.href : '' };
  }).filter((one) => one.text || one.url);
}

const typed = (input) => plain(input.value ?? input.textContent ?? '');
const ready = (input) => input.isConnected && !input.disabled && shown(input);
window.__neraca = { arm, typed, look, finish, inputs, sendButton, dismiss, launcher, launched, selectorOf, state, ready };
