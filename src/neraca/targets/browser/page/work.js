// Whether the page is still at work on an answer.
function composer() {
  for (let node = state.input, i = 0; node && i < 7; i++) {
    node = parent(node);
    if (!node || node.nodeType !== 1 || node === document.body || node.offsetHeight > innerHeight / 2) return null;
    if ([...all(node, BUTTON)].some(shown)) return node;
  }
  return null;
}

function look_of_composer() {
  if (state.input && !state.input.isConnected) {  // one that was made anew for the next question
    const again = [...all(document.body, EDITABLE)].filter((one) => shown(one) && selectorOf(one) === state.place);
    if (again.length === 1) [state.input] = again;
  }
  if (!state.input || !state.input.isConnected) return 'gone';
  const place = composer();
  const buttons = place ? [...all(place, BUTTON)].filter(shown) : [];
  return (state.input.disabled ? 'off ' : '') + buttons.map((one) => [words(one), plain(one.textContent),
    one.disabled || one.getAttribute('aria-disabled') === 'true', one.innerHTML.replace(/\s|style="[^"]*"/g, '').length].join('~')).join('|');
}

function stopping() {
  for (const one of all(document.body, `${BUTTON},[aria-busy=true]`)) {
    if (!shown(one) || one.disabled) continue;
    if (one.getAttribute('aria-busy') === 'true') return true;
    const told = `${words(one)} ${plain(one.textContent)}`;
    if (told.length < 120 && /\bstop\b|stop[-_ ]?(button|generat|respon)|detener|hentikan|cancel generat|interrupt/i.test(told)) return true;
  }
  return state.busy ? [...all(document.body, state.busy)].some(shown) : false;
}

function moving() {
  let count = 0;
  const count_in = (root) => {
    for (const animation of root.getAnimations()) {
      const effect = animation.effect;
      if (animation.playState === 'running' && effect && effect.getTiming().iterations === Infinity && effect.target && shown(effect.target)) count++;
    }
  };
  count_in(document);
  for (const one of all(document.body, '*')) if (one.shadowRoot && one.shadowRoot.getAnimations) count_in(one.shadowRoot);
  for (const one of all(document.body, 'svg animate,svg animateTransform,svg animateMotion,progress:not([value]),[role=progressbar]:not([aria-valuenow])')) {
    if (shown(one.ownerSVGElement || one)) count++;
  }
  return count;
}
