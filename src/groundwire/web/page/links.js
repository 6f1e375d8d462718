/** Where a link may lead: safe schemes, and in an answer only to its own sources. */

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
/** Where the documents of the library are, for everybody but a browser: see `outsideLink`. */
const LIBRARY = 'https://library.test/';
const MAX_PASSAGE_WORDS = 60;
const BARE_URL = /https?:\/\/[^\s<>"'`\ufffc]+/g;

/**
 * Return a URL that a link may carry, null if there is none in the text.
 * @param {string} text
 * @returns {URL | null}
 */
export function safeUrl(text) {
  // A browser reads `java\nscript:` as a scheme, so nothing that it would skip may be inside.
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !/^[a-z]+:/i.test(text)) return null;
  const url = URL.parse(text);
  return url && SCHEMES.has(url.protocol) && !url.username && !url.password ? url : null;
}

/**
 * Return the host as a person reads it.
 * @param {string} text
 */
export function hostOf(text) {
  const url = URL.parse(text);
  if (!url) return '';
  return url.protocol === 'mailto:' ? url.pathname : url.hostname.replace(/^www\./, '');
}

/**
 * Return the pages that a run of a tool is about: one call may open several.
 * @param {import('./types.js').ToolRun} run
 */
export function pagesOf(run) {
  return run.url ? [...new Set(run.url.split(', '))] : [];
}

/**
 * Return the URLs that somebody wrote into a text.
 * @param {string} text
 * @returns {string[]}
 */
export function urlsIn(text) {
  return (text.match(BARE_URL) ?? []).map(withoutTail);
}

/**
 * Return a bare URL without the punctuation of the sentence around it.
 * @param {string} url
 */
export function withoutTail(url) {
  let end = url.length;
  for (;;) {
    const last = url[end - 1];
    const isClosing = last === ')' && count(url, '(', end) < count(url, ')', end);
    if (!isClosing && !/[?!.,:;*_~'"\]]/.test(last)) return url.slice(0, end);
    end--;
  }
}

/**
 * @param {string} text
 * @param {string} letter
 * @param {number} end
 */
function count(text, letter, end) {
  return text.slice(0, end).split(letter).length - 1;
}

/** The URLs that an answer may link to; a fragment never leaves the browser and does not count. */
export class Ledger {
  /** @type {Set<string>} */
  #known = new Set();

  /** @param {Iterable<string>} urls */
  constructor(urls = []) {
    this.add(urls);
  }

  /** @param {Iterable<string>} urls */
  add(urls) {
    for (const text of urls) {
      const url = safeUrl(text);
      if (url) this.#known.add(withoutFragment(url));
    }
  }

  /**
   * Return the link if the answer may have it.
   * @param {string} text
   * @returns {string | null}
   */
  allow(text) {
    const url = safeUrl(text);
    return url && this.#known.has(withoutFragment(url)) ? url.href : null;
  }
}

/** @param {URL} url */
function withoutFragment(url) {
  return url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
}

/**
 * Return a link to a document of the library: our own server marks the passage in it.
 * @param {string} url
 * @param {string[]} words
 */
function linkIntoLibrary(url, words) {
  const place = new URL(url);
  place.searchParams.set('passage', words.slice(0, MAX_PASSAGE_WORDS).join(' ').toWellFormed());
  place.hash = 'passage';
  return place.href;
}

/**
 * Return a link that opens the page at a quote, as far as the browser finds it there.
 * @param {string} url
 * @param {string | undefined} quote
 */
export function linkToQuote(url, quote) {
  const words = (quote ?? '').replace(/[\u2026]|\.{3}/g, ' ').trim().split(/\s+/).filter(Boolean);
  if (!words.length || !/^https?:/i.test(url)) return url;
  if (url.startsWith(LIBRARY)) return linkIntoLibrary(url, words);
  const part = (/** @type {string[]} */ some) =>
    encodeURIComponent(some.join(' ').toWellFormed()).replace(/-/g, '%2D');
  const text = words.length <= 12 ? part(words) : `${part(words.slice(0, 5))},${part(words.slice(-5))}`;
  return `${url}${url.includes('#') ? '' : '#'}:~:text=${text}`;
}
