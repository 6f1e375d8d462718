/** Web access of a workspace: whether its agents may search and open pages, where, and what is compared. */

import { ask } from '../api.js';
import { element } from '../dom.js';
import { judges } from './checks.js';
import { DomainList } from './domains.js';
import { areaField, choiceField, toggle } from './fields.js';
import { card, notice, onlyFor } from './parts.js';
import { Editor } from './unsaved.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Workspace} Workspace */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Where the agents of ', element('strong', {}, context.workspace?.name ?? 'this workspace'), ' may go. A change counts from the next message on.')));
  if (!context.workspace) return void root.append(notice('info', 'You are in no workspace yet. Ask an admin to add you to one.'));
  if (!context.mayChange) root.append(onlyFor('an admin of the workspace'));
  const workspace = /** @type {Workspace} */ (await ask('GET', `/workspaces/${context.workspace.id}`));
  const choices = await judges(workspace.citation_judge, [['', 'As the server is set'], ['off', 'No model']]);
  root.append(new AccessForm(workspace, choices, !context.mayChange).editor.root);
}

const COMPARED = /** @type {[string, string][]} */ ([
  ['', 'As the server is set'],
  ['all', 'Every page that an answer cites'],
  ['opened', 'Only pages that were opened for the answer'],
  ['off', 'None'],
]);

class AccessForm {
  #effect = element('div', { role: 'status' });

  /**
   * @param {Workspace} workspace
   * @param {[string, string][]} choices  of judges
   * @param {boolean} isDisabled
   */
  constructor(workspace, choices, isDisabled) {
    this.search = toggle({ label: 'Web Search', note: 'Agents may ask a search engine.', isOn: workspace.web_search_enabled, isDisabled });
    this.fetch = toggle({ label: 'Web Fetch', note: 'Agents may open a page and read it whole.', isOn: workspace.web_fetch_enabled, isDisabled });
    this.domains = new DomainList(workspace.web_allowed_domains, isDisabled);
    this.instructions = areaField('Instructions', workspace.web_instructions, { rows: 4, disabled: isDisabled }, { hint: 'Added to what every agent of this workspace is told about the web, such as which sources to prefer.' });
    this.checks = choiceField('Pages to compare', COMPARED, workspace.citation_checks, { disabled: isDisabled }, { hint: 'What an answer says is compared with the pages that it cites, word by word and without a model. Pages that nobody opened are read for that, under the rules above.' });
    this.judge = choiceField('Judge', choices, workspace.citation_judge, { disabled: isDisabled }, { hint: 'A model that is asked about each claim as well. Its opinion is shown apart from the facts, with its name and its cost.' });
    this.editor = new Editor({
      read: () => this.#values,
      save: async (values) => { Object.assign(workspace, await ask('PATCH', `/workspaces/${workspace.id}`, values)); },
      discard: () => this.#fill(workspace),
      fields: { web_instructions: this.instructions, citation_checks: this.checks, citation_judge: this.judge },
      refused: ({ fields }) => {
        const bad = fields.filter(({ field }) => field.startsWith('web_allowed_domains'));
        this.domains.refuse(bad);
        return bad.length > 0;
      },
    }, card('Tools', null, element('fieldset', { class: 'toggles' }, element('legend', { class: 'visually-hidden' }, 'Web tools'), this.search.root, this.fetch.root)),
    card('Domains', null, this.domains.root, this.#effect), card('Citations', null, this.checks.root, this.judge.root), card('Guidance', null, this.instructions.root));
    this.editor.root.addEventListener('input', () => this.#tell());
    this.#tell();
  }

  get #values() {
    return {
      web_search_enabled: this.search.control.checked,
      web_fetch_enabled: this.fetch.control.checked,
      web_allowed_domains: this.domains.domains,
      web_instructions: this.instructions.value,
      citation_checks: this.checks.value,
      citation_judge: this.judge.value,
    };
  }

  /** @param {Workspace} workspace */
  #fill(workspace) {
    this.search.control.checked = workspace.web_search_enabled;
    this.fetch.control.checked = workspace.web_fetch_enabled;
    this.domains.fill(workspace.web_allowed_domains);
    this.instructions.value = workspace.web_instructions;
    this.checks.value = workspace.citation_checks;
    this.judge.value = workspace.citation_judge;
    this.#tell();
  }

  /** Say in words what the settings come to, where that is easily missed. */
  #tell() {
    const { web_search_enabled: search, web_fetch_enabled: fetch, web_allowed_domains: domains } = this.#values;
    const told = () => {
      if (!search && !fetch) return notice('warning', 'Both tools are off: agents of this workspace cannot use the web.');
      if (!domains.length) return notice('warning', 'No domain is listed: agents of this workspace cannot use the web, whatever is switched on.');
      if (domains.includes('*')) return notice('warning', 'The line * opens every public website. Other lines change nothing beside it.');
      return null;
    };
    const words = told();
    if (words?.textContent !== this.#effect.textContent) this.#effect.replaceChildren(...(words ? [words] : []));
  }
}
