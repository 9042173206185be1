// What a page shows, as blocks.  A *block* is a visible run of text with nothing but inline elements in it: {text, lines,
// element}.  `text` is what blocks are compared by; `lines` is how it is written down: list marks, table bars, links.
const UNSEEN = 'script,style,noscript,template,svg,input,textarea,select,option,button,summary,canvas,audio,video,[role=button],' +
  '[role=toolbar],[role=menu],[role=menuitem],[role=tooltip],[role=progressbar],[aria-hidden=true],dialog:not([open])';
const BUTTON = 'button,[role=button],input[type=submit],input[type=button]';
const EDITABLE = 'textarea,input:not([type]),input[type=text],input[type=search],[contenteditable=true],[contenteditable=""],' +
  '[contenteditable="plaintext-only"],[role=textbox]';
const WRITTEN = new Set('P LI UL OL H1 H2 H3 H4 H5 H6 PRE CODE TABLE THEAD TBODY TR TD TH BLOCKQUOTE DT DD DL FIGURE FIGCAPTION'.split(' '));
const TIME = new RegExp('^([^·•|]{1,24}[·•|] ?)?(\\d{1,2}[:.]\\d{2}([:.]\\d{2})?( ?[ap]\\.?m\\.?)?|(just )?now|today|yesterday|' +
  '\\d+ ?(s|sec|seconds?|min|minutes?) ago)$', 'i');
const LABEL = 40;

// ---- the tree, through open shadow roots and slots
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

// Whether a link leads elsewhere.
const addressed = (anchor) => /^(https?|mailto|ftp):/.test(anchor.href || '') && !anchor.getAttribute('href').startsWith('#');

function linked(anchor, text) {
  const same = [anchor.href, anchor.getAttribute('href'), anchor.href.replace(/\/$/, ''), anchor.href.replace('mailto:', '')];
  return !addressed(anchor) || !text || same.includes(text) ? text : `[${text}](${anchor.href})`;
}

class Reader {
  constructor(ignore, links) {
    Object.assign(this, { ignore, links, blocks: [], owner: null, text: '', written: '', first: '', rest: '' });
  }

  flush() {
    const text = plain(this.text), lines = this.written.split('\n').map(plain).filter(Boolean);
    if (text) {
      this.blocks.push({ text, element: this.owner, lines: lines.map((line, i) => (i ? this.rest : this.first) + line) });
      this.first = this.rest;
    }
    Object.assign(this, { text: '', written: '', owner: null });
  }

  add(text, written, owner) {
    if (!plain(text) && !this.text) return;
    Object.assign(this, { text: this.text + text, written: this.written + written, owner: this.owner || owner });
  }

  walk(node, owner, style) {
    const kept = /^(pre|break-spaces)/.test(style.whiteSpace);
    for (const child of children(node)) {
      if (child.nodeType === 3) this.add(child.data, kept ? child.data : child.data.replace(/\n/g, ' '), owner);
      else if (child.nodeType === 1) this.element(child, owner);
    }
  }

  // The blocks of a part, read for itself.
  within(element) {
    const inner = new Reader(this.ignore, this.links && element.tagName !== 'A');
    inner.walk(element, element, getComputedStyle(element));
    inner.flush();
    return inner.blocks;
  }

  element(element, owner) {
    if (element === state.input) this.blocks.input = this.blocks.length;
    if (element.tagName === 'BR') return this.add(' ', '\n', owner);
    if (element.matches(UNSEEN) || element === state.input || (this.ignore && element.matches(this.ignore))) return;
    const style = getComputedStyle(element);
    if (hidden(element, style) || (element.tagName === 'DETAILS' && !element.open)) return;
    if (style.display === 'contents') return this.walk(element, owner, style);
    const code = element.tagName === 'CODE' && style.whiteSpace.startsWith('pre') && element.textContent.trim().includes('\n');
    if (!code && element.tagName !== 'PRE' && style.display.startsWith('inline')) return this.inline(element, owner, style);
    this.flush();
    if (code || element.tagName === 'PRE') return this.code(element);
    if (element.tagName === 'TABLE') return this.table(element);
    const { first, rest } = this;
    if (element.tagName === 'LI') this.item(element);
    this.walk(element, element, style);
    this.flush();
    Object.assign(this, { first: element.tagName === 'LI' || this.first === this.rest ? rest : first, rest });
  }

  inline(element, owner, style) {
    const small = parseFloat(style.fontSize) < parseFloat(getComputedStyle(owner).fontSize);
    if (small && (element.tagName === 'TIME' || TIME.test(plain(element.textContent)))) return;
    if (element.tagName !== 'A' || !this.links) return this.walk(element, owner, style);
    const text = this.within(element).map((block) => block.text).join(' ');
    this.add(text, linked(element, text), owner);
  }

  item(element) {
    const list = element.parentNode, items = [...list.children].filter((one) => one.tagName === 'LI');
    this.first = this.rest + (list.tagName === 'OL' ? `${element.value || (list.start || 1) + items.indexOf(element)}. ` : '- ');
    this.rest += '  ';
  }

  table(element) {
    let bars = 0;
    for (const row of element.rows) {
      const cells = [...row.cells].map((cell) => this.within(cell)), text = plain(cells.flat().map((block) => block.text).join(' '));
      if (!text) continue;
      const lines = [`| ${cells.map((cell) => cell.flatMap((block) => block.lines).join(' ')).join(' | ')} |`];
      if (!bars++) lines.push(`|${' --- |'.repeat(cells.length)}`);
      this.blocks.push({ text, element: row, lines });
    }
  }

  code(element) {
    const text = element.textContent.replace(/\s+$/, '');
    if (plain(text)) this.blocks.push({ text: plain(text), element, lines: ['```', ...text.split('\n'), '```'] });
  }
}

const read = (root) => new Reader(state.ignore, state.links).within(root);
