/** The gateway: for each client the lines to paste, with this server's address, a model and a token. */

import { ask } from '../api.js';
import { copyText, element } from '../dom.js';
import { choiceField } from './fields.js';
import { busy, button, card, message, notice, resultLine } from './parts.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Membership} OwnWorkspace */
/** @typedef {{where: string, language: string, code: string}} Snippet */
/** @typedef {{name: string, kind: string, snippets: Snippet[], search: string, shows: string, note?: string}} Client */

/** Names of models that only repeat another one: Claude Code's, and those that always search. */
const REPEATED = /^claude-via-|:search$/;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const { workspace } = context;
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Point a program that speaks OpenAI’s or Anthropic’s API at this server: any model answers, Groundwire searches, and the citations come back in the program’s own form.')));
  if (!workspace) return void root.append(notice('info', 'There is no workspace yet.'));
  const [clients, models] = await Promise.all([fetched('/page/settings/clients.json'), modelNames()]);
  root.append(...new GatewayPage(workspace, context, clients, models).cards);
}

/** @param {string} path */
async function fetched(path) {
  const reply = await fetch(path);
  if (!reply.ok) throw new Error(`${path} could not be loaded (${reply.status}).`);
  return reply.json();
}

/**
 * Return what models are called; the lines are of use without them.
 * @returns {Promise<string[]>}
 */
async function modelNames() {
  const { data } = await fetched('/v1/models').catch(() => ({ data: [] }));
  const names = data.map((/** @type {{id: string}} */ { id }) => id);
  return names.filter((/** @type {string} */ name) => !REPEATED.test(name));
}

class GatewayPage {
  #token = '';
  #result = resultLine();
  #make = element('button', { type: 'button', class: 'button' }, 'Create token');
  /** @type {{code: HTMLElement, text: string}[]} */
  #shown = [];

  /**
   * @param {OwnWorkspace} workspace
   * @param {Context} context
   * @param {Client[]} clients
   * @param {string[]} models
   */
  constructor(workspace, context, clients, models) {
    this.workspace = workspace;
    this.model = choiceField('Model', models.map((name) => [name, name]), models[0] ?? '');
    this.model.control.addEventListener('change', () => this.#fill());
    this.#make.addEventListener('click', () => { void this.#makeToken(); });
    const address = element('p', { class: 'note' }, 'The address is ', element('code', {}, location.origin), '.');
    const token = element('div', { class: 'row' }, ...this.#tokenParts(context));
    const upstream = clients.filter(({ kind }) => kind === 'upstream');
    const rest = clients.filter(({ kind }) => kind !== 'upstream');
    this.cards = [
      card('What to paste', 'Choose a model and create a token; the lines below then contain both.', address, this.model.root, token, this.#result),
      card('Clients', 'Each client asks for search in its own way. For one that cannot, add :search to the model’s name.', this.#list(rest)),
      card('Models of your own', 'Local model servers that the gateway can use.', this.#list(upstream)),
    ];
    this.#fill();
  }

  /** @param {Context} context */
  #tokenParts(context) {
    if (!context.mayChange) return [element('p', { class: 'note' }, 'The token comes from an admin of the workspace: Settings, Members and tokens.')];
    const note = context.me.user ? `A token is valid for ${this.workspace.name} only.` : 'On this machine, without login, any key will do. Other machines need a token.';
    return [this.#make, element('p', { class: 'note' }, note)];
  }

  /** @param {Client[]} clients */
  #list(clients) {
    return element('div', {}, ...clients.map((client) => this.#client(client)));
  }

  /** @param {Client} client */
  #client(client) {
    const parts = client.snippets.flatMap((snippet) => this.#snippet(client, snippet));
    const facts = client.kind === 'upstream' ? null : element('dl', { class: 'client-facts' },
      element('dt', {}, 'Asks for search with'), element('dd', {}, ...words(client.search)),
      element('dt', {}, 'Shows citations'), element('dd', {}, ...words(client.shows)));
    return element('details', { class: 'client' }, element('summary', {}, client.name), facts,
      client.note ? element('p', { class: 'note' }, ...words(client.note)) : null, ...parts);
  }

  /**
   * @param {Client} client
   * @param {Snippet} snippet
   */
  #snippet(client, snippet) {
    const code = element('code', {});
    this.#shown.push({ code, text: snippet.code });
    const copy = button('Copy', (pressed) => copyText(code.textContent ?? '', pressed));
    copy.setAttribute('aria-label', `Copy the lines for ${client.name}: ${snippet.where}`);
    // In the order of the keyboard, so that long lines can be scrolled with it.
    const block = element('pre', { class: 'paste', tabindex: '0', role: 'region', 'aria-label': `Lines for ${client.name}: ${snippet.where}` }, code);
    return [element('div', { class: 'row is-between' }, element('p', { class: 'note' }, ...words(`${snippet.where}:`)), copy), block];
  }

  #fill() {
    const values = new Map([['url', location.origin], ['token', this.#token || 'TOKEN'], ['model', this.model.value || 'MODEL']]);
    for (const { code, text } of this.#shown) code.textContent = text.replace(/\{(url|token|model)\}/g, (_, name) => values.get(name) ?? '');
  }

  async #makeToken() {
    this.#result.clear();
    try {
      const made = await busy(this.#make, () => ask('POST', '/tokens', { name: 'Gateway', role: 'member', workspace_id: this.workspace.id, expires_in_days: 90 }));
      if (!made) return;
      this.#token = made.token;
      this.#fill();
      this.#result.say('good', 'The lines below have a new token now. It is shown only here and only until you leave this page; it ends in 90 days, and Members and tokens can end it at once.');
    } catch (error) {
      this.#result.say('error', `No token was created. ${message(error)}`);
    }
  }
}

/**
 * Return words in which `code` is marked as such.
 * @param {string} text
 */
function words(text) {
  const named = text.replace(/\{(url|token|model)\}/g, (_, name) => name.toUpperCase());
  return named.split('`').map((part, place) => (place % 2 ? element('code', {}, part) : part.replaceAll("'", '’')));
}
