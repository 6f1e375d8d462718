/** Sources (n): what the answer names, what was read, what was only found, what was removed. */

import { avatar, element, outsideLink, sourceSign } from './dom.js';
import { capital, readable } from './check-facts.js';
import { sourceView } from './checks.js';
import { linkToQuote, safeUrl } from './links.js';
import { shownTitle } from './marks.js';

/** @typedef {import('./dates.js').DatedSource} Source */
/** @typedef {import('./types.js').Answer} Answer */

/** The most sources of a list that is open by itself. */
const SHORT = 3;

const GROUPS = /** @type {const} */ ([
  ['cited', 'Cited', 'the answer names these pages'],
  ['read', 'Read', 'these pages were opened'],
  ['found', 'Found', 'search hits that were not opened'],
]);

/**
 * @param {Pick<Answer, 'removed'> & {sources: Source[]}} answer
 * @param {{messageId: string, onLight: (source: Source | null) => void, isOpen: boolean | null, onToggle: (isOpen: boolean) => void}} how  `isOpen` is null while nobody chose
 */
export function sourcesPanel(answer, { messageId, onLight, isOpen, onToggle }) {
  const { sources, removed } = answer;
  if (!sources.length && !removed.length) return null;
  const groups = GROUPS.map(([evidence, name, note]) => {
    const inside = sources.filter((source) => source.evidence === evidence);
    return group(name, note, inside.map((source) => sourceItem(source, messageId, onLight)));
  });
  const struck = group('Removed by policy', 'this workspace does not allow these sites', removed.map(removedItem));
  const panel = element('details', { class: 'sources', open: isOpen ?? sources.length + removed.length <= SHORT },
    element('summary', {}, element('span', { class: 'sources-name' }, `Sources (${sources.length})`), stack(sources, messageId)),
    ...groups, struck);
  panel.querySelector('summary')?.addEventListener('click', () => onToggle(!panel.open));
  return panel;
}

/**
 * Count under each source what its claims came to, and call one without a title as its page does.
 * @param {ParentNode} panel
 * @param {import('./types.js').CitationCheck[]} checks
 * @param {Source[]} sources
 */
export function countChecks(panel, checks, sources) {
  for (const list of panel.querySelectorAll('.source-checks')) {
    const number = Number(list.closest('.source')?.getAttribute('data-number'));
    const own = checks.filter((check) => check.number === number);
    const source = sources.find((each) => each.number === number);
    const link = list.parentElement?.firstElementChild;
    if (source && link) link.textContent = shownTitle(source, own.find((check) => check.title));
    const labels = Map.groupBy(own, (check) => check.label);
    list.toggleAttribute('hidden', !own.length);
    if (own.some((check) => check.page_hash)) list.parentElement?.querySelector('.as-read')?.removeAttribute('hidden');
    list.replaceChildren(...[...labels].map(([label, { length, [0]: { state } }]) => element('li', {},
      element('span', { class: 'evidence', 'data-check': state, 'aria-hidden': 'true' }), length > 1 ? `${length} × ${label}` : capital(label))));
  }
}

/**
 * @param {Source[]} sources
 * @param {string} messageId
 */
function stack(sources, messageId) {
  const firsts = sources.filter(({ domain }, index) => sources.findIndex((each) => each.domain === domain) === index).slice(0, 5);
  return element('span', { class: 'stack', 'aria-hidden': 'true' }, ...firsts.map((source) => sourceSign(source, messageId)));
}

/**
 * @param {string} name
 * @param {string} note
 * @param {HTMLElement[]} items
 */
function group(name, note, items) {
  return items.length > 0 && element('div', { class: 'source-group', role: 'group', 'aria-label': `${name} (${items.length})` },
    element('p', { class: 'group-name' }, element('strong', {}, `${name} (${items.length})`), ` ${note}`),
    element('ol', {}, ...items));
}

/**
 * @param {Source} source
 * @param {string} messageId
 * @param {(source: Source | null) => void} onLight
 */
function sourceItem(source, messageId, onLight) {
  const view = sourceView(messageId, source.number);
  const url = safeUrl(source.url);
  const title = shownTitle(source);
  const [quote] = source.quotes ?? [];
  const link = url ? outsideLink(linkToQuote(url.href, quote), { dir: 'auto' }, title) : element('span', { dir: 'auto' }, title);
  const item = element('li', { class: 'source', value: source.number, 'data-number': source.number },
    element('span', { class: 'evidence', 'data-evidence': source.evidence }, String(source.number)),
    sourceSign(source, messageId),
    element('span', { class: 'source-words' }, link,
      element('span', { class: 'domain' }, source.domain,
        view && element('span', { class: 'as-read', hidden: !source.is_ours }, ' · ', outsideLink(view, {}, 'as it was read'))),
      quote && element('q', { dir: 'auto' }, readable(quote)),
      element('ul', { class: 'source-checks', hidden: true })));
  for (const start of ['pointerenter', 'focusin']) item.addEventListener(start, () => onLight(source));
  for (const end of ['pointerleave', 'focusout']) item.addEventListener(end, () => onLight(null));
  return item;
}

/** @param {import('./types.js').Removed} removed */
function removedItem(removed) {
  return element('li', { class: 'source' },
    element('span', { class: 'evidence', 'data-evidence': 'struck' }, element('s', {}, [...removed.domain][0]?.toUpperCase() ?? '×')),
    avatar(removed.domain),
    element('span', { class: 'source-words' }, element('s', { dir: 'auto' }, shownTitle(removed)), element('span', { class: 'domain' }, removed.domain)));
}
