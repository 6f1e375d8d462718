/**
 * Colours for code and MathML for formulas, which the server makes of a finished answer.
 *
 * Code keeps its one text: colours are highlights over it, so that copying, searching and the
 * words of a citation are as before. A formula's source stays beside it, hidden.
 */

import { ask } from './api.js';

/** @typedef {import('./types.js').Typeset} Typeset */
/** @typedef {[string, Record<string, string>, (Tree | string)[]]} Tree */
/** @typedef {{element: HTMLElement, text: string, language: string, isDisplay: boolean}} Part  `language` is "" for a formula */

const MATHML = 'http://www.w3.org/1998/Math/MathML';
const KINDS = ['comment', 'deleted', 'inserted', 'keyword', 'name', 'number', 'string'];
const MOST = { length: 100_000, formula: 1000, parts: 50 };

/** What the server said, by kind and text. @type {Map<string, any>} */
const known = new Map();

export class TypesetView {
  /** @type {WeakSet<HTMLElement>} */
  #done = new WeakSet();
  /** @type {[string, StaticRange][]} */
  #ranges = [];

  /**
   * Typeset what is new in an answer.
   * @param {HTMLElement} root
   */
  async show(root) {
    const parts = partsOf(root).filter(({ element }) => !this.#done.has(element));
    parts.forEach(({ element }) => this.#done.add(element));
    for (const batch of batches(parts.filter((part) => !known.has(keyOf(part))))) {
      try {
        learn(batch, await ask('POST', '/typeset', bodyOf(batch)));
      } catch {
        // Without it an answer is as readable as it was while it came.
        batch.forEach(({ element }) => this.#done.delete(element));
      }
    }
    for (const part of parts) {
      const made = known.get(keyOf(part));
      if (!made || !part.element.isConnected) continue;
      if (part.language) this.#colour(part.element, made);
      else showFormula(part.element, made);
    }
  }

  /** Forget the colours of an answer that nobody looks at. */
  leave() {
    for (const [kind, range] of this.#ranges.splice(0)) CSS.highlights?.get(`code-${kind}`)?.delete(range);
  }

  /**
   * @param {HTMLElement} element
   * @param {Typeset['code'][number]} colours
   */
  #colour(element, colours) {
    if (!CSS.highlights) return;
    const texts = textsOf(element);
    let at = 0;
    for (const [start, end, kind] of colours) {
      while (at < texts.length - 1 && texts[at].end <= start) at++;
      const { node, from } = texts[at];
      // A colour that goes on in the next text, such as a long comment in a list, ends with this one.
      const [first, last] = [start - from, Math.min(end - from, node.length)];
      if (first < 0 || first >= last || !KINDS.includes(kind)) continue;
      const range = new StaticRange({ startContainer: node, startOffset: first, endContainer: node, endOffset: last });
      highlightOf(kind).add(range);
      this.#ranges.push([kind, range]);
    }
  }
}

/** @param {string} kind */
function highlightOf(kind) {
  const name = `code-${kind}`;
  const found = CSS.highlights.get(name) ?? new Highlight();
  // The words of a citation are lit above them.
  found.priority = -1;
  CSS.highlights.set(name, found);
  return found;
}

/**
 * @param {HTMLElement} root
 * @returns {Part[]}
 */
function partsOf(root) {
  const found = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('.code[data-language] code, .math')]);
  return found.map((element) => ({
    element, text: element.textContent ?? '', isDisplay: 'display' in element.dataset,
    language: element.closest('.code')?.getAttribute('data-language') ?? '',
  })).filter(({ text, language }) => text.trim() && text.length <= (language ? MOST.length : MOST.formula));
}

/** @param {Part} part */
function keyOf({ text, language, isDisplay }) {
  return `${language} ${isDisplay} ${text}`;
}

/**
 * @param {Part[]} parts
 * @returns {Part[][]}  each small enough for one request
 */
function batches(parts) {
  /** @type {Part[][]} */
  const found = [];
  let length = Infinity;
  for (const part of parts) {
    length += part.text.length;
    if (length > MOST.length || (found.at(-1)?.length ?? 0) >= MOST.parts) {
      found.push([]);
      length = part.text.length;
    }
    found.at(-1)?.push(part);
  }
  return found;
}

/** @param {Part[]} batch */
function bodyOf(batch) {
  return {
    code: batch.filter(({ language }) => language).map(({ text, language }) => ({ text, language })),
    math: batch.filter(({ language }) => !language).map(({ text, isDisplay }) => ({ text, is_display: isDisplay })),
  };
}

/**
 * @param {Part[]} batch
 * @param {Typeset} told
 */
function learn(batch, told) {
  if (known.size > 500) known.clear();
  const [code, math] = [[...told.code], [...told.math]];
  for (const part of batch) known.set(keyOf(part), (part.language ? code : math).shift());
}

/** @param {HTMLElement} element */
function textsOf(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {{node: Text, from: number, end: number}[]} */
  const found = [];
  let from = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = /** @type {Text} */ (node);
    found.push({ node: text, from, end: from + text.length });
    from += text.length;
  }
  return found;
}

/**
 * @param {HTMLElement} element
 * @param {Tree} tree
 */
function showFormula(element, tree) {
  const source = document.createElement('span');
  source.hidden = true;
  source.append(...element.childNodes);
  element.replaceChildren(mathOf(tree), source);
  element.classList.add('is-set');
}

/**
 * Make elements of a tree whose names and attributes the server allows by a list.
 * @param {Tree} tree
 */
function mathOf([name, attributes, inside]) {
  const made = document.createElementNS(MATHML, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside.map((each) => (typeof each === 'string' ? each : mathOf(each))));
  return made;
}
