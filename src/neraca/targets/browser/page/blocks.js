// What a page shows, as blocks.  A *block* is a visible run of text with nothing but inline elements in it: {text, lines,
// element}.  `text` is what blocks are compared by; `lines` is how it is written down: list marks, table bars, links.
const UNSEEN = 'script,style,noscript,template,svg,input,textarea,select,option,button,summary,canvas,audio,video,' +
  '[role=button],[role=toolbar],[role=menu],[role=menuitem],[role=tooltip],[role=progressbar],[aria-hidden=true],' +
  'dialog:not([open])';
const BUTTON = 'button,[role=button],input[type=submit],input[type=button]';
const EDITABLE = 'textarea,input:not([type]),input[type=text],input[type=search],[contenteditable=true],' +
  '[contenteditable=""],[contenteditable="plaintext-only"],[role=textbox]';
const WRITTEN = new Set(['P', 'LI', 'UL', 'OL', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'PRE', 'CODE', 'TABLE', 'THEAD', 'TBODY',
  'TR', 'TD', 'TH', 'BLOCKQUOTE', 'DT', 'DD', 'DL', 'FIGURE', 'FIGCAPTION']);
const CURSOR = /[\s▌▍▎█▋●⬤⚫■|_.…]+$/u;
const TIME = /^(\d{1,2}[:.]\d{2}([:.]\d{2})?( ?[ap]\.?m\.?)?|(just )?now|today|yesterday|\d+ ?(s|sec|seconds?|min|minutes?) ago)$/i;
const SOURCES = new RegExp('^(sources?|references?|citations?|fuentes?|referencias|citas|sumber|referensi|quellen|المصادر|المراجع)' +
  '( ?\\(?\\d+\\)?)?:?$', 'i');
const LABEL = 40;

// ---- the tree, through open shadow roots and slots
const children = (node) => {
  if (node.shadowRoot) return [...node.shadowRoot.childNodes];
  const assigned = node.tagName === 'SLOT' ? node.assignedNodes() : [];
  return assigned.length ? assigned : [...node.childNodes];
};
const parent = (node) => {
  const up = node.assignedSlot || node.parentNode;
  return up instanceof ShadowRoot ? up.host : up;
};
const within = (outer, inner) => {
  for (let node = inner; node; node = parent(node)) if (node === outer) return true;
  return false;
};
const closest = (node, selector) => {
  for (; node && node.nodeType === 1; node = parent(node)) if (node.matches(selector)) return node;
  return null;
};
function* all(root, selector) {
  for (const node of children(root)) {
    if (node.nodeType !== 1) continue;
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
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  return style.clip === 'rect(0px, 0px, 0px, 0px)' || style.clipPath === 'inset(50%)' ||
    (element.offsetWidth <= 1 && element.offsetHeight <= 1 && style.overflow === 'hidden');
}

// Whether a link leads elsewhere.
const addressed = (anchor) => /^(https?|mailto|ftp):/.test(anchor.href || '') && !anchor.getAttribute('href').startsWith('#');

function linked(anchor, text) {
  const url = anchor.href || '';
  if (!addressed(anchor) || !text) return text;
  const same = [url, anchor.getAttribute('href')].includes(text) || `${text}/` === url || `mailto:${text}` === url;
  return same ? text : `[${text}](${url})`;
}

class Reader {
  constructor(ignore, links) {
    this.ignore = ignore;
    this.links = links;
    this.blocks = [];
    this.text = this.written = this.first = this.rest = '';
    this.owner = null;
  }

  flush() {
    const text = plain(this.text);
    if (text) {
      const lines = this.written.split('\n').map(plain).filter(Boolean);
      this.blocks.push({ text, element: this.owner, lines: lines.map((line, i) => (i ? this.rest : this.first) + line) });
      this.first = this.rest;
    }
    this.text = this.written = '';
    this.owner = null;
  }

  add(text, written, owner) {
    if (!plain(text) && !this.text) return;
    if (!this.owner) this.owner = owner;
    this.text += text;
    this.written += written;
  }

  walk(node, owner, style) {
    for (const child of children(node)) {
      if (child.nodeType === 3) {
        const kept = style.whiteSpace.startsWith('pre') || style.whiteSpace === 'break-spaces';
        this.add(child.data, kept ? child.data : child.data.replace(/\n/g, ' '), owner);
      } else if (child.nodeType === 1) this.element(child, owner);
    }
  }

  element(element, owner) {
    if (element.tagName === 'BR') return this.add(' ', '\n', owner);
    if (element.matches(UNSEEN) || element === state.input || (this.ignore && element.matches(this.ignore))) return;
    const style = getComputedStyle(element);
    if (hidden(element, style) || (element.tagName === 'DETAILS' && !element.open)) return;
    if (style.display === 'contents') return this.walk(element, owner, style);
    const code = element.tagName === 'CODE' && style.whiteSpace.startsWith('pre') && element.textContent.trim().includes('\n');
    if (code || element.tagName === 'PRE') return this.code(element);
    if (style.display.startsWith('inline')) return this.inline(element, owner, style);
    this.flush();
    const { first, rest } = this;
    if (element.tagName === 'TABLE') this.table(element);
    else {
      if (element.tagName === 'LI') this.item(element);
      this.walk(element, element, style);
      this.flush();
      if (element.tagName === 'LI') Object.assign(this, { first: rest, rest });
      else this.first = this.first === this.rest ? rest : first;
      this.rest = rest;
    }
  }

  inline(element, owner, style) {
    if ((element.tagName === 'TIME' || TIME.test(plain(element.textContent))) && parseFloat(style.fontSize) < parseFloat(getComputedStyle(owner).fontSize)) return;
    if (element.tagName !== 'A' || !this.links) return this.walk(element, owner, style);
    const inner = new Reader(this.ignore, false);
    inner.walk(element, element, style);
    inner.flush();
    const text = inner.blocks.map((block) => block.text).join(' ');
    this.add(text, linked(element, text), owner);
  }

  item(element) {
    const list = element.parentNode;
    const ordered = list && list.tagName === 'OL';
    const before = ordered ? [...list.children].filter((one) => one.tagName === 'LI').indexOf(element) : 0;
    const mark = ordered ? `${element.value || (list.start || 1) + before}. ` : '- ';
    this.first = this.rest + mark;
    this.rest += '  ';
  }

  table(element) {
    let ruled = false;
    for (const row of element.rows) {
      const cells = [...row.cells].map((cell) => {
        const inner = new Reader(this.ignore, this.links);
        inner.walk(cell, cell, getComputedStyle(cell));
        inner.flush();
        return [inner.blocks.map((block) => block.text).join(' '), inner.blocks.flatMap((block) => block.lines).join(' ')];
      });
      const text = plain(cells.map(([text]) => text).join(' '));
      if (!text) continue;
      const lines = [`| ${cells.map(([, line]) => line).join(' | ')} |`];
      if (!ruled) lines.push(`|${' --- |'.repeat(cells.length)}`);
      ruled = true;
      this.blocks.push({ text, element: row, lines });
    }
  }

  code(element) {
    this.flush();
    const text = element.textContent.replace(/\s+$/, '');
    if (plain(text)) this.blocks.push({ text: plain(text), element, lines: ['```', ...text.split('\n'), '```'] });
  }
}

function read(root, ignore, links) {
  const reader = new Reader(ignore, links);
  reader.walk(root, root, getComputedStyle(root));
  reader.flush();
  return reader.blocks;
}
