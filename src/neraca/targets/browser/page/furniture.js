// Leave out what pages put under every answer: the question whether it was useful, and chips with sources or suggestions.
const FEEDBACK = new RegExp('^\\W*(was|is|did|were) (this|that|the)( \\w+)? (answer |response |reply )?.{0,24}(helpful|useful|help|answer your)|' +
  '^\\W*(rate|how (helpful|useful) was|did we answer|helpful\\?|give feedback)|(te|le|les|os) (ha )?(servido|sirvi[óo]|ayud(ado|[óo]))\\W*|' +
  '(te|le|les|os) (ha )?(resultado|result[óo]|sido|fue|pareci[óo]|sirvi[óo])' +
  '.{0,24}(útil|respuesta|ayuda)|^\\W*(es|fue|ha sido) útil|est[ae] respuesta.{0,20}útil|valora|(foi|é|esta resposta).{0,20}útil|avali[ea]|' +
  '(cette|la) réponse.{0,30}(utile|aidé)|(avez-vous|vous a-t-).{0,30}(utile|aidé)|war (das|diese|die).{0,24}hilfreich|hilfreich\\?|' +
  '(è stat[oa]|ti è|questa risposta).{0,24}utile|(was|is) (dit|deze|het).{0,20}nuttig|nuttig\\?|czy (ta|to).{0,30}(pomocn|przydatn)|' +
  '(был|была|было|это|вам).{0,24}(полез|помог)|هل (كان|كانت|هذا|هذه|أفاد).{0,30}|apakah (ini|jawaban|informasi).{0,30}(membantu|berguna|bermanfaat)|' +
  '(有帮助吗|有用吗|对您有.{0,4}帮助)|(役に立ちましたか|参考になりましたか)', 'i');
const SOURCED = /^\W*(sources?|references?|citations?|fuentes?|referencias|sumber|referensi|quellen?|المصدر|المصادر|المراجع) ?:/i;
const NAMED = new RegExp('(^|[-_ ])(sources?|source-?list|citations?|references?|feedback|thumbs|ratings?|suggestions?|suggested|quick-?repl(y|ies)|' +
  'follow-?ups?|chips?)([-_ ]|$)', 'i');
const FURNITURE = 80;
const named = (node) => NAMED.test(`${(node.getAttribute('class') || '').replace(/([a-z])([A-Z])/g, '$1-$2')} ${node.dataset.testid || ''}`);
const kind = (block) => `${block.element.tagName} ${block.element.className}`;

// Return whether all of an element's text is in chips: rounded boxes with a border or a colour.
function chips(element) {
  const parts = [...element.children].filter((one) => plain(one.textContent));
  return parts.length > 0 && [...element.childNodes].every((one) => one.nodeType !== 3 || !plain(one.data)) && parts.every((one) => {
    const style = getComputedStyle(one);
    return parseFloat(style.borderTopLeftRadius) > 0 && plain(one.textContent).length <= FURNITURE &&
      (parseFloat(style.borderTopWidth) > 0 || !/, 0\)$|^transparent$/.test(style.backgroundColor));
  });
}

// Return whether a block is apart from the others: of another kind, and not one of their paragraphs.
const apart = (block, others) => others.every((other) => kind(other) !== kind(block) &&
  !(WRITTEN.has(block.element.tagName) && parent(other.element) === parent(block.element)));
const tail = (block, others) => ({ key: `${kind(block)}|${block.text}`, rest: joined(others).slice(0, 200) });

// Return whether a block is what pages usually put under an answer: a question about it, or a line of sources.
const usual = (block) => block.text.length <= FURNITURE && (FEEDBACK.test(block.text) || (label(block) && SOURCED.test(block.text)));

// Return the blocks of an answer without the furniture inside it.
function unfurnished({ root, blocks }) {
  const inside = (block) => {
    for (let node = block.element; node && node !== root && within(root, node); node = parent(node)) if (named(node)) return true;
    return false;
  };
  const kept = blocks.filter((block) => !inside(block)), left = kept.length ? kept : [...blocks];
  while (left.length > 1) {
    const last = left[left.length - 1], others = left.slice(0, -1), { key, rest } = tail(last, others);
    const repeated = () => apart(last, others) && state.learned.tails.some((one) => one.key === key && one.rest !== rest);
    if (last.text.length > FURNITURE || !(usual(last) || chips(last.element) || repeated())) break;
    left.pop();
  }
  return left;
}

// Return the ends of an answer that are furniture if they come again under another one.
function tails({ blocks, whole }) {
  return (whole || blocks).slice(1).slice(-3).filter((block) => block.text.length <= FURNITURE).map((block) => [block, (whole || blocks).slice(0,
    (whole || blocks).indexOf(block))]).filter(([block, others]) => apart(block, others)).map(([block, others]) => tail(block, others));
}
