// Where a question is typed, and what is pressed to send it.
const words = (element) => [element.placeholder, element.getAttribute('aria-label'), element.name, element.id, element.title,
  element.dataset.placeholder, element.dataset.testid, element.getAttribute('aria-placeholder'),
  ...[...(element.labels || [])].map((label) => label.textContent)].filter(Boolean).join(' ').toLowerCase();

function selectorOf(element) {
  const steps = [];
  for (let node = element; node && node.nodeType === 1 && node !== document.body && steps.length < 4; node = parent(node)) {
    const classes = [...node.classList].filter((name) => /^[a-z][a-z_-]{2,}$/i.test(name) && !/^(css|svelte|sc|jsx)-/.test(name));
    const named = node.id && !/\d/.test(node.id);
    steps.unshift(named ? `#${CSS.escape(node.id)}` : node.dataset.testid
      ? `[data-testid=${JSON.stringify(node.dataset.testid)}]` : node.tagName.toLowerCase() + classes.slice(0, 2).map((name) => `.${CSS.escape(name)}`).join(''));
    if (named || node.dataset.testid) break;
  }
  return steps.join(' ');
}

function inputs() {
  state.inputs = [];
  const found = [];
  const passwords = [...all(document.body, 'input[type=password]')].filter(shown);
  for (const element of all(document.body, EDITABLE)) {
    const box = element.getBoundingClientRect();
    if (!shown(element) || box.width < 60 || box.height < 8 || element.readOnly || closest(element, '[inert]')) continue;
    if (passwords.some((one) => one.form && one.form === element.form)) continue;
    const told = words(element);
    let score = box.width / 200 + box.bottom / innerHeight - (element.disabled ? 0.5 : 0);
    if (element.tagName === 'TEXTAREA' || element.isContentEditable) score += 3;
    if (/mess?a[gj]|ask|question|chat|prompt|type|pregunt|escrib|consulta|tanya|pertanyaan|pesan|query|سؤال|اكتب|رسالة/.test(told)) score += 4;
    if (/search|buscar|cari\b/.test(told)) score += 1.5;
    if (/system|instruction|persona/.test(told)) score -= 3;
    if (/mail|\buser\b|name|filter|url|\bkey\b|phone|newsletter/.test(told)) score -= 3;
    found.push({ index: state.inputs.push(element) - 1, score });
  }
  const dialog = [...all(document.body, '[role=dialog],[role=alertdialog],dialog[open]')].find(shown);
  return { found, passwords: passwords.length, dialog: dialog ? plain(dialog.innerText).slice(0, 120) : '' };
}

function sendButton(input) {
  const from = input.getBoundingClientRect();
  let best = null, most = -Infinity;
  for (const button of all(document.body, BUTTON)) {
    const box = button.getBoundingClientRect();
    if (!shown(button) || !box.width || button.disabled || button.getAttribute('aria-disabled') === 'true') continue;
    const told = `${words(button)} ${button.textContent} ${button.value || ''} ${button.className}`.toLowerCase();
    let score = -Math.hypot(box.x + box.width / 2 - from.right, box.y + box.height / 2 - (from.y + from.height / 2)) / 100;
    if (/send|submit|\bask\b|enviar|buscar|preguntar|kirim|cari\b|tanya|search|arrow|إرسال/.test(told)) score += 5;
    if (button.type === 'submit') score += 1.5;
    if (input.form && button.form === input.form) score += 1.5;
    if (/attach|upload|file|mic\b|voice|audio|clear|new chat|menu|stop|setting|delete|emoji|close/.test(told)) score -= 6;
    if (score > most) [best, most] = [button, score];
  }
  return most > -8 ? best : null;
}

function launcher() {
  for (const button of all(document.body, `${BUTTON},a`)) {
    if (!shown(button)) continue;
    const box = button.getBoundingClientRect();
    const corner = box.right > innerWidth * 0.7 && box.bottom > innerHeight * 0.7;
    if (corner && /chat|ask|help|assist|messag|messenger|support|launcher|bantu|ayuda|tanya|💬|🤖/i.test(`${words(button)} ${button.textContent} ${button.className}`)) return button;
  }
  return null;
}
