/** What happened before the answer: who searched for what, which pages were opened, what failed. */

import { avatar, element, icon, plural } from './dom.js';
import { hostOf, pagesOf } from './links.js';

/** @typedef {import('./types.js').ToolRun} ToolRun */
/** @typedef {{mode: string, service: string, reason: string}} Searcher */

/** The server's reason where the user turned search off for a question. */
export const TURNED_OFF = 'search is turned off for this message';

/** What would be shown as 0.0 s says nothing. */
const SHORTEST = 0.05;

const MODES = /** @type {Record<string, string>} */ ({ hosted: 'Hosted search', client: 'Client search', off: 'No web search' });

export class Timeline {
  #list = element('ol', { class: 'steps' });
  #summary = element('summary');
  #why = element('p', { class: 'why' });
  root = element('details', { class: 'timeline', hidden: true, open: true }, this.#summary, this.#why, this.#list);
  /** @type {Map<string, ToolRun>} */
  #runs = new Map();
  /** @type {Map<string, HTMLElement>} */
  #rows = new Map();
  /** @type {HTMLElement[]} */
  #notes = [];
  /** @type {Searcher} */
  #searcher = { mode: 'off', service: '', reason: '' };
  #cost = '';
  #isEnded = false;
  #hasSources = false;
  #onSearch = () => {};
  /** Why nothing was searched, whenever nothing was. */
  none = element('p', { class: 'no-search', hidden: true });
  /** @type {number | null} */
  #pages = null;

  /** @param {Searcher} searcher */
  setSearcher(searcher) {
    this.#isEnded = false;
    this.#searcher = searcher;
    this.#tell();
  }

  /** @param {ToolRun} run */
  update(run) {
    const row = runRow(run, this.#searcher.service);
    const old = this.#rows.get(run.id);
    if (old) old.replaceWith(row);
    else this.#list.append(row);
    this.#runs.set(run.id, run);
    this.#rows.set(run.id, row);
    this.#tell();
  }

  /**
   * @param {string} kind  warning or policy
   * @param {string} text
   * @param {{detail?: string, key?: string}} [more]  a row with the same key is replaced
   */
  note(kind, text, { detail = '', key = '' } = {}) {
    const row = step(kind === 'policy' ? 'shield' : 'warning', kind, [element('span', {}, text), detail && element('span', { class: 'step-detail' }, detail)]);
    row.dataset.key = key;
    const old = key ? this.#notes.findIndex((each) => each.dataset.key === key) : -1;
    if (old >= 0) {
      this.#notes[old].replaceWith(row);
      this.#notes[old] = row;
    } else {
      this.#notes.push(row);
      this.#list.append(row);
    }
    this.#tell();
  }

  /** @param {string} cost */
  setCost(cost) {
    this.#cost = cost;
    this.#tell();
  }

  /**
   * Show the server's count of pages, which knows those that could not be read.
   * @param {number} pages
   */
  setPages(pages) {
    this.#pages = pages;
    this.#tell();
  }

  /**
   * @param {boolean} isEnded  no search will come any more
   * @param {boolean} hasSources  which some providers have without telling of a search
   * @param {() => void} onSearch  asks again with search
   */
  end(isEnded, hasSources, onSearch) {
    this.#isEnded = isEnded;
    this.#hasSources = hasSources;
    this.#onSearch = onSearch;
    this.#tell();
  }

  fold() {
    this.root.open = false;
  }

  #tell() {
    const runs = [...this.#runs.values()];
    this.root.hidden = !runs.length && !this.#notes.length;
    const { mode, service, reason } = this.#searcher;
    const searches = runs.filter(isSearch).length;
    const pages = this.#pages ?? new Set(runs.filter((run) => run.status === 'done').flatMap(pagesOf)).size;
    const failed = runs.filter((run) => run.status === 'failed').length;
    const seconds = runs.reduce((sum, run) => sum + (run.seconds ?? 0), 0);
    const parts = [
      searches && plural(searches, 'search', 'searches'), pages && plural(pages, 'page read', 'pages read'),
      failed && `${failed} failed`, seconds >= SHORTEST && duration(seconds), this.#cost,
    ];
    this.#why.textContent = reason;
    this.#tellNone(runs.some((run) => isSearch(run) || run.url));
    this.#summary.replaceChildren(icon('globe'),
      element('span', { class: 'who' }, `${MODES[mode] ?? mode}${service ? ` · ${service}` : ''}`),
      element('span', { class: 'facts' }, parts.filter(Boolean).join(' · ')));
  }

  /**
   * @param {string} reason
   * @returns {HTMLElement[]}  what turns search on, for those who can
   */
  #remedy(reason) {
    if (reason === TURNED_OFF) return this.#isEnded ? [element('button', { type: 'button', class: 'link-button', onclick: this.#onSearch }, 'Search and ask again')] : [];
    if (document.documentElement.dataset.owner !== 'true') return [];
    const [href, label] = reason.includes('for the agent') ? ['/settings/agents', 'Settings: Agents'] : ['/settings/web-access', 'Settings: Web Access'];
    return [element('a', { href }, label)];
  }

