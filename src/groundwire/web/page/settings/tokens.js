/** Tokens, with which programs use the API: each is shown once, when it is made. */

import { ApiError, ask, query } from '../api.js';
import { copyText, element } from '../dom.js';
import { choiceField, textField } from './fields.js';
import { ROLES, badge, busy, button, card, confirmed, message, moment, notice, resultLine } from './parts.js';

/** @typedef {import('../types.js').Membership} OwnWorkspace */
/** @typedef {import('../types.js').Token} Token */

/** @param {OwnWorkspace} workspace */
export async function tokensCard(workspace) {
  const tokens = /** @type {Token[]} */ (await ask('GET', `/tokens${query({ workspace_id: workspace.id })}`));
  return new TokenList(workspace, tokens).root;
}

class TokenList {
  #list = element('ul', { class: 'people' });
  #result = resultLine();
  #shown = element('div', { role: 'status' });
  #name = textField('Name', { required: true, maxlength: 100, placeholder: 'Nightly report' });
  #role = choiceField('Role', ROLES, 'member');
  #days = choiceField('Valid for', [['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['365', 'A year']], '90');
  #make = element('button', { type: 'submit', class: 'button' }, 'Create token');

  /**
   * @param {OwnWorkspace} workspace
   * @param {Token[]} tokens
   */
  constructor(workspace, tokens) {
    this.workspace = workspace;
    this.tokens = tokens;
    const form = element('form', { novalidate: true }, element('div', { class: 'columns' }, this.#name.root, this.#role.root, this.#days.root), element('div', { class: 'row' }, this.#make));
    form.addEventListener('submit', (event) => { event.preventDefault(); void this.#add(); });
    this.root = card('API tokens', `Programs send one as Authorization: Bearer. It is valid for ${workspace.name} only.`, this.#list, this.#shown, form, this.#result);
    this.#draw();
  }

  #draw() {
    this.#list.replaceChildren(...this.tokens.map((token) => this.#row(token)));
    this.#list.hidden = !this.tokens.length;
  }

  /** @param {Token} token */
  #row(token) {
    const remove = button('Delete', (pressed) => this.#delete(token, pressed));
    remove.setAttribute('aria-label', `Delete token ${token.name}`);
    const used = token.last_used_at ? element('span', {}, 'last used ', moment(token.last_used_at)) : 'never used';
    const end = element('span', {}, ' · until ', moment(token.expires_at));
    return element('li', { class: 'person-row' }, element('span', { class: 'item-words' }, element('strong', {}, token.name), element('span', { class: 'note' }, 'Made ', moment(token.created_at), ' · ', used, end)),
      badge('plain', new Map(ROLES).get(token.role) ?? token.role), remove);
  }

  async #add() {
    this.#name.clear();
    this.#result.clear();
    const days = Number(this.#days.value);
    try {
      const made = await busy(this.#make, () => ask('POST', '/tokens', { name: this.#name.value.trim(), role: this.#role.value, workspace_id: this.workspace.id, expires_in_days: days }));
      if (!made) return;
      const { token, ...rest } = made;
      this.tokens = [...this.tokens, rest];
      this.#name.value = '';
      this.#draw();
      this.#show(token, rest.name);
    } catch (error) {
      if (error instanceof ApiError) for (const { field, reason } of error.fields) if (field === 'name') this.#name.refuse(reason);
      this.#result.say('error', `No token was created. ${message(error)}`);
    }
  }

  /**
   * @param {string} token
   * @param {string} name
   */
  #show(token, name) {
    const field = element('input', { class: 'field is-code', readonly: true, 'aria-label': `Token ${name}`, autocomplete: 'off' });
    field.value = token;
    const copy = button('Copy', (pressed) => copyText(token, pressed), '');
    const done = button('Done', () => { this.#shown.replaceChildren(); this.#name.control.focus(); });
    this.#shown.replaceChildren(element('div', { class: 'secret' }, notice('warning', 'Copy it now: this is the only time it is shown.'), element('div', { class: 'row is-tight' }, field, copy, done)));
    field.focus();
    field.select();
  }

  /**
   * @param {Token} token
   * @param {HTMLButtonElement} pressed
   */
  async #delete(token, pressed) {
    if (!await confirmed({ title: `Delete the token ${token.name}?`, text: 'Programs that use it are locked out at once.', yes: 'Delete token' })) return;
    try {
      await busy(pressed, () => ask('DELETE', `/tokens/${token.id}`));
      this.tokens = this.tokens.filter(({ id }) => id !== token.id);
      this.#draw();
      this.#result.say('good', `${token.name} is deleted.`);
    } catch (error) {
      this.#result.say('error', `Not deleted. ${message(error)}`);
    }
  }
}
