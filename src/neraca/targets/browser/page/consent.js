// Dismiss banners that ask for consent to cookies: reject if possible, else accept.  Words in twelve languages.
const CONSENT = new RegExp('cookie|consent|gdpr|rgpd|dsgvo|privacy|privacidad|confidentialit|datenschutz|ciasteczk|prywatno|куки|' +
  'конфиденциальн|ملفات تعريف الارتباط|الخصوصية|kuki|privasi|隐私|クッキー|プライバシー', 'i');
const REJECT = new RegExp('reject|decline|deny|refuse|disagree|(only|use) (strictly )?(necessary|essential|required)|' +
  '(necessary|essential|required)( cookies)? only|continue without|rechaz|denegar|sol[oa]( las)?( cookies)? (necesari|esencial)|' +
  'no acept|continuar sin|rejeitar|recusar|(apenas|somente|só)( os)?( cookies)? (necessári|essenciai)|refuser|continuer sans|' +
  'ablehnen|nur (notwendige|essenzielle|erforderliche)|verweigern|rifiut|continua senza|solo( i)?( cookie)? (necessari|essenziali)|' +
  'weiger|afwijz|alleen (noodzakelijk|essentiële)|odrzuć|tylko niezbędne|отклон|только необходимые|رفض|tolak|' +
  'hanya (yang )?(diperlukan|penting)|拒绝|仅.{0,2}必[要需]|拒否|必要.{0,6}のみ', 'i');
const ACCEPT = new RegExp('accept|agree|allow|got it|\\bok(ay)?\\b|i understand|acepto?|aceptar|de acuerdo|entendido|permitir|aceit|concordo|' +
  "entendi|j'accepte|d'accord|j'ai compris|akzeptier|zustimm|einverstanden|verstanden|accett|ho capito|akkoord|begrepen|akceptuj|" +
  'zgadzam|rozumiem|принять|принимаю|соглас|понятно|قبول|موافق|أوافق|terima|setuju|mengerti|同意|接受|知道了|許可|了解', 'i');
const NEVER = new RegExp('\\bbuy|order|\\bpay|checkout|\\bcart\\b|subscri|newsletter|log ?in|sign ?(in|up)|register|comprar|pagar|suscri|' +
  'sesión|regist|assin|entrar|acheter|payer|abonn|connexion|connecter|kaufen|bestell|bezahl|anmeld|acquist|iscri|acced|kopen|' +
  'inlog|\\bkup|zalogu|купить|оплат|войти|подпис|شراء|اشترك|تسجيل|\\bbeli|bayar|\\bmasuk|daftar|langgan|购买|登录|订阅|購入|ログイン|購読|登録|[€$£¥]', 'i');
const BANNER = /cookie|consent|gdpr|\bcmp\b|onetrust|didomi|usercentrics|cookiebot|truste|klaro|iubenda/i;

// Return whether an element lies over the page as banners do, or is named as one.
function isBanner(element) {
  if (element.matches('[role=dialog],[role=alertdialog],dialog,[aria-modal=true]')) return true;
  return /fixed|sticky/.test(getComputedStyle(element).position) || BANNER.test(`${element.id} ${element.className}`);
}

// Click the best button of a banner.  Return its label, or '' if there is no banner.
function dismiss() {
  let best = null, most = 0, said = '';
  for (const button of all(document.body, `${BUTTON},a`)) {
    const label = plain(button.textContent || button.value || '') || words(button);
    const worth = !label || label.length > 40 || NEVER.test(label) ? 0 : REJECT.test(label) ? 2 : ACCEPT.test(label) ? 1 : 0;
    if (worth <= most || !shown(button) || (button.tagName === 'A' && addressed(button))) continue;
    let node = parent(button);
    while (node && node.nodeType === 1 && node !== document.body && !isBanner(node)) node = parent(node);
    const framed = node === document.body && window !== window.top && !document.querySelector(EDITABLE);
    const banner = node && node.nodeType === 1 && (node !== document.body || framed) ? node : null;
    const text = banner ? joined(read(banner)) : '';
    if (text.length < 4000 && CONSENT.test(`${text} ${banner ? banner.id : ''}`)) [best, most, said] = [button, worth, label];
  }
  if (best) best.click();
  return said;
}