  /** @param {boolean} hasSearched */
  #tellNone(hasSearched) {
    const { mode, reason } = this.#searcher;
    const isOff = mode === 'off' && reason !== '';
    this.none.hidden = hasSearched || !(isOff || this.#isEnded);
    if (this.none.hidden) return;
    const isUntold = mode === 'hosted' && this.#hasSources;
    const line = isUntold ? 'Hosted search: the provider names its sources and not what it searched for.'
      : `No web search: ${isOff ? reason : 'the model answered without one'}.`;
    this.none.replaceChildren(icon('globe'), element('span', {}, line), ...(isOff ? this.#remedy(reason) : []));
  }
}

/** @param {ToolRun} run */
function isSearch(run) {
  return Boolean(run.query) || run.name.includes('search');
}

/**
 * @param {ToolRun} run
 * @param {string} service  whom the summary names already
 */
function runRow(run, service) {
  const time = (run.seconds ?? 0) >= SHORTEST ? duration(run.seconds ?? 0) : '';
  const who = [run.mode && `${run.mode}${run.service && run.service !== service ? `: ${run.service}` : ''}`, time].filter(Boolean).join(' · ');
  const fault = run.status === 'failed' && element('span', { class: 'step-fault' }, run.error || 'Failed; no reason was given.');
  const meta = element('span', { class: 'step-meta' }, who);
  const words = isSearch(run) ? searchWords(run) : run.url ? pageWords(run) : toolWords(run);
  return step(isSearch(run) ? 'search' : run.url ? 'page' : 'tool', run.status, [...words, meta, fault]);
}

/**
 * @param {string} iconName
 * @param {string} status
 * @param {import('./dom.js').Child[]} children
 */
function step(iconName, status, children) {
  const sign = status === 'running' ? element('span', { class: 'spinner' }) : icon(status === 'failed' ? 'warning' : iconName);
  return element('li', { class: 'step', 'data-status': status }, element('span', { class: 'step-sign' }, sign),
    element('div', { class: 'step-words' }, ...children));
}

/** @param {ToolRun} run */
function searchWords(run) {
  const verb = run.status === 'running' ? 'Searching' : run.status === 'failed' ? 'Search failed' : 'Searched';
  const results = run.results ?? [];
  const items = results.map((result) => element('li', { dir: 'auto' }, element('span', { class: 'hit' }, result.title || result.url),
    element('span', { class: 'domain' }, [hostOf(result.url), result.published].filter(Boolean).join(' · ')),
    result.snippet && element('span', { class: 'snippet' }, result.snippet)));
  return [
    element('span', { class: 'verb' }, verb), run.query ? element('span', { class: 'query', dir: 'auto' }, run.query) : null,
    results.length ? element('details', { class: 'hits' }, element('summary', {}, plural(results.length, 'result')), element('ul', {}, ...items))
      : run.status === 'done' ? element('span', { class: 'step-detail' }, 'nothing found') : null,
  ];
}

/** @param {ToolRun} run */
function pageWords(run) {
  const verb = { running: 'Reading', failed: 'Could not read', waiting: 'Wants to read', declined: 'Not read: you declined', done: 'Read' }[run.status];
  const pages = pagesOf(run);
  const cards = pages.map((url) => {
    const host = hostOf(url);
    // Of several pages the titles are known together only.
    const name = pages.length === 1 && run.title ? run.title : url;
    return element('span', { class: 'page-card' }, avatar(host), element('span', { class: 'hit', dir: 'auto' }, name), element('span', { class: 'domain' }, host));
  });
  return [element('span', { class: 'verb' }, verb), ...cards, pages.length > 1 && run.title && element('span', { class: 'step-detail' }, run.title)];
}

/** @param {ToolRun} run */
function toolWords(run) {
  const verb = { running: 'Running', failed: 'Failed', waiting: 'Waiting for you', declined: 'Declined', done: 'Ran' }[run.status];
  return [element('span', { class: 'verb' }, verb), element('code', {}, run.name), run.title && element('span', { class: 'step-detail' }, run.title)];
}

/** @param {number} seconds */
export function duration(seconds) {
  return seconds < 10 ? `${seconds.toFixed(1)} s` : seconds < 60 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
