/**
 * Markdown's words: emphasis, code, links, breaks. Images are never loaded, raw HTML is text.
 *
 * In text that is still arriving a sign whose other half has not come yet is not shown as a sign.
 */

import { withoutTail } from './links.js';

/** Stands in the source where a citation marker is. */
export const MARKER = '\ufffc';

/**
 * @typedef {object} Inline
 * @property {'text'|'code'|'em'|'strong'|'del'|'link'|'image'|'break'|'marker'|'math'|'run'} type
 * @property {number} start  in the content that was parsed
 * @property {number} end
 * @property {string} [text]
 * @property {string} [url]
 * @property {boolean} [isDisplay]  of a formula that stands on a line of its own
 * @property {Inline[]} [children]
 * @property {boolean} [canOpen]  of a run of emphasis signs, like the next two
 * @property {boolean} [canClose]
 * @property {number} [length]  of the run as it was written
 */

// Two prices are no formula: what closes one has no space before it and no word after it.
const INLINE_MATH = /\$(?![\s$])((?:\\[^\n\ufffc]|[^\\$\n\ufffc])+)(?<!\s)\$(?![\p{L}\p{N}$])/uy;
const SPECIAL = /[\\`*_~[\]!&<$\ufffc]| *\n|https?:\/\//g;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>\ufffc]*)>/y;
const BARE = /https?:\/\/[^\s<>"'`|\ufffc]+/y;
const TARGET = /\(\s*(?:<([^<>\n]*)>|([^\s()<\ufffc]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)/y;
const PUNCTUATION = /[\p{P}\p{S}\ufffc]/u;
const ENTITIES = /** @type {Record<string, string>} */ ({
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', deg: '°',
  ndash: '–', mdash: '—', hellip: '…', times: '×', middot: '·', laquo: '«', raquo: '»', euro: '€',
});

/** The longest formula: nobody writes a longer one, and looking for its end must not take long. */
const MAX_FORMULA = 1000;

/**
 * Tell a formula from words in brackets that Markdown has to have a backslash before: `\[edit\]`.
 * @param {string} text
 * @param {string} closing
 */
function isFormula(text, closing) {
  return /[\\^_={}<>+]/.test(text) || (closing === '$$' ? /\S/.test(text) : closing === '\\)' && /^\s*[\p{L}\p{N}]{1,2}\s*$/u.test(text));
}

/**
 * Return the words of a block.
 * @param {string} content
 * @param {boolean} isOpen  more may follow
 * @returns {Inline[]}
 */
export function parseInlines(content, isOpen = false) {
  return new Reader(content, isOpen).read();
}

class Reader {
  /** @type {Inline[]} */
  #nodes = [];
  /** @type {{index: number, isImage: boolean}[]} */
  #brackets = [];
  #at = 0;

  /**
   * @param {string} content
   * @param {boolean} isOpen
   */
  constructor(content, isOpen) {
    this.content = content;
    this.isOpen = isOpen;
  }

  read() {
    const { content } = this;
    while (this.#at < content.length) {
      SPECIAL.lastIndex = this.#at;
      const found = SPECIAL.exec(content);
      this.#text(this.#at, found ? found.index : content.length);
      if (!found) break;
      this.#at = found.index;
      this.#special(found[0]);
    }
    if (this.isOpen) this.#hideOpenBracket();
    joinEmphasis(this.#nodes, 0, this.isOpen);
    return this.#nodes;
  }

  /** @param {string} sign */
  #special(sign) {
    const { content } = this;
    const next = content[this.#at + 1];
    if (sign.endsWith('\n')) this.#lineEnd(sign);
    else if (sign === '$') this.#dollar();
    else if (sign === '\\') {
      if (next === '(' || next === '[') this.#formula(next === '(' ? '\\)' : '\\]', next === '[');
      else if (next === '\n') this.#add('break', 2);
      else if (next !== undefined && /[!-/:-@[-`{-~]/.test(next)) this.#add('text', 2, { text: next });
      else if (next === undefined && this.isOpen) this.#at++;
      else this.#literal(1);
    } else if (sign === '`') this.#code();
    else if (sign === MARKER) this.#add('marker', 1);
    else if ('*_~'.includes(sign)) this.#run(sign);
    else if (sign === '[' || (sign === '!' && next === '[')) this.#bracket(sign === '!');
    else if (sign === ']') this.#close();
    else if (sign === '&') this.#entity();
    else if (sign === '<') this.#match(AUTOLINK, (found) => this.#link(found[1], found[0], 1));
    else if (sign.startsWith('http')) this.#bare();
    else this.#literal(1);
  }

  /**
   * @param {Inline['type']} type
   * @param {number} length
   * @param {Partial<Inline>} [more]
   */
  #add(type, length, more) {
    this.#nodes.push({ type, start: this.#at, end: this.#at + length, ...more });
    this.#at += length;
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #text(start, end) {
    if (end > start) this.#nodes.push({ type: 'text', start, end, text: this.content.slice(start, end) });
    this.#at = end;
  }

  /** @param {number} length */
  #literal(length) {
    this.#text(this.#at, this.#at + length);
  }

  /** @param {string} sign */
  #lineEnd(sign) {
    if (sign.length > 2) this.#add('break', sign.length);
    else this.#add('text', sign.length, { text: '\n' });
  }

  #code() {
    const { content } = this;
    const fence = /** @type {RegExpMatchArray} */ (/^`+/.exec(content.slice(this.#at)))[0];
    const from = this.#at + fence.length;
    const closing = new RegExp(`(?<!\`)${fence}(?!\`)`, 'g');
    closing.lastIndex = from;
    const found = closing.exec(content);
    if (!found && !this.isOpen) return this.#literal(fence.length);
    const end = found ? found.index : content.replace(/`+$/, '').length;
    let text = content.slice(from, end).replaceAll('\n', ' ');
    let start = from;
    if (found && /^ .*[^ ].* $/.test(text)) {
      text = text.slice(1, -1);
      start++;
    }
    if (text) this.#nodes.push({ type: 'code', start, end: start + text.length, text });
    this.#at = found ? end + fence.length : content.length;
  }

  #dollar() {
    const { content } = this;
    if (content[this.#at + 1] === '$') return this.#formula('$$', true);
    INLINE_MATH.lastIndex = this.#at;
    const found = /[\p{L}\p{N}\\$]/u.test(content[this.#at - 1] ?? '') ? null : INLINE_MATH.exec(content);
    // Words between two signs are words: `$5 or 10$`, `$HOME and foo$`.
    if (!found || (/\s/.test(found[1]) && !/[\\^_={}<>+*/|()&!-]/.test(found[1]))) return this.#literal(1);
    this.#nodes.push({ type: 'math', start: this.#at + 1, end: this.#at + 1 + found[1].length, text: found[1], isDisplay: false });
    this.#at += found[0].length;
  }

  /**
   * @param {string} closing
   * @param {boolean} isDisplay
   */
  #formula(closing, isDisplay) {
    const { content } = this;
    const from = this.#at + 2;
    const rest = content.slice(from, from + MAX_FORMULA);
    const length = rest.indexOf(closing);
    const isWhole = length >= 0;
    const text = isWhole ? rest.slice(0, length) : rest;
    // What is not closed is a bracket with a backslash, or two dollars, unless the rest is to come.
    if (!isFormula(text, closing) || text.includes(MARKER) || (!isWhole && !(this.isOpen && isDisplay))) {
      return closing === '$$' ? this.#literal(2) : this.#add('text', 2, { text: content[this.#at + 1] });
    }
    this.#nodes.push({ type: 'math', start: from, end: from + text.length, text, isDisplay });
    this.#at = from + text.length + (isWhole ? closing.length : 0);
  }

  /** @param {string} sign */
  #run(sign) {
    const { content } = this;
    let end = this.#at;
    while (content[end] === sign) end++;
    const length = end - this.#at;
    if (sign === '~' && length > 2) return this.#literal(length);
    // Half a sign at the very end says nothing yet.
    if (this.isOpen && end === content.length) return void (this.#at = end);
    const before = /.$/su.exec(content.slice(Math.max(0, this.#at - 2), this.#at))?.[0] ?? ' ';
    const after = String.fromCodePoint(content.codePointAt(end) ?? 32);
    const isLeft = !/\s/.test(after) && (!PUNCTUATION.test(after) || /\s/.test(before) || PUNCTUATION.test(before));
    const isRight = !/\s/.test(before) && (!PUNCTUATION.test(before) || /\s/.test(after) || PUNCTUATION.test(after));
    const isWord = sign === '_';
    this.#add('run', length, {
      text: content.slice(this.#at, end),
      length,
      canOpen: isLeft && (!isWord || !isRight || PUNCTUATION.test(before)),
      canClose: isRight && (!isWord || !isLeft || PUNCTUATION.test(after)),
    });
  }

  /** @param {boolean} isImage */
  #bracket(isImage) {
    this.#brackets.push({ index: this.#nodes.length, isImage });
    this.#literal(isImage ? 2 : 1);
  }

  #close() {
    const opening = this.#brackets.pop();
    TARGET.lastIndex = this.#at + 1;
    const target = opening && TARGET.exec(this.content);
    if (!opening || !target) return this.#literal(1);
    const children = this.#nodes.splice(opening.index).slice(1);
    joinEmphasis(children, 0, false);
    const url = (target[1] ?? target[2]).replace(/\\([!-/:-@[-`{-~])/g, '$1');
    const type = opening.isImage ? 'image' : 'link';
    this.#add(type, 1 + target[0].length, { url, children });
    // A link has no link inside.
    if (!opening.isImage) this.#brackets = this.#brackets.filter((each) => each.isImage);
  }

  #entity() {
    this.#match(ENTITY, ([whole, decimal, hex, name]) => {
      const code = decimal ? Number(decimal) : parseInt(hex, 16);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      const text = name ? Object.hasOwn(ENTITIES, name) && ENTITIES[name] : isCharacter ? String.fromCodePoint(code) : '\ufffd';
      if (text) this.#add('text', whole.length, { text });
      else this.#literal(whole.length);
    });
  }

  #bare() {
    if (/[\p{L}\p{N}]/u.test(this.content[this.#at - 1] ?? '')) return this.#literal(4);
    this.#match(BARE, (found) => {
      const url = withoutTail(found[0]);
      if (url.length <= 8) return this.#literal(url.length);
      this.#link(url, url, 0);
    });
  }

  /**
   * @param {string} url
   * @param {string} written
   * @param {number} sign
   */
  #link(url, written, sign) {
    const start = this.#at + sign;
    const text = { type: /** @type {'text'} */ ('text'), start, end: start + url.length, text: url };
    this.#add('link', written.length, { url, children: [text] });
  }

  /**
   * @param {RegExp} pattern
   * @param {(found: RegExpExecArray) => void} use
   */
  #match(pattern, use) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.content);
    if (found) use(found);
    else this.#literal(1);
  }

  /** Show the words of a link whose target is still arriving, without its signs. */
  #hideOpenBracket() {
    const opening = this.#brackets[this.#brackets.length - 1];
    const last = this.content.lastIndexOf(']');
    if (opening) this.#nodes.splice(opening.index, 1);
    else if (last > 0 && /^\](\([^)\n]*)?$/.test(this.content.slice(last))) this.#hideTarget(last);
  }

  /** @param {number} closing  where the last `]` is */
  #hideTarget(closing) {
    const first = this.#nodes.findLastIndex(({ text }) => text === '[' || text === '![');
    if (first < 0) return;
    this.#nodes = this.#nodes.filter((node, index) => index !== first && node.start < closing);
  }
}

