// Find signs that a page is at work; they are compared with the state before the question.
function composer() {
  for (let node = state.input && parent(state.input), i = 0; i < 7; node = parent(node), i++) {
    if (!node || node.nodeType !== 1 || node === document.body || node.offsetHeight > innerHeight / 2) return null;
    if ([...all(node, BUTTON)].some(shown)) return node;
  }
  return null;
}

function composed() {
  if (state.input && !state.input.isConnected) {  // the page has replaced the input for the next question
    const again = [...all(document.body, EDITABLE)].filter((one) => shown(one) && selectorOf(one) === state.place);
    if (again.length === 1) [state.input] = again;
  }
  if (!state.input || !state.input.isConnected) return 'gone';
  const place = composer(), buttons = place ? [...all(place, BUTTON)].filter(shown) : [];
  return (state.input.disabled ? 'off ' : '') + buttons.map((one) => [words(one), plain(one.textContent), disabled(one),
    one.innerHTML.replace(/\s|style="[^"]*"/g, '').length].join('~')).join('|');
}

function stops() {
  const named = /\bstop\b|stop[-_ ]?(button|generat|respon)|detener|hentikan|cancel generat|interrupt/i;
  return [...all(document.body, `${BUTTON},[aria-busy=true]${state.busy && `,${state.busy}`}`)].some((one) => {
    const hint = `${words(one)} ${plain(one.textContent)}`, button = one.matches(BUTTON) && !(state.busy && one.matches(state.busy));
    return shown(one) && (!button || (!one.disabled && hint.length < 120 && named.test(hint)) || one.matches('[aria-busy=true]'));
  });
}

// Return the kinds of elements with endless animations; a kind that moved before the question is not a sign of work.
function moving() {
  const roots = [document, ...[...all(document.body, '*')].map((one) => one.shadowRoot).filter(Boolean)];
  const targets = roots.flatMap((root) => root.getAnimations()).filter((one) => one.playState === 'running' && one.effect &&
    one.effect.getTiming().iterations === Infinity).map((one) => one.effect.target);
  const bars = all(document.body, 'svg animate,svg animateTransform,svg animateMotion,progress:not([value]),' +
    '[role=progressbar]:not([aria-valuenow])');
  return new Set([...targets, ...[...bars].map((one) => one.ownerSVGElement || one)].filter((one) => one && shown(one)).map(make));
}
