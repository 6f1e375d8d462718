/** The conversation on the screen: asks, follows the answer, stops, retries, edits, branches. */

import { ApiError, ask } from './api.js';
import { Conversation } from './conversation.js';
import { announce, element, find, loadStyle } from './dom.js';
import { urlsIn } from './links.js';
import { branchSwitch, questionView } from './question.js';
import { TurnStream } from './turns.js';

/** @typedef {import('./conversation.js').Message} Message */
/** A file that is being sent has no id yet. @typedef {Omit<import('./types.js').Attachment, 'id'>} Attachment */
/** @typedef {import('./types.js').Session} Session */
/** @typedef {import('./types.js').NewMessage & {text: string, parent_id: string | null}} Question */
/** @typedef {import('./answer.js').AnswerView} AnswerView */
/** @typedef {typeof import('./answer.js').AnswerView} AnswerClass */
/** @typedef {{stream: TurnStream, view: AnswerView, agentId: string}} Turn */

/**
 * @typedef {object} Hooks
 * @property {(isBusy: boolean) => void} onBusy
 * @property {(sessionId: string) => void} onStarted
 * @property {() => void} onEnded
 * @property {(text: string) => void} onAsk  a question that the page offered
 * @property {(session: Session | null, workspaceId?: string) => void} onSession  whose library it cites
 */

/** @type {Promise<typeof import('./answer.js')> | null} */
let answers = null;

/** Load what shows answers, its style first; a new chat does without. */
export function loadAnswers() {
  answers ??= Promise.all([import('./answer.js'), loadStyle('/page/answer.css')]).then(([module]) => module);
  return answers;
}

