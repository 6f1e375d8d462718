/** Where a link may lead: safe schemes, and in an answer only to its own sources. */

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
/** Where the documents of the library are, for everybody but a browser: see `outsideLink`. */
const LIBRARY = 'https://library.test/';
const MAX_PASSAGE_WORDS = 60;
const FRAGMENT_WORDS = 6;
/** A run of fewer words may stand anywhere. */
const TELLING_WORDS = 3;
const RUN_BREAK = /\n|\||\[\\?\[?\^?\d{1,3}\\?\]?\](?:\([^()\s]{0,2000}\))?|<\/?[a-z][^<>\n]{0,200}>|\u2026|\.{3,6}/i;
/** What of Markdown a reader does not see, and what is left of it. @type {[RegExp, string][]} */
const MARKUP = [
  [/!\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)/g, ' '],
  [/\[([^\[\]\n]{0,1000})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?:\s"[^"\n]{0,300}")?\)/g, '$1'],
  [/^[\s>]{0,40}(?:(?:[-*+\u2022]|\d{1,9}[.)]|#{1,6})\s{1,8}){0,3}/, ''],
  [/`{1,8}|~~|(?<![\d\\])\*{1,3}(?=\S)|(?<=[^\s\\])\*{1,3}(?!\d)/g, ''],
  [/(?<![\w\\])_{1,3}(?=\S)|(?<=[^\s\\])_{1,3}(?!\w)/g, ''],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
];
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
 *
 * It looks for the words inside one block of the page, so they are taken from a single run.
 * @param {string} url
 * @param {string | undefined} quote
 */
export function linkToQuote(url, quote) {
  const runs = runsOf(quote ?? '');
  if (!runs.length || !/^https?:/i.test(url)) return url;
  if (url.startsWith(LIBRARY)) return linkIntoLibrary(url, runs.flat());
  const telling = runs.filter((each) => each.length >= TELLING_WORDS);
  const [first, last] = telling.length ? [telling[0], telling[telling.length - 1]] : [runs[0], runs[runs.length - 1]];
  const isOne = first === last && first.length <= 2 * FRAGMENT_WORDS;
  const ends = isOne ? [first] : [first.slice(0, FRAGMENT_WORDS), last.slice(-FRAGMENT_WORDS)];
  const text = ends.map((some) => encodeURIComponent(some.join(' ').toWellFormed()).replace(/-/g, '%2D')).join(',');
  return `${url}${url.includes('#') ? '' : '#'}:~:text=${text}`;
}

/**
 * Return the words of a passage of Markdown as a reader sees them, in runs that no line, cell,
 * reference mark or cut interrupts.
 * @param {string} passage
 */
function runsOf(passage) {
  return passage.split(RUN_BREAK).map((piece) => MARKUP.reduce((text, [sign, said]) => text.replace(sign, said), piece))
    .map((piece) => piece.split(/\s+/).filter(Boolean)).filter((words) => words.length);
}
