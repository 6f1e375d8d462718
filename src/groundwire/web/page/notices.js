/** What an answer has to say beside its words: errors and their fix, cuts, what the policy removed. */

import { element, icon } from './dom.js';
import { OF_KEYS, sentence } from './endings.js';
import { duration } from './timeline.js';

export class Notices {
  root = element('div', { class: 'notices' });

  /**
   * @param {string} kind  error, warning, policy or quiet
   * @param {string} text
   * @param {object} [more]
   * @param {string} [more.key]  a notice with the same key is replaced
   * @param {import('./dom.js').Child[]} [more.actions]
   */
  tell(kind, text, { key = '', actions = [] } = {}) {
    const sign = icon(kind === 'policy' ? 'shield' : kind === 'quiet' ? 'stop' : 'warning');
    const notice = element('div', { class: 'notice', 'data-kind': kind, 'data-key': key || null, role: kind === 'error' ? 'alert' : null },
      sign, element('p', {}, text), ...actions);
    const old = key && [...this.root.children].find((each) => each instanceof HTMLElement && each.dataset.key === key);
    if (old) old.replaceWith(notice);
    else this.root.append(notice);
  }

  /** Whether an error was told, which is told once. */
  get hasError() {
    return Boolean(this.root.querySelector('[data-kind="error"]'));
  }

  /**
   * @param {string} message
   * @param {object} how
   * @param {string} how.code
   * @param {number | null} [how.retryAfterSeconds]
   * @param {boolean} how.hasWords  some of the answer is there
   * @param {() => void} how.onRetry
   */
  tellError(message, { code, retryAfterSeconds, hasWords, onRetry }) {
    const wait = retryAfterSeconds ? ` The service asks to wait ${duration(retryAfterSeconds)}.` : '';
    const rest = hasWords ? ' The answer above is incomplete.' : '';
    const retry = element('button', { type: 'button', class: 'button is-plain', onclick: onRetry }, 'Retry');
    const said = sentence(message);
    if (!OF_KEYS.has(code)) return this.tell('error', said + wait + rest, { actions: [retry] });
    const isOwner = document.documentElement.dataset.owner === 'true';
    const way = isOwner ? element('a', { class: 'button is-plain', href: '/settings/providers' }, 'Settings: Providers') : null;
    this.tell('error', `${said}${rest}${isOwner ? '' : ' Ask the owner of this server to set its key.'}`, { actions: [way, retry] });
  }
}
