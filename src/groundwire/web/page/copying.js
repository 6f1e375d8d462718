/** An answer as Markdown, with the same numbers in the text and in the list. */

import { foldedNote } from './folds.js';
import { titleOf } from './marks.js';

/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./types.js').Answer} Answer */

/** @param {Source} source */
export function citation(source) {
  return `[${source.number}] ${titleOf(source)} (${oneLine(source.url)})`;
}

/**
 * Return the answer with its sources; what was only read or found has a list of its own.
 * @param {Answer} answer
 */
export function toMarkdown(answer) {
  const only = (/** @type {string} */ evidence) =>
    answer.sources.filter((source) => !source.is_marked && source.evidence === evidence);
  const [read, found] = [only('read'), only('found')];
  const cited = answer.sources.filter((source) => !read.includes(source) && !found.includes(source));
  const lists = [list('Sources:', cited), list('Read, not cited:', read), list('Found, not cited:', found)];
  const removed = [...new Set(answer.removed.map(({ domain }) => `- ${harmless(domain.replace(/^www\./, ''))}`))];
  const struck = removed.length ? ['Removed by policy:', ...removed].join('\n') : '';
  return [folded(answer), ...lists, struck].filter(Boolean).join('\n\n');
}

/**
 * Return the text with words in place of what is folded.
 * @param {Answer} answer
 */
function folded({ text, folded: folds = [] }) {
  if (!folds.length) return text;
  const letters = [...text];
  for (const { start, end, domains } of folds.toReversed()) letters.splice(start, end - start, harmless(foldedNote(domains)));
  return letters.join('');
}

/** @param {string} words */
function harmless(words) {
  return words.replace(/[\\`[\]<]/g, '\\$&');
}

/**
 * @param {string} heading
 * @param {Source[]} sources
 */
function list(heading, sources) {
  const lines = sources.map((source) => {
    const title = harmless(titleOf(source));
    return `[${source.number}] ${title} (${oneLine(source.url)})`;
  });
  return lines.length ? [heading, ...lines].join('\n') : '';
}

/** @param {string} url */
function oneLine(url) {
  return url.trim().replace(/[\s<>\u0000-\u001f\u007f]/g, (letter) => encodeURIComponent(letter));
}