/**
 * Turn matching runs into emphasis, from a place in the list on. With `isOpen`, an opening run
 * reaches to the end.
 * @param {Inline[]} nodes
 * @param {number} from
 * @param {boolean} isOpen
 */
function joinEmphasis(nodes, from, isOpen) {
  /** @type {Record<string, number>} */
  const floor = {};
  for (let at = from; at < nodes.length; at++) {
    const closer = nodes[at];
    if (closer.type !== 'run' || !closer.canClose) continue;
    const sign = /** @type {string} */ (closer.text)[0];
    const kind = `${sign}${closer.canOpen}${/** @type {number} */ (closer.length) % 3}`;
    let opening = at - 1;
    while (opening >= (floor[kind] ?? from) && !matches(nodes[opening], closer)) opening--;
    if (opening < (floor[kind] ?? from)) floor[kind] = at;
    else at = wrap(nodes, opening, at) - 1;
  }
  if (isOpen) openToEnd(nodes, from);
  for (const node of nodes) if (node.type === 'run') node.type = 'text';
}

/**
 * @param {Inline} opener
 * @param {Inline} closer
 */
function matches(opener, closer) {
  if (opener.type !== 'run' || !opener.canOpen || opener.text?.[0] !== closer.text?.[0]) return false;
  if (closer.text?.[0] === '~') return opener.text === closer.text;
  const [one, other] = [/** @type {number} */ (opener.length), /** @type {number} */ (closer.length)];
  return !((opener.canClose || closer.canOpen) && (one + other) % 3 === 0 && (one % 3 || other % 3));
}

