/** One answer: its timeline, its words with their markers, its sources, and what can be done. */

import { approvalRequest } from './approval.js';
import { piecesOf } from './chunks.js';
import { toMarkdown } from './copying.js';
import { Dates } from './dates.js';
import { announce, copyText, element, iconButton, plural } from './dom.js';
import { Incoming } from './incoming.js';
import { Ledger } from './links.js';
import { MarkdownView } from './markdown.js';
import { light, markerNode, placeOf, updateMarker } from './marks.js';
import { AnswerChecks, NO_CHECKS } from './checks.js';
import { CheckSummary } from './check-summary.js';
import { answerItems } from './exports.js';
import { FeedbackView, NO_FEEDBACK } from './feedback.js';
import { FollowUps } from './follow-ups.js';
import { menuButton } from './menu.js';
import { CUT, INCOMPLETE, namesOf, tokensInWords } from './endings.js';
import { Notices } from './notices.js';
import { attachCards, renewCard } from './pointing.js';
import { countChecks, sourcesPanel } from './sources.js';
import { Timeline } from './timeline.js';

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./dates.js').DatedSource} DatedSource */
/** @typedef {import('./types.js').TurnEvent} TurnEvent */
/** @typedef {{onRetry: () => void, onDecided: (decisions: Record<string, boolean>) => void, onSearch: () => void}} Hooks  `onSearch` asks again with search */


