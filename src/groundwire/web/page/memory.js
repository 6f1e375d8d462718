/** Preferences in localStorage; where it is not available they are not kept. */

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(`groundwire.${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`groundwire.${name}`, value);
  } catch {
    // Private browsing, or full: it is forgotten at the end of the visit.
  }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(`groundwire.${name}`);
  } catch {
    // As above.
  }
}
