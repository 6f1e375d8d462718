/** An answer as Markdown, with the same numbers in the text and in the list. */

import { titleOf } from './marks.js';

/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./types.js').Answer} Answer */

/** @param {Source} source */
export function citation(source) {
  return `[${source.number}] ${titleOf(source)} (${oneLine(source.url)})`;
}

/**
 * Return the answer with its sources; what was only found has a list of its own.
 * @param {Answer} answer
 */
export function toMarkdown(answer) {
  const isUsed = (/** @type {Source} */ source) => source.is_marked || source.evidence !== 'found';
  const used = answer.sources.filter(isUsed);
  const found = answer.sources.filter((source) => !isUsed(source));
  return [answer.text, list('Sources:', used), list('Found, not cited:', found)].filter(Boolean).join('\n\n');
}

/**
 * @param {string} heading
 * @param {Source[]} sources
 */
function list(heading, sources) {
  const lines = sources.map((source) => {
    const title = titleOf(source).replace(/[\\`[\]<]/g, '\\$&');
    return `[${source.number}] ${title} (${oneLine(source.url)})`;
  });
  return lines.length ? [heading, ...lines].join('\n') : '';
}

/** @param {string} url */
function oneLine(url) {
  return url.trim().replace(/[\s<>\u0000-\u001f\u007f]/g, (letter) => encodeURIComponent(letter));
}
