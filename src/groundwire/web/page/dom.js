/** Makes elements. There is no innerHTML anywhere: text is text, whoever wrote it. */

/** @typedef {Node | string | null | undefined | false} Child */

const SVG = 'http://www.w3.org/2000/svg';
const LIBRARY = 'library.test';

/**
 * Make an element. Properties that start with `on` are listeners, booleans are present or absent,
 * the rest are attributes; null and undefined are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter(isChild));
  return made;
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
function isChild(child) {
  return child !== null && child !== undefined && child !== false;
}

/**
 * Make an icon of a sprite; it says nothing to a screen reader.
 * @param {string} name
 * @param {string} [sprite]
 */
export function icon(name, sprite = '/page/icons.svg') {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

/**
 * Make a button with an icon and a name that is shown as its tooltip.
 * @param {string} name
 * @param {string} iconName
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, any>} [properties]
 */
export function iconButton(name, iconName, onclick, properties = {}) {
  return element('button',
    { type: 'button', class: 'icon-button', 'aria-label': name, title: name, onclick, ...properties },
    icon(iconName));
}

/**
 * Make the letter that stands for a site or somebody, in a colour of its own; nobody is asked for a picture.
 * @param {string} name
 * @param {string} [look]
 * @param {number} [place]  in a list whose members must not look alike; else the name decides
 */
export function avatar(name, look = 'avatar', place) {
  const letter = [...name.replace(/^www\./, '')].find((each) => /[\p{L}\p{N}]/u.test(each)) ?? '?';
  let hue = 0;
  for (const each of name) hue = (hue * 31 + /** @type {number} */ (each.codePointAt(0))) % 360;
  // By the golden angle no two of a list come near one another.
  if (place !== undefined) hue = Math.round(place * 137.508) % 360;
  const made = element('span', { class: look, 'aria-hidden': 'true' }, letter.toUpperCase());
  // By script, since the policy allows no style attribute.
  made.style.setProperty('--hue', String(hue));
  return made;
}

let hasIcons = false;

/**
 * Say whether sources have icons, which our own server asks their sites for.
 * @param {boolean} areOn
 */
export function useIcons(areOn) {
  hasIcons = areOn;
}

/**
 * Make the sign of a source: its letter, and in its place the icon of its site once that has come.
 * @param {{domain: string, number: number}} source
 * @param {string} messageId  of its answer; '' while that is not kept
 */
export function sourceSign({ domain, number }, messageId) {
  const sign = avatar(domain);
  if (!hasIcons || !messageId || domain === LIBRARY) return sign;
  // In its place from the start, so that it is only asked for where somebody can see it.
  const picture = element('img', {
    alt: '', loading: 'lazy', decoding: 'async', src: `/api/messages/${messageId}/sources/${number}/icon`,
    onload: () => sign.classList.add('has-icon'), onerror: () => picture.remove(),
  });
  sign.append(picture);
  return sign;
}

/** @type {string | null} */
let libraryWorkspace = null;

/**
 * Say in whose library documents are opened from now on: two may have some under one address.
 * @param {string | null} workspaceId  null leaves it to the server
 */
export function openLibraryOf(workspaceId) {
  libraryWorkspace = workspaceId;
}

/**
 * Return where a browser finds a page: a document of the library has an address of the web, but no
 * server except ours.
 * @param {string} href
 */
function placeOf(href) {
  if (!href.startsWith(`https://${LIBRARY}/`)) return href;
  const { pathname, searchParams, hash } = new URL(href);
  if (libraryWorkspace) searchParams.set('workspace_id', libraryWorkspace);
  return `/library${pathname}${searchParams.size ? '?' : ''}${searchParams}${hash}`;
}

/**
 * Make a link that leaves the page.
 * @param {string} href
 * @param {Record<string, any>} properties
 * @param {...Child} children
 */
export function outsideLink(href, properties, ...children) {
  return element('a', { href: placeOf(href), target: '_blank', rel: 'noopener noreferrer', ...properties }, ...children);
}

/**
 * Find an element that the page has by construction.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function find(selector, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * Load a style sheet; resolves when it is in force.
 * @param {string} href
 */
export function loadStyle(href) {
  return new Promise((resolve, reject) => {
    document.head.append(element('link', { rel: 'stylesheet', href, onload: resolve, onerror: reject }));
  });
}

/**
 * Return a count with its noun: 1 page, 2 pages.
 * @param {number} number
 * @param {string} one
 * @param {string} [many]  where an s is not enough
 */
export function plural(number, one, many = `${one}s`) {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

/**
 * Tell a screen reader.
 * @param {string} message
 */
export function announce(message) {
  find('#live').textContent = message;
}

/**
 * Show a message for a while, with one thing to do about it.
 * @param {string} message
 * @param {{label: string, run: () => void, seconds?: number, onEnd?: () => void}} [action]
 */
export function toast(message, action) {
  const end = () => {
    clearTimeout(timer);
    if (!shown.isConnected) return;
    shown.remove();
    action?.onEnd?.();
  };
  const shown = element('div', { class: 'toast', role: 'status' }, element('span', {}, message),
    action && element('button', { type: 'button', class: 'link-button', onclick: () => { shown.remove(); action.run(); } }, action.label),
    iconButton('Dismiss', 'close', end));
  const timer = setTimeout(end, (action?.seconds ?? 6) * 1000);
  find('#toasts').append(shown);
}

/**
 * Copy text, and say so on the button for a moment.
 * @param {string} text
 * @param {HTMLElement} button
 */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    toast('The browser did not allow copying: select the text and copy it by hand.');
    return;
  }
  announce('Copied');
  button.classList.add('is-done');
  setTimeout(() => button.classList.remove('is-done'), 1500);
}
