// Read a page as blocks.  A *block* is a visible run of text with only inline elements in it: {text, lines, element}.
// `text` is for comparing blocks; `lines` is their Markdown: list marks, table bars, links.
const UNSEEN = 'script,style,noscript,template,svg,input,textarea,select,option,button,summary,canvas,audio,video,[role=button],' +
  '[role=toolbar],[role=menu],[role=menuitem],[role=tooltip],[role=progressbar],[aria-hidden=true],dialog:not([open])';
const BUTTON = 'button,[role=button],input[type=submit],input[type=button]';
const EDITABLE = 'textarea,input:not([type]),input[type=text],input[type=search],[contenteditable=true],[contenteditable=""],' +
  '[contenteditable="plaintext-only"],[role=textbox]';
const WRITTEN = new Set('P LI UL OL H1 H2 H3 H4 H5 H6 PRE CODE TABLE THEAD TBODY TR TD TH BLOCKQUOTE DT DD DL FIGURE FIGCAPTION'.split(' '));
const TIME = new RegExp('^([^·•|]{1,24}[·•|] ?)?(\\d{1,2}[:.]\\d{2}([:.]\\d{2})?( ?[ap]\\.?m\\.?)?|(just )?now|today|yesterday|' +
  '\\d+ ?(s|sec|seconds?|min|minutes?) ago)$', 'i');
const LABEL = 40;

// ---- the tree, including open shadow roots and slots
function children(node) {
  const assigned = node.tagName === 'SLOT' ? node.assignedNodes() : [];
  return node.shadowRoot ? [...node.shadowRoot.childNodes] : assigned.length ? assigned : [...node.childNodes];
}
function parent(node) {
  const up = node.assignedSlot || node.parentNode;
  return up instanceof ShadowRoot ? up.host : up;
}
function closest(node, selector) {
  while (node && node.nodeType === 1 && !node.matches(selector)) node = parent(node);
  return node && node.nodeType === 1 ? node : null;
}
function within(outer, inner) {
  while (inner && inner !== outer) inner = parent(inner);
  return Boolean(inner);
}
function* all(root, selector) {
  for (const node of children(root).filter((one) => one.nodeType === 1)) {
    if (node.matches(selector)) yield node;
    yield* all(node, selector);
  }
}
const plain = (text) => text.replace(/[\s\u00a0\u200b\u200c\ufeff]+/g, ' ').trim();
const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

// ---- blocks
function hidden(element, style) {
  if (style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') return true;
  if (/hidden|clip/.test(style.overflowY) && !style.display.startsWith('inline') && element.offsetHeight <= 1) return true;
  const dot = element.offsetWidth <= 1 && element.offsetHeight <= 1 && style.overflow === 'hidden';
  return /absolute|fixed/.test(style.position) && (dot || style.clip === 'rect(0px, 0px, 0px, 0px)' || style.clipPath === 'inset(50%)');
}

// Return whether a link leads to another page.
const addressed = (anchor) => /^(https?|mailto|ftp):/.test(anchor.href || '') && !anchor.getAttribute('href').startsWith('#');

function linked(anchor, text) {
  const same = [anchor.href, anchor.getAttribute('href'), anchor.href.replace(/\/$/, ''), anchor.href.replace('mailto:', '')];
  return !addressed(anchor) || !text || same.includes(text) ? text : `[${text}](${anchor.href})`;
}

function marked(item) {
  const list = item.parentNode, items = [...list.children].filter((one) => one.tagName === 'LI');
  return list.tagName === 'OL' ? `${item.value || (list.start || 1) + items.indexOf(item)}. ` : '- ';
}

function tabled(table, links) {
  const rows = [...table.rows].map((element) => ({ element, cells: [...element.cells].map((cell) => read(cell, links)) }));
  return rows.filter(({ cells }) => cells.some((cell) => cell.length)).map(({ element, cells }, i) => {
    const line = `| ${cells.map((cell) => cell.flatMap((block) => block.lines).join(' ')).join(' | ')} |`;
    return { element, text: joined(cells.flat()), lines: i ? [line] : [line, `|${' --- |'.repeat(cells.length)}`] };
  });
}

function coded(element) {
  const text = element.textContent.replace(/\s+$/, '');
  return plain(text) ? [{ text: plain(text), element, lines: ['```', ...text.split('\n'), '```'] }] : [];
}

// Return whether an element is the mark of a citation, such as [1]; a power, such as m², is none.
function cites(element) {
  const text = /^(A|SUP|SPAN|CITE|BUTTON|MARK)$/.test(element.tagName) ? plain(element.textContent) : '';
  if (/^(\[\d{1,3}\]|【\d.*】)+$/.test(text)) return true;
  return /^\d{1,3}$/.test(text) && (element.matches('sup:has(a)') || /cit(e|ation)|footnote|source|\bref\b/i.test(element.className));
}

const joined = (blocks) => blocks.map((block) => block.text).join(' ');

// Return the blocks of an element; `blocks.input` is the number of blocks before the input for questions.
function read(root, links = state.links) {
  const blocks = [];
  let owner = null, text = '', written = '', first = '', rest = '';  // state of the current block; prefixes of its lines
  const flush = () => {
    const lines = written.split('\n').map(plain).filter(Boolean).map((line, i) => (i ? rest : first) + line);
    if (plain(text)) blocks.push({ text: plain(text), element: owner, lines });
    [first, text, written, owner] = [plain(text) ? rest : first, '', '', null];
  };
  const add = (more, lines, from) => {
    if (plain(more) || text) [text, written, owner] = [text + more, written + lines, owner || from];
  };
  const walk = (node, from, style) => {
    const kept = /^(pre|break-spaces)/.test(style.whiteSpace);
    for (const child of children(node)) {
      if (child.nodeType === 3) add(child.data, kept ? child.data : child.data.replace(/\n/g, ' '), from);
      else if (child.nodeType === 1) enter(child, from, child.tagName);
    }
  };
  const inline = (element, from, style) => {
    if (cites(element)) return;
    const small = parseFloat(style.fontSize) < parseFloat(getComputedStyle(from).fontSize);
    if (small && (element.tagName === 'TIME' || TIME.test(plain(element.textContent)))) return;
    if (element.tagName !== 'A' || !links) return walk(element, from, style);
    const inner = joined(read(element, false));
    add(inner, linked(element, inner), from);
  };
  const enter = (element, from, tag) => {
    if (element === state.input) blocks.input = blocks.length;
    if (tag === 'BR') return add(' ', '\n', from);
    if (element.matches(UNSEEN) || element === state.input || (state.ignore && element.matches(state.ignore))) return;
    const style = getComputedStyle(element);
    if (hidden(element, style) || (tag === 'DETAILS' && !element.open)) return;
    if (style.display === 'contents') return walk(element, from, style);
    const code = tag === 'PRE' || (tag === 'CODE' && style.whiteSpace.startsWith('pre') && element.textContent.trim().includes('\n'));
    if (!code && style.display.startsWith('inline')) return inline(element, from, style);
    flush();
    if (code || tag === 'TABLE') return blocks.push(...(code ? coded(element) : tabled(element, links)));
    const before = [first, rest];
    if (tag === 'LI') [first, rest] = [rest + marked(element), `${rest}  `];
    walk(element, element, style);
    flush();
    [first, rest] = [tag === 'LI' || first === rest ? before[1] : before[0], before[1]];
  };
  walk(root, root, getComputedStyle(root));
  flush();
  return blocks;
}