export class Chat {
  #thread = find('#thread');
  #scroller = find('#scroller');
  #conversation = new Conversation();
  /** @type {Session | null} */
  #session = null;
  /** @type {Turn | null} */
  #turn = null;
  /** @type {Map<string, AnswerView>} */
  #views = new Map();
  #isAtEnd = true;
  // Counts what was opened, so that a slow reply for another session is not shown.
  #visit = 0;
  /** @type {Promise<unknown>} */
  #opened = Promise.resolve();

  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    const jump = find('#jump');
    this.#scroller.addEventListener('scroll', () => {
      const left = this.#scroller.scrollHeight - this.#scroller.scrollTop - this.#scroller.clientHeight;
      this.#isAtEnd = left < 60;
      jump.hidden = left < 240;
    }, { passive: true });
    jump.addEventListener('click', () => this.#toEnd(true));
    new ResizeObserver(() => { if (this.#isAtEnd) this.#toEnd(); }).observe(this.#thread);
  }

  get sessionId() {
    return this.#session?.id ?? null;
  }

  /**
   * Show a session, or the beginning of a new one.
   * @param {string | null} id
   */
  open(id) {
    this.#opened = this.#open(id);
    return this.#opened;
  }

  /** @param {string | null} id */
  async #open(id) {
    const visit = ++this.#visit;
    this.#leave();
    this.#session = null;
    this.#conversation = new Conversation();
    this.#views.forEach((view) => view.leave());
    this.#views.clear();
    if (!id) {
      this.hooks.onSession(null);
      return this.#render();
    }
    try {
      this.#setEmpty(false);
      this.#thread.replaceChildren(element('p', { class: 'loading' }, element('span', { class: 'spinner' }), 'Loading…'));
      const [kept] = await Promise.all([ask('GET', `/sessions/${encodeURIComponent(id)}`), loadAnswers()]);
      if (visit !== this.#visit) return;
      this.#session = kept.session;
      this.#conversation = new Conversation(kept.messages.map((/** @type {Message} */ each) => ({ ...each, checks: kept.checks[each.id], feedback: kept.feedback[each.id] })), kept.leaf_id);
      this.hooks.onSession(kept.session, kept.workspace_id);
      this.#isAtEnd = true;
      await this.#render();
      this.#attach(visit);
    } catch (error) {
      if (visit === this.#visit) this.#showFault(error, () => this.open(id));
    }
  }

  /**
   * Ask; what the composer has, as a follow-up of what is shown.
   * @param {import('./composer.js').Draft} draft
   */
  async send(draft) {
    // What is asked while a chat still loads belongs to that chat.
    await this.#opened;
    const { agentId: _, ...rest } = draft;
    const parent = this.#conversation.path().at(-1);
    const body = { ...this.#body(), ...rest, parent_id: parent?.id ?? null };
    this.#lastDraft = draft;
    return this.#start(this.agentId, body, body.attachments);
  }

  /** Stop the turn; what there is stays. */
  async stop() {
    const id = this.#turn?.stream.messageId;
    if (!id) return this.#turn?.stream.leave();
    announce('Stopping');
    try {
      await ask('POST', `/messages/${id}/stop`, {});
    } catch (error) {
      this.#turn?.view.fail(messageOf(error), codeOf(error));
    }
  }

  /** @type {import('./composer.js').Draft | null} */
  #lastDraft = null;

  /** @returns {Question} */
  #body() {
    const draft = this.#lastDraft;
    return {
      text: '', session_id: this.sessionId, parent_id: null, client_id: newId(), search: draft?.search ?? 'auto', domains: [],
      attachments: [], provider_id: draft?.provider_id ?? null, model: draft?.model ?? null, thinking: draft?.thinking ?? null, retry_of: null,
    };
  }

  /**
   * Give the choices that a retry or an edit goes by.
   * @param {import('./composer.js').Draft} draft
   */
  setChoices(draft) {
    this.#lastDraft = draft;
  }

  /** @param {Message} answer */
  #retry(answer) {
    this.onChoices?.();
    this.#conversation.select(answer.id);
    // What the composer does not show is left out, so that it is as it was for that answer.
    const { domains, ...shown } = this.#body();
    return this.#start(this.agentId, { ...shown, retry_of: answer.id, parent_id: answer.parent_id });
  }

  /**
   * @param {Message} question
   * @param {string} text
   */
  #edit(question, text) {
    this.onChoices?.();
    return this.#start(this.agentId, { ...this.#body(), text, parent_id: question.parent_id });
  }

  /** Called before a retry or an edit, to hand over the composer's choices. @type {(() => void) | null} */
  onChoices = null;

  /** Turns search on again for what is asked next. @type {(() => void) | null} */
  onSearch = null;

  /** Whom a question goes to: a chat has its agent from its first question on. */
  get agentId() {
    return this.#session?.agent_id ?? this.#lastDraft?.agentId ?? '';
  }

  /**
   * @param {string} agentId
   * @param {Question} body
   * @param {Attachment[]} attachments
   */
  async #start(agentId, body, attachments = []) {
    const visit = this.#visit;
    this.#leave();
    this.hooks.onBusy(true);
    const { AnswerView } = await loadAnswers();
    if (visit !== this.#visit) return;
    const before = this.#pathTo(body.parent_id);
    const nodes = before.map((message) => this.#node(message, AnswerView));
    this.#views.forEach((each) => each.setNewest(null));
    if (!body.retry_of) nodes.push(questionView({ content: body.text, attachments }, { onEdit: null, branches: null }));
    const written = [...before.map((message) => (message.kind === 'USER' ? message.content : '')), body.text];
    const view = this.#newView(AnswerView, written.flatMap(urlsIn));
    this.#setEmpty(false);
    this.#thread.replaceChildren(...nodes, view.root);
    this.#toEnd();
    const stream = new TurnStream({ path: `/agents/${encodeURIComponent(agentId)}/message`, body, messageId: null });
    const again = (/** @type {boolean} */ isSame) => this.#start(agentId, isSame ? body : { ...body, client_id: newId() }, attachments);
    view.hooks = { ...view.hooks, onRetry: () => { void again(true); } };
    await this.#follow({ stream, view, agentId }, body, attachments, (error) => {
      view.hooks.onRetry = () => { void again(error instanceof ApiError && error.status === 0); };
    });
  }

  /**
   * Follow a turn to its end.
   * @param {Turn} turn
   * @param {Question | null} body
   * @param {Attachment[]} attachments
   * @param {(error: unknown) => void} [onError]
   */
  async #follow(turn, body, attachments, onError) {
    this.#turn = turn;
    this.hooks.onBusy(true);
    const { view, stream } = turn;
    try {
      const isEnded = await stream.read((event) => {
        if (event.type === 'turn_started') this.#onStarted(event.data, turn, body, attachments);
        if (event.type === 'done') this.#conversation.add(event.data.message);
        view.apply(event);
      }, (isConnected) => view.setConnection(isConnected));
      if (!isEnded && this.#turn === turn && this.sessionId) return void this.open(this.sessionId);
    } catch (error) {
      onError?.(error);
      view.fail(messageOf(error), codeOf(error));
    }
    if (this.#turn !== turn) return;
    this.#turn = null;
    this.hooks.onBusy(false);
    this.hooks.onEnded();
    if (stream.messageId && this.#conversation.get(stream.messageId)) await this.#render();
  }

  /**
   * @param {import('./types.js').TurnStartedEvent} data
   * @param {Turn} turn
   * @param {Question | null} body
   * @param {Attachment[]} attachments
   */
  #onStarted(data, turn, body, attachments) {
    const isNew = !this.#session;
    const now = new Date().toISOString();
    this.#session ??= { id: data.session_id, title: '', agent_id: turn.agentId, created_at: now, updated_at: now, is_running: true };
    const shared = { ...BLANK, session_id: data.session_id, created_at: now, updated_at: now };
    if (body && !body.retry_of && !this.#conversation.get(data.question_id)) {
      this.#conversation.add({ ...shared, id: data.question_id, kind: 'USER', content: body.text, parent_id: body.parent_id, attachments: attachments.map((file) => ({ ...file, id: '' })) });
    }
    if (!this.#conversation.get(data.message_id)) {
      this.#conversation.add({ ...shared, id: data.message_id, kind: 'AI_RESPONSE', parent_id: data.question_id, status: 'streaming', provider: data.provider, model: data.model, mode: data.mode, reason: data.reason });
    }
    this.#views.set(data.message_id, turn.view);
    if (isNew) this.hooks.onStarted(data.session_id);
  }

  /**
   * Follow what is still running in the session that was opened.
   * @param {number} visit
   */
  #attach(visit) {
    const running = this.#conversation.path().at(-1);
    const view = running && this.#views.get(running.id);
    if (!view || running.status !== 'streaming' || visit !== this.#visit) return;
    const stream = new TurnStream({ path: '', messageId: running.id });
    void this.#follow({ stream, view, agentId: this.agentId }, null, []);
  }

  /**
   * @param {Message} message
   * @param {Record<string, boolean>} decisions
   */
  async #decide(message, decisions) {
    const view = this.#views.get(message.id);
    if (!view) return;
    this.#turn?.stream.leave();
    view.goOn();
    const stream = new TurnStream({
      path: `/agents/${encodeURIComponent(this.agentId)}/approve`, body: { message_id: message.id, decisions }, messageId: message.id,
    });
    await this.#follow({ stream, view, agentId: this.agentId }, null, []);
  }

  async #render() {
    const path = this.#conversation.path();
    this.#setEmpty(!path.length);
    if (!path.length) return this.#thread.replaceChildren();
    const { AnswerView } = await loadAnswers();
    const nodes = path.map((message) => this.#node(message, AnswerView));
    const isSame = nodes.length === this.#thread.children.length && nodes.every((node, index) => node === this.#thread.children[index]);
    if (!isSame) this.#thread.replaceChildren(...nodes);
    const onAsk = (/** @type {string} */ text) => this.hooks.onAsk(text);
    path.forEach(({ id }) => this.#views.get(id)?.setNewest(id === path.at(-1)?.id ? onAsk : null));
  }

  /**
   * @param {Message} message
   * @param {AnswerClass} View
   */
  #node(message, View) {
    const ids = this.#conversation.versions(message).map((each) => each.id);
    const branches = branchSwitch(ids, message.id, (id) => {
      this.#conversation.select(id);
      void this.#render();
    });
    if (message.kind === 'USER') return questionView(message, { branches, onEdit: (text) => { void this.#edit(message, text); } });
    let view = this.#views.get(message.id);
    if (!view) {
      view = this.#newView(View, this.#pathTo(message.id).filter((each) => each.kind === 'USER').flatMap((each) => urlsIn(each.content)));
      this.#views.set(message.id, view);
      view.show(message, message.checks, message.feedback);
    }
    view.hooks = {
      onRetry: () => { void this.#retry(message); },
      onDecided: (decisions) => { void this.#decide(message, decisions); },
      onSearch: () => { this.onSearch?.(); void this.#retry(message); },
    };
    view.setBranches(branches);
    return view.root;
  }

  /**
   * @param {AnswerClass} View
   * @param {string[]} urls
   */
  #newView(View, urls) {
    return new View({ onRetry: () => {}, onSearch: () => {}, onDecided: (decisions) => {
      const id = this.#turn?.stream.messageId;
      const message = id && this.#conversation.get(id);
      if (message) void this.#decide(message, decisions);
    } }, urls);
  }

  /** @param {string | null} id */
  #pathTo(id) {
    const path = this.#conversation.path();
    const index = path.findIndex((message) => message.id === id);
    return path.slice(0, index + 1);
  }

  #leave() {
    this.#turn?.stream.leave();
    this.#turn = null;
    this.hooks.onBusy(false);
  }

  /** @param {boolean} isEmpty */
  #setEmpty(isEmpty) {
    find('#chat').dataset.empty = String(isEmpty);
  }

  /**
   * @param {unknown} error
   * @param {() => void} retry
   */
  #showFault(error, retry) {
    this.#thread.replaceChildren(element('div', { class: 'notice', 'data-kind': 'error', role: 'alert' },
      element('p', {}, messageOf(error)), element('button', { type: 'button', class: 'button is-plain', onclick: retry }, 'Retry')));
  }

  /** @param {boolean} [isSmooth] */
  #toEnd(isSmooth = false) {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#isAtEnd = true;
    this.#scroller.scrollTo({ top: this.#scroller.scrollHeight, behavior: isSmooth && !isCalm ? 'smooth' : 'instant' });
  }
}

/** @type {Omit<Message, 'id' | 'kind' | 'session_id' | 'created_at' | 'updated_at'>} */
const BLANK = {
  content: '', parent_id: null, client_id: null, status: 'complete', attachments: [], thinking: '', citations: null, answer: null, tool_runs: [],
  provider: '', model: '', mode: 'off', reason: '', usage: null, cost_usd: null, cost_is_partial: false, cost_text: '', pages_read: 0, stop_reason: '', error_code: '', error: '', checks_state: '',
};

/** Return an id for a message; `randomUUID` is missing on plain http beyond this machine. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof ApiError ? error.code : '';
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof ApiError ? error.message : `The page failed: ${String(error)}. Reload it, and report this if it happens again.`;
}