export class AnswerView {
  #timeline = new Timeline();
  #thought = element('div', { class: 'thought', dir: 'auto' });
  #thinking = element('details', { class: 'thinking', hidden: true }, element('summary', {}, 'Thinking'), this.#thought);
  #phase = element('p', { class: 'phase', hidden: true });
  #words = element('div', { class: 'words' });
  #notices = new Notices();
  #frame = element('div', { class: 'suggestions', hidden: true });
  /** Made when there is something to typeset. @type {import('./typeset.js').TypesetView | null} */
  #typeset = null;
  #checks = new AnswerChecks((places) => this.#tellChecks(places));
  #compared = new CheckSummary(this.#checks, (check) => this.#pick(check));
  #sourcesPlace = element('div');
  #actions = element('div', { class: 'actions' });
  #feedback = new FeedbackView();
  #followUps = new FollowUps();
  #meta = element('p', { class: 'meta' });
  /** @type {string[]} */
  #names = [];
  root = element('article', { class: 'answer', 'aria-label': 'Answer' },
    element('h2', { class: 'visually-hidden' }, 'Answer'), this.#timeline.root, this.#timeline.none, this.#thinking, this.#words, this.#phase,
    this.#notices.root, this.#compared.root, this.#frame, this.#sourcesPlace, element('footer', {}, this.#actions, this.#meta), this.#feedback.root, this.#followUps.root);

  /** @type {Map<number, DatedSource>} */
  #sources = new Map();
  #dates = new Dates();
  /** The domains of removed sources by their URLs, which may be redirects. @type {Map<string, string>} */
  #removed = new Map();
  /** @type {Map<string, string[]>} */
  #removedFrom = new Map();
  /** @type {import('./marks.js').Facts} */
  #facts = { sourceOf: (number) => this.#sources.get(number), checkOf: (place, number) => this.#checks.of(place, number) };
  // What may be linked since the words were shown last.
  #hasNewLinks = false;
  #incoming = new Incoming((pieces) => this.#showWords(pieces));
  /** Null until the reader opens or closes the list. @type {boolean | null} */
  #isOpenSources = null;
  // What the stream said of its own end, in words that the end itself has better ones for.
  #cut = '';
  /** @type {Message | null} */
  message = null;

  /**
   * @param {Hooks} hooks
   * @param {Iterable<string>} userUrls  what the user wrote may be linked
   */
  constructor(hooks, userUrls) {
    this.hooks = hooks;
    this.ledger = new Ledger(userUrls);
    this.view = this.#newView();
    attachCards(this.#words, (mark) => this.view.markerOf(mark), (start, end) => this.view.ranges(start, end));
  }

  #newView() {
    this.#words.replaceChildren();
    return new MarkdownView(this.#words, {
      showMarker: (marker) => markerNode(marker, this.#facts),
      allow: (url) => this.ledger.allow(url),
    });
  }

  /**
   * Show a message as it is kept.
   * @param {Message} message
   * @param {import('./types.js').Checks} [checks]  what its citations came to so far
   * @param {import('./types.js').Feedback} [feedback]  what the user said of it
   */
  show(message, checks = NO_CHECKS, feedback = NO_FEEDBACK) {
    this.message = message;
    this.#incoming.flush();
    const answer = message.answer ?? { text: message.content, markers: [], sources: [], removed: [], folded: [], suggestions: '' };
    message.tool_runs.forEach((run) => this.#dates.take(run));
    for (const source of answer.sources) this.#take(source);
    for (const { url, domain } of answer.removed) this.#removed.set(url, domain);
    this.view.replace({ ...answer, markers: answer.markers.map((marker) => ({ ...marker, struck: this.#domains(marker.struck) })) });
    this.#updateMarks();
    this.root.dataset.status = message.status;
    this.root.removeAttribute('aria-busy');
    this.#setPhase('');
    this.#think(message.thinking, true);
    const service = message.tool_runs.find((run) => run.service)?.service ?? '';
    this.#timeline.setSearcher({ mode: message.mode, service, reason: message.reason });
    message.tool_runs.forEach((run) => this.#timeline.update(run));
    if (message.status !== 'awaiting_approval') this.#timeline.fold();
    this.#tellEnd(message);
    this.#suggest(message.id, answer.suggestions);
    this.#showSources(answer);
    this.#showActions(message, feedback);
    this.#checks.keep(message.id, checks);
    if (message.status !== 'awaiting_approval') void this.#setType();
  }

  async #setType() {
    if (!this.#words.querySelector('.code[data-language], .math')) return;
    const { TypesetView } = await import('./typeset.js');
    this.#typeset ??= new TypesetView();
    await this.#typeset.show(this.#words);
  }

  /**
   * Offer questions under the newest answer, and under no other.
   * @param {((text: string) => void) | null} onAsk
   */
  setNewest(onAsk) {
    this.#followUps.setNewest(onAsk);
  }

  #settle() {
    const isComplete = this.message?.status === 'complete' && !this.root.ariaBusy;
    if (isComplete && this.message && !this.#checks.told.pending) this.#followUps.settle(this.message.id);
  }

  /** Ask for no more checks: nobody looks. */
  leave() {
    this.#checks.leave();
    this.#typeset?.leave();
  }

  /** Go on from what is kept: an approved turn adds to it. */
  goOn() {
    const { message } = this;
    this.#notices.root.replaceChildren();
    this.#setPhase('Going on…');
    this.root.setAttribute('aria-busy', 'true');
    if (!message?.answer) return;
    this.view = this.#newView();
    this.view.take(piecesOf(message.answer));
  }

  /**
   * Take an event of the turn.
   * @param {TurnEvent} event
   */
  apply({ type, data }) {
    switch (type) {
      case 'turn_started': return this.#begin(data);
      case 'text': return this.#enqueue(data.text);
      case 'marker':
      case 'folded': return this.#enqueue(data);
      case 'thinking': return this.#think(data.text, false);
      case 'source': return this.#take(data.source);
      case 'citation_checked': return this.#checks.add(data.citation);
      case 'web_search_started': return this.#searching(data.query);
      case 'tool_update': return this.#update(data.run);
      case 'policy': return this.#tellPolicy(data);
      case 'usage': return this.#tellUsage(data.usage, data.cost_text);
      case 'warning': return this.#warn(data);
      case 'budget': return this.#notices.tell('warning', data.message);
      case 'approval_requested': return this.#askApproval(data.runs);
      case 'error': return this.#tellError(data.message, data.code, data.retry_after_seconds);
      case 'done': return this.#end(data.message, data.checks);
    }
  }

  /** @param {boolean} isConnected */
  setConnection(isConnected) {
    this.#setPhase(isConnected ? '' : 'Connection lost. Reconnecting…');
  }

  /**
   * End an answer that the server will say no more about.
   * @param {string} reason
   * @param {string} [code]
   */
  fail(reason, code = '') {
    this.#incoming.flush();
    this.view.finish();
    this.#setPhase('');
    this.root.removeAttribute('aria-busy');
    this.#tellError(reason, code);
  }

  /** @param {import('./types.js').TurnStartedEvent} data */
  #begin(data) {
    this.#sources.clear();
    this.#cut = '';
    this.#incoming.clear();
    this.#checks.begin();
    this.view = this.#newView();
    this.root.setAttribute('aria-busy', 'true');
    this.#timeline.setSearcher({ mode: data.mode, service: data.search_service, reason: data.reason });
    this.#names = namesOf(data);
    this.#meta.textContent = this.#names.join(' · ');
    this.#setPhase(`Asking ${data.model || data.provider}…`);
  }

  /** @param {Source} source */
  #take(source) {
    this.#sources.set(source.number, { ...this.#dates.of(source.url), ...source });
    this.ledger.add([source.url]);
    this.#hasNewLinks = true;
  }

  /** @param {import('./types.js').ToolRun} run */
  #update(run) {
    this.#dates.take(run);
    this.#timeline.update(run);
  }

  /** Give every pill what is known at the end: the passage behind its own claim, the last word on its evidence. */
  #updateMarks() {
    for (const group of this.#words.querySelectorAll('.marks')) {
      const marker = this.view.markerOf(group);
      if (marker) updateMarker(group, this.#facts, { ...marker, place: marker.check_position });
    }
  }

  /** @param {Set<number> | null} places  of the markers of which more is known, null of all */
  #tellChecks(places) {
    for (const group of this.#words.querySelectorAll('.marks')) {
      if (!places || places.has(placeOf(group) ?? -1)) updateMarker(group, this.#facts);
    }
    renewCard();
    // What is shown under the answer comes with its end.
    if (this.root.ariaBusy) return this.#compared.hide();
    countChecks(this.#sourcesPlace, this.#checks.all, [...this.#sources.values()]);
    this.#compared.show(this.message?.id ?? '');
    this.#settle();
  }

  /**
   * Lead to the marker of a claim.
   * @param {import('./types.js').CitationCheck} check
   */
  #pick({ position, number }) {
    const groups = [...this.#words.querySelectorAll('.marks')];
    const group = groups.find((each) => this.view.markerOf(each)?.check_position === position);
    const mark = group?.querySelector(`.mark[data-number="${number}"]`);
    if (mark instanceof HTMLElement) mark.focus();
  }

  /** @param {import('./markdown.js').Incoming} piece */
  #enqueue(piece) {
    if (typeof piece === 'string' && this.#phase.textContent) {
      this.#setPhase('');
      this.#timeline.fold();
    }
    this.#incoming.add(piece);
  }

  /** @param {import('./markdown.js').Incoming[]} pieces */
  #showWords(pieces) {
    if (this.#hasNewLinks) this.view.relink();
    this.#hasNewLinks = false;
    this.view.take(pieces.map((piece) => (typeof piece === 'string' || 'domains' in piece ? piece : { ...piece, struck: this.#domains(piece.struck) })));
  }

  /** @param {string[]} urls */
  #domains(urls) {
    return urls.map((url) => this.#removed.get(url) ?? url);
  }

  /** @param {string | null} query */
  #searching(query) {
    const text = query ? `Searching: ${query}` : 'Searching the web…';
    this.#setPhase(text);
    announce(text);
  }

  /** @param {string} text */
  #setPhase(text) {
    this.#phase.hidden = !text;
    this.#phase.replaceChildren(...(text ? [element('span', { class: 'spinner' }), text] : []));
  }

  /**
   * @param {string} text
   * @param {boolean} isWhole
   */
  #think(text, isWhole) {
    if (!isWhole && !this.#words.hasChildNodes()) this.#setPhase('Thinking…');
    const last = this.#thought.firstChild;
    // Added to, and not written anew: models think for long.
    if (!isWhole && last instanceof Text) last.appendData(text);
    else this.#thought.textContent = text;
    this.#thinking.hidden = !this.#thought.hasChildNodes();
  }

  /** @param {{message: string, code: string}} warning */
  #warn({ message, code }) {
    // That it was cut is told once, at the end of the answer.
    if (code === 'incomplete') this.#cut = message;
    else this.#timeline.note('warning', message);
  }

  /** @param {import('./types.js').PolicyEvent} policy */
  #tellPolicy({ urls, domains, where, reason }) {
    urls.forEach((url, index) => { if (domains?.[index]) this.#removed.set(url, domains[index]); });
    // Each sentence that cites a removed page brings an event: they are one line that grows.
    const key = `policy ${where} ${reason}`;
    const all = [...new Set([...this.#removedFrom.get(key) ?? [], ...urls])];
    this.#removedFrom.set(key, all);
    const hosts = [...new Set(this.#domains(all).map((name) => URL.parse(name)?.hostname ?? name))].join(', ');
    const text = `${plural(all.length, 'source')} removed by policy${where ? ` from ${where}` : ''}`;
    this.#timeline.note('policy', text, { detail: `${hosts}. ${reason}`, key });
    this.#notices.tell('policy', `${text}: ${hosts}. ${reason}`, { key });
  }

  /**
   * @param {string} message
   * @param {string} code
   * @param {number | null} [retryAfterSeconds]
   */
  #tellError(message, code, retryAfterSeconds) {
    if (this.#notices.hasError) return;
    this.#incoming.flush();
    this.#notices.tellError(message, { code, retryAfterSeconds, hasWords: this.#words.hasChildNodes(), onRetry: () => this.hooks.onRetry() });
  }

  /** @param {Message} message */
  #tellEnd(message) {
    const cut = CUT[message.stop_reason] ?? this.#cut;
    const isBroken = message.status === 'failed' || (message.status === 'interrupted' && message.error);
    // What the stream told as an error already is not told again, and a reload tells it alike.
    if (isBroken) this.#tellError(message.error || INCOMPLETE.failed, message.error_code);
    else if (INCOMPLETE[message.status]) this.#notices.tell('quiet', `${INCOMPLETE[message.status]} ${message.error}`.trim());
    else if (message.status === 'complete' && cut) this.#notices.tell('quiet', `Incomplete: ${cut}`);
    else if (message.status === 'awaiting_approval') this.#askApproval(message.tool_runs.filter((run) => run.status === 'waiting'));
  }

  /** @param {import('./types.js').ToolRun[]} runs */
  #askApproval(runs) {
    if (!runs.length || this.#notices.root.querySelector('.approval')) return;
    this.#setPhase('');
    runs.forEach((run) => this.#timeline.update(run));
    this.#notices.root.append(approvalRequest(runs, (decisions) => this.hooks.onDecided(decisions)));
    announce('Your approval is needed');
  }

  /**
   * @param {Message} message
   * @param {import('./types.js').Checks} checks
   */
  #end(message, checks) {
    this.show(message, checks);
    const sources = message.answer?.sources.length ?? 0;
    const isComplete = message.status === 'complete';
    if (message.status !== 'awaiting_approval') announce(`${isComplete ? 'Answer complete' : 'Answer incomplete'}, ${plural(sources, 'source')}`);
  }

  /**
   * @param {string} id
   * @param {string} html  only whether there is any: the server serves it, sandboxed
   */
  #suggest(id, html) {
    this.#frame.hidden = !html;
    if (!html || this.#frame.hasChildNodes()) return;
    this.#frame.append(element('iframe', { sandbox: 'allow-popups allow-popups-to-escape-sandbox', src: `/api/messages/${id}/suggestions`, title: 'Search suggestions by Google', loading: 'lazy' }));
  }

  /** @param {import('./types.js').Answer} answer */
  #showSources(answer) {
    const sources = answer.sources.map((source) => this.#sources.get(source.number) ?? source);
    const panel = sourcesPanel({ ...answer, sources }, {
      messageId: this.message?.id ?? '',
      isOpen: this.#isOpenSources,
      onToggle: (isOpen) => { this.#isOpenSources = isOpen; },
      onLight: (source) => this.#lightSource(source),
    });
    this.#sourcesPlace.replaceChildren(...(panel ? [panel] : []));
  }

  /**
   * @param {Message} message
   * @param {import('./types.js').Feedback} feedback
   */
  #showActions(message, feedback) {
    const copy = iconButton('Copy as Markdown', 'copy', () => {
      void copyText(message.answer ? toMarkdown(message.answer) : message.content, copy);
    });
    this.#feedback.show(message.id, feedback);
    this.#actions.replaceChildren(copy, iconButton('Retry', 'retry', () => this.hooks.onRetry()), ...this.#feedback.buttons,
      menuButton('Share and export', 'share', () => answerItems(message.id)));
    this.#tellUsage(message.usage, message.cost_text);
    this.#timeline.setPages(message.pages_read);
    this.#timeline.end(message.status !== 'awaiting_approval', Boolean(message.answer?.sources.length), () => this.hooks.onSearch());
  }

  /**
   * Put what leads to the answer's other versions among its actions.
   * @param {HTMLElement | null} branches
   */
  setBranches(branches) {
    this.#actions.parentElement?.querySelector('.branches')?.remove();
    if (branches) this.#actions.before(branches);
  }

  /**
   * @param {import('./types.js').Usage | null} usage
   * @param {string} cost  in words, "" where there is none
   */
  #tellUsage(usage, cost) {
    const { message } = this;
    const names = message ? namesOf(message) : this.#names;
    this.#meta.textContent = [...names, tokensInWords(usage), cost].filter(Boolean).join(' · ');
    this.#timeline.setCost(cost);
  }

  /** @param {Source | null} source */
  #lightSource(source) {
    if (!source) return light([]);
    const markers = this.message?.answer?.markers ?? [];
    const spans = source.spans?.length ? source.spans
      : markers.flatMap((marker) => marker.supports.filter((each) => each.number === source.number).map(({ start, end }) => [start, end]));
    light(spans.flatMap(([start, end]) => this.view.ranges(start, end)),
      this.#words.querySelectorAll(`.mark[data-number="${source.number}"]`));
  }
}
