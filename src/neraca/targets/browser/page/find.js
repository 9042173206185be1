// Find the input for questions and the button that sends them.
const words = (element) => [element.placeholder, element.getAttribute('aria-label'), element.name, element.id, element.title,
  element.dataset.placeholder, element.dataset.testid, element.getAttribute('aria-placeholder'),
  ...[...(element.labels || [])].map((label) => label.textContent)].filter(Boolean).join(' ').toLowerCase();
const disabled = (element) => element.disabled || element.getAttribute('aria-disabled') === 'true';
const ASKS = /mess?a[gj]|ask|question|chat|prompt|type|pregunt|escrib|consulta|tanya|pertanyaan|pesan|query|سؤال|اكتب|رسالة/;

// Return whether a field belongs to a search of the site.
function searches(element) {
  const form = element.form, action = form ? form.getAttribute('action') || '' : '';
  return element.type === 'search' || Boolean(closest(element, '[role=search],search')) || element.getAttribute('role') === 'searchbox' ||
    /search|buscar|busca\b|recherche|suche|cerca\b|zoek|szukaj|поиск|cari\b|\/s\b/i.test(action) ||
    Boolean(form && action && form.method === 'get' && /^(q|s|query|search|buscar|keyword)$/i.test(element.name));
}

function selectorOf(element) {
  const steps = [];
  for (let node = element; node && node.nodeType === 1 && node !== document.body && steps.length < 4; node = parent(node)) {
    const classes = [...node.classList].filter((name) => /^[a-z][a-z_-]{2,}$/i.test(name) && !/^(css|svelte|sc|jsx)-/.test(name));
    const named = node.id && !/\d/.test(node.id);
    steps.unshift(named ? `#${CSS.escape(node.id)}` : node.dataset.testid ? `[data-testid=${JSON.stringify(node.dataset.testid)}]`
      : node.tagName.toLowerCase() + classes.slice(0, 2).map((name) => `.${CSS.escape(name)}`).join(''));
    if (named || node.dataset.testid) break;
  }
  return steps.join(' ');
}

// Return every text input with its score as the input of a chat; from 4 on it is labelled as one.
function inputs() {
  state.inputs = [];
  const found = [], visible = [...all(document.body, '*')].filter(shown);
  const passwords = visible.filter((one) => one.matches('input[type=password]'));
  for (const element of visible.filter((one) => one.matches(EDITABLE))) {
    const box = element.getBoundingClientRect(), hint = words(element), lines = element.tagName === 'TEXTAREA' || element.isContentEditable;
    if (box.width < 60 || box.height < 8 || element.readOnly || closest(element, '[inert]')) continue;
    if (passwords.some((one) => (one.form ? one.form === element.form : !lines && !ASKS.test(hint)))) continue;
    let score = box.width / 4000 + box.bottom / innerHeight / 4 - (element.disabled ? 0.5 : 0) + (lines ? 3 : 0) + (ASKS.test(hint) ? 4 : 0);
    const search = searches(element);
    if (search || /search|buscar|cari\b/.test(hint)) score -= 2;
    if (/system|instruction|persona|mail|\buser\b|name|filter|url|\bkey\b|phone|newsletter/.test(hint)) score -= 4;
    if (state.outside && state.outside.has(element)) score -= 6;  // outside the chat that a button opened
    found.push({ index: state.inputs.push(element) - 1, score, search });
  }
  const dialog = visible.find((one) => one.matches('[role=dialog],[role=alertdialog],dialog[open]'));
  const drawn = visible.some((one) => one.tagName === 'CANVAS' && one.offsetWidth * one.offsetHeight > innerWidth * innerHeight / 4);
  return { found, passwords: passwords.length, dialog: dialog ? plain(dialog.innerText).slice(0, 120) : '',
    drawn: drawn && document.readyState === 'complete' && plain(document.body.innerText).length < LABEL };
}

function sendButton(input) {
  const from = input.getBoundingClientRect();
  let best = null, most = -8;
  for (const button of all(document.body, BUTTON)) {
    const box = button.getBoundingClientRect();
    if (!shown(button) || !box.width || disabled(button)) continue;
    const hint = `${words(button)} ${button.textContent} ${button.value || ''} ${button.className}`.toLowerCase();
    let score = -Math.hypot(box.x + box.width / 2 - from.right, box.y + box.height / 2 - (from.y + from.height / 2)) / 100;
    if (/send|submit|\bask\b|enviar|buscar|preguntar|kirim|cari\b|tanya|search|arrow|إرسال/.test(hint)) score += 5;
    score += (button.type === 'submit' ? 1.5 : 0) + (input.form && button.form === input.form ? 1.5 : 0);
    if (/attach|upload|file|mic\b|voice|audio|clear|new chat|menu|stop|setting|delete|emoji|close/.test(hint)) score -= 6;
    if (score > most) [best, most] = [button, score];
  }
  return best;
}

// Return the button that opens a chat: in the lower right corner, labelled as such.
const launcher = () => [...all(document.body, `${BUTTON},a`)].find((button) => {
  const box = button.getBoundingClientRect(), hint = `${words(button)} ${button.textContent} ${button.className}`;
  return shown(button) && box.right > innerWidth * 0.7 && box.bottom > innerHeight * 0.7 && !within(state.input, button) &&
    !button.closest('form') && /chat|ask|help|assist|messag|messenger|support|launcher|bantu|ayuda|ajuda|aide|aiuto|hilfe|hulp|pomoc|помощь|чат|مساعدة|聊天|客服|チャット|tanya|💬|🤖/i.test(hint);
}) || null;
const launched = () => { state.outside = new Set(state.inputs); };
