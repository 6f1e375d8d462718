/** Words that the parts of the library share. */

import { plural } from '../dom.js';

/** How often a source is read again, in hours. */
export const REFRESHES = /** @type {[string, string][]} */ ([['0', 'Only when asked'], ['1', 'Every hour'], ['24', 'Every day'], ['168', 'Every week']]);

/** @param {number} value */
const tenths = (value) => Math.round(value * 10) / 10;

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return plural(bytes, 'byte');
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${tenths(bytes / 1e6)} MB` : `${tenths(bytes / 1e9)} GB`;
}