/**
 * Put what is between two runs into emphasis; return where the closing run is now.
 * @param {Inline[]} nodes
 * @param {number} opening
 * @param {number} closing
 */
function wrap(nodes, opening, closing) {
  const [opener, closer] = [nodes[opening], nodes[closing]];
  const sign = /** @type {string} */ (opener.text);
  const width = sign[0] === '~' ? sign.length
    : sign.length > 1 && /** @type {string} */ (closer.text).length > 1 ? 2 : 1;
  const children = nodes.slice(opening + 1, closing);
  for (const child of children) if (child.type === 'run') child.type = 'text';
  const type = sign[0] === '~' ? 'del' : width === 2 ? 'strong' : 'em';
  /** @type {Inline} */
  const node = { type, start: opener.end - width, end: closer.start + width, children };
  const left = shorten(opener, opener.start, opener.end - width);
  const right = shorten(closer, closer.start + width, closer.end);
  nodes.splice(opening, closing - opening + 1, ...left, node, ...right);
  return opening + left.length + 1;
}

/**
 * @param {Inline} run
 * @param {number} start
 * @param {number} end
 * @returns {Inline[]}
 */
function shorten(run, start, end) {
  return end > start ? [{ ...run, start, end, text: run.text?.slice(0, end - start) }] : [];
}

/**
 * @param {Inline[]} nodes
 * @param {number} from
 */
function openToEnd(nodes, from) {
  for (let at = nodes.length - 1; at >= from; at--) {
    const run = nodes[at];
    if (run.type !== 'run' || !run.canOpen || at === nodes.length - 1) continue;
    const sign = /** @type {string} */ (run.text);
    if (sign === '~') continue;
    const type = sign[0] === '~' ? 'del' : sign.length > 1 ? 'strong' : 'em';
    const children = nodes.splice(at).slice(1);
    nodes.push({ type, start: run.start, end: children[children.length - 1].end, children });
  }
}
