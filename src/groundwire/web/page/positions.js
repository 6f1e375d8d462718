/** Positions: the server counts code points, JavaScript counts UTF-16 units. */

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Return how many UTF-16 units the first so many code points take.
 * @param {string} text
 * @param {number} codePoints
 */
export function toUnits(text, codePoints) {
  if (!SURROGATE.test(text)) return Math.min(codePoints, text.length);
  let units = 0;
  for (let left = codePoints; left > 0 && units < text.length; left--) {
    units += /** @type {number} */ (text.codePointAt(units)) > 0xffff ? 2 : 1;
  }
  return units;
}

/**
 * Return how many code points a text has; a lone surrogate is one.
 * @param {string} text
 */
export function countCodePoints(text) {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}
