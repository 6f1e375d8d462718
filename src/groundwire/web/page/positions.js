/** Positions: the server counts code points, JavaScript counts UTF-16 units. */

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Return how many UTF-16 units so many code points take.
 * @param {string} text
 * @param {number} codePoints
 * @param {number} [from]  the unit at which the first of them is
 */
export function toUnits(text, codePoints, from = 0) {
  // Whatever is behind them is not looked at: a long text has many places.
  const near = text.slice(from, from + 2 * codePoints);
  if (!SURROGATE.test(near)) return Math.min(codePoints, near.length);
  let units = 0;
  for (let left = codePoints; left > 0 && units < near.length; left--) {
    units += /** @type {number} */ (near.codePointAt(units)) > 0xffff ? 2 : 1;
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
