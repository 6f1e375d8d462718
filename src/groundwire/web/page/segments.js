/** Lines of a block as one text, and where each stretch of it stands in the source. */

/** @typedef {{content: number, source: number}} Segment  where a stretch of content comes from */

/**
 * Return lines as one text, and which stretches of it stand together in the source.
 * @param {import('./lines.js').Line[]} lines
 * @returns {{content: string, segments: Segment[]}}
 */
export function join(lines) {
  /** @type {Segment[]} */
  const segments = [];
  let content = 0;
  let source = -1;
  for (const line of lines) {
    if (line.at !== source) segments.push({ content, source: line.at });
    content += line.text.length + 1;
    source = line.at + line.text.length + 1;
  }
  return { content: lines.map((line) => line.text).join('\n'), segments };
}

/**
 * Return where a place of the content is in the source.
 * @param {Segment[]} segments
 * @param {number} at
 */
export function toSource(segments, at) {
  const found = segments[indexAt(segments, at)];
  return found ? found.source + at - found.content : at;
}

/**
 * Return where the stretch of the content ends in which a place is.
 * @param {Segment[]} segments
 * @param {number} at
 */
export function stretchEnd(segments, at) {
  return segments[indexAt(segments, at) + 1]?.content ?? Infinity;
}

/**
 * @param {Segment[]} segments
 * @param {number} at
 */
function indexAt(segments, at) {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (segments[middle].content <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
