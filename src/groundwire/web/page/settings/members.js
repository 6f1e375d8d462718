/** Members of a workspace, the people of the server, and the tokens of programs. */

import { ask } from '../api.js';
import { element } from '../dom.js';
import { choiceField } from './fields.js';
import { ROLES, badge, busy, button, card, confirmed, message, notice, portrait, resultLine } from './parts.js';
import { tokensCard } from './tokens.js';
import { peopleCard } from './people.js';

/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').Member} Member */
/** @typedef {import('../types.js').Membership} OwnWorkspace */
/** @typedef {import('../types.js').User} User */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const { workspace } = context;
  root.append(element('div', { class: 'section-intro' }, element('p', {}, 'Members ask questions; admins also change agents, web access and who is in. The owner of the server looks after providers and people.')));
  if (!workspace) return void root.append(notice('info', 'There is no workspace yet.'));
  if (!context.me.user) root.append(notice('info', 'This server runs for this machine only, without login. To let others in, start it once with ', element('code', {}, 'groundwire serve --setup'), '.'));
  const [users, members] = await Promise.all([ask('GET', '/users'), ask('GET', `/workspaces/${workspace.id}/members`)]);
  const list = new MemberList(workspace, users, members);
  if (context.me.user) root.append(list.root);
  if (context.me.user && context.isOwner) root.append(peopleCard(users, (changed) => list.setUsers(changed)));
  root.append(await tokensCard(workspace));
}

class MemberList {
  #list = element('ul', { class: 'people' });
  #result = resultLine();
  #adding = element('form', { class: 'row is-tight', novalidate: true });
  #person = choiceField('Person', [], '');
  #role = choiceField('Role', ROLES, 'member');
  #add = element('button', { type: 'submit', class: 'button' }, 'Add to workspace');

  /**
   * @param {OwnWorkspace} workspace
   * @param {User[]} users
   * @param {Member[]} members
   */
  constructor(workspace, users, members) {
    this.workspace = workspace;
    this.users = users;
    this.members = members;
    this.#adding.append(this.#person.root, this.#role.root, this.#add);
    this.#adding.addEventListener('submit', (event) => { event.preventDefault(); void this.#join(); });
    this.root = card(`Members of ${workspace.name}`, null, this.#list, this.#adding, this.#result);
    this.#draw();
  }

  /** @param {User[]} users */
  setUsers(users) {
    this.users = users;
    this.members = this.members.filter(({ user_id: id }) => users.some((user) => user.id === id));
    this.#draw();
  }

  #draw() {
    this.#list.replaceChildren(...this.members.map((member) => this.#row(member)));
    if (!this.members.length) this.#list.append(element('li', { class: 'note' }, 'Nobody has been added yet. The owner of the server can always come in.'));
    const rest = this.users.filter(({ id }) => !this.members.some((member) => member.user_id === id));
    this.#person.control.replaceChildren(...rest.map(({ id, name }) => element('option', { value: id }, name)));
    this.#adding.hidden = !rest.length;
  }

  /** @param {Member} member */
  #row(member) {
    const role = element('select', { class: 'field', 'aria-label': `Role of ${member.name}` }, ...ROLES.map(([value, title]) => element('option', { value }, title)));
    role.value = member.role;
    role.addEventListener('change', () => this.#setRole(member, role));
    const remove = button('Remove', (pressed) => this.#leave(member, pressed));
    remove.setAttribute('aria-label', `Remove ${member.name}`);
    const isOwner = this.users.some(({ id, is_owner: owns }) => owns && id === member.user_id);
    return element('li', { class: 'person-row' }, portrait(member.name), element('span', { class: 'item-words' }, element('strong', {}, member.name)), isOwner && badge('plain', 'Owner'), role, remove);
  }

  async #join() {
    const { value: id } = this.#person;
    try {
      const member = await busy(this.#add, () => ask('PUT', `/workspaces/${this.workspace.id}/members/${id}`, { role: this.#role.value }));
      this.members = [...this.members, member];
      this.#draw();
      this.#result.say('good', `${member.name} is in.`);
    } catch (error) {
      this.#result.say('error', `Not added. ${message(error)}`);
    }
  }

  /**
   * @param {Member} member
   * @param {HTMLSelectElement} select
   */
  async #setRole(member, select) {
    const wanted = select.value;
    select.disabled = true;
    try {
      await ask('PUT', `/workspaces/${this.workspace.id}/members/${member.user_id}`, { role: wanted });
      member.role = wanted;
      this.#result.say('good', `${member.name} is ${wanted === 'admin' ? 'an admin' : 'a member'} now.`);
    } catch (error) {
      select.value = member.role;
      this.#result.say('error', `Not changed. ${message(error)}`);
    } finally {
      select.disabled = false;
      select.focus();
    }
  }

  /**
   * @param {Member} member
   * @param {HTMLButtonElement} pressed
   */
  async #leave(member, pressed) {
    if (!await confirmed({ title: `Remove ${member.name}?`, text: `${member.name} can no longer see ${this.workspace.name} and its chats.`, yes: 'Remove' })) return;
    try {
      await busy(pressed, () => ask('DELETE', `/workspaces/${this.workspace.id}/members/${member.user_id}`));
      this.members = this.members.filter(({ user_id: id }) => id !== member.user_id);
      this.#draw();
      this.#result.say('good', `${member.name} is removed.`);
    } catch (error) {
      this.#result.say('error', `Not removed. ${message(error)}`);
    }
  }
}
