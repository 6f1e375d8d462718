/** Addresses of the page: what is shown follows from the path alone. */

/** @typedef {(match: Record<string, string>) => void} Show */

/** @type {[RegExp, Show][]} */
const routes = [];

/**
 * Say what a path shows; the pattern's named groups are handed over.
 * @param {RegExp} pattern
 * @param {Show} show
 */
export function route(pattern, show) {
  routes.push([pattern, show]);
}

/** Show what the address says. */
export function follow() {
  for (const [pattern, show] of routes) {
    const match = pattern.exec(location.pathname);
    if (match) return show({ ...match.groups });
  }
}

/**
 * Go to a path of this page.
 * @param {string} path
 * @param {{isSilent?: boolean}} [how]  silent: what it shows is on the screen already
 */
export function go(path, { isSilent = false } = {}) {
  if (path !== location.pathname) history.pushState(null, '', path);
  if (!isSilent) follow();
}

/**
 * Tell whether a click wants the link here, and not in another tab or as a file.
 * @param {MouseEvent} event
 */
export function isPlain(event) {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** Follow the address, the browser's buttons, and links marked with `data-route`. */
export function startRouting() {
  addEventListener('popstate', follow);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-route]') : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlain(event)) return;
    event.preventDefault();
    go(link.pathname);
  });
  follow();
}
