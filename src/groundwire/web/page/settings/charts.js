/** Charts drawn with elements: bars by day, and bars by name. The numbers are in tables beside them. */

import { element } from '../dom.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Letters keep their size where the chart is drawn half as wide. */
const NARROW = matchMedia('(max-width: 36rem)');
const HEIGHT = 200;
const LEFT = 52;
const BOTTOM = 24;
const TOP = 8;

// So many colours, and as many signs on them: no two names look alike, nor only by colour.
const COLOURS = 8;
const TEXTURES = ['', 'striped', 'dotted', 'crossed'];

/** @typedef {{label: string, parts: {name: string, value: number}[]}} Column */

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Bars that stand side by side, each stacked of parts of the same names.
 * @param {{title: string, columns: Column[], names: string[], format: (value: number) => string}} what
 */
export function columnChart({ title, columns, names, format }) {
  const highest = niceTop(Math.max(...columns.map(sum), 0));
  const scale = (HEIGHT - BOTTOM - TOP) / highest;
  const width = NARROW.matches ? 340 : 720;
  const step = (width - LEFT) / Math.max(columns.length, 1);
  const picture = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': title });
  for (const value of [0, highest / 2, highest]) {
    const y = HEIGHT - BOTTOM - value * scale;
    picture.append(svg('line', { class: 'grid-line', x1: LEFT, x2: width, y1: y, y2: y }), svg('text', { class: 'axis', x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, format(value)));
  }
  const every = Math.ceil(columns.length / (NARROW.matches ? 3 : 8));
  columns.forEach((column, index) => {
    const x = LEFT + index * step;
    picture.append(bar(column, { x: x + step * 0.14, width: Math.max(step * 0.72, 1), scale, names, format }));
    // The last day is named; those that would run into it are not.
    const fromEnd = columns.length - 1 - index;
    if (fromEnd % every === 0) picture.append(svg('text', { class: 'axis', x: x + step / 2, y: HEIGHT - 6, 'text-anchor': fromEnd || columns.length < 3 ? 'middle' : 'end' }, column.label));
  });
  return element('figure', { class: 'figure' }, picture, legend(names));
}

/**
 * @param {Column} column
 * @param {{x: number, width: number, scale: number, names: string[], format: (value: number) => string}} place
 */
function bar(column, { x, width, scale, names, format }) {
  const said = column.parts.filter(({ value }) => value > 0).map(({ name, value }) => `${name}: ${format(value)}`);
  const group = svg('g', { class: 'bar' }, svg('title', {}, [column.label, ...(said.length ? said : ['nothing'])].join('\n')));
  // The whole height can be pointed at, so that small bars tell as well.
  group.append(svg('rect', { class: 'bar-ground', x, width, y: TOP, height: HEIGHT - BOTTOM - TOP }));
  let y = HEIGHT - BOTTOM;
  for (const { name, value } of column.parts) {
    const height = value * scale;
    if (height <= 0) continue;
    y -= height;
    group.append(...filled(names.indexOf(name), { x, width, y, height: Math.max(height - 1, 0.8), rx: Math.min(2, width / 4) }));
  }
  return group;
}

/** @param {Column} column */
function sum({ parts }) {
  return parts.reduce((total, { value }) => total + value, 0);
}

/**
 * Return how a series looks: its colour, and from the ninth on a texture over it.
 * @param {number} series
 */
export function lookOf(series) {
  return { colour: `series-${series % COLOURS}`, texture: TEXTURES[Math.floor(series / COLOURS) % TEXTURES.length] };
}

/**
 * Make a rectangle in the look of a series.
 * @param {number} series
 * @param {Record<string, string | number>} place
 */
function filled(series, place) {
  const { colour, texture } = lookOf(series);
  const ground = svg('rect', { class: colour, ...place });
  return texture ? [ground, svg('rect', { fill: `url(#texture-${texture})`, ...place })] : [ground];
}

/** Make the textures that rectangles of this page refer to. */
export function textures() {
  const paths = { striped: 'M-1 1l2-2M0 6l6-6M5 7l2-2', dotted: 'M3 3h.01', crossed: 'M0 0l6 6M6 0L0 6' };
  const patterns = Object.entries(paths).map(([name, d]) => svg('pattern', { id: `texture-${name}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse' },
    svg('path', { class: 'texture', d })));
  return svg('svg', { class: 'visually-hidden', 'aria-hidden': 'true' }, svg('defs', {}, ...patterns));
}

/** @param {string[]} names */
function legend(names) {
  return element('figcaption', { class: 'chart-legend' }, ...names.map((name, index) => {
    const { colour, texture } = lookOf(index);
    return element('span', {}, element('i', { class: `swatch ${colour}`, 'data-texture': texture || null, 'aria-hidden': 'true' }), name);
  }));
}

/**
 * Round up to a number that halves well.
 * @param {number} value
 */
function niceTop(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10) * power;
}

/**
 * Lying bars behind the rows of a table: its first column holds the names.
 * @param {{title: string, head: string[], rows: {cells: string[], share: number, series: number}[]}} what
 */
export function barTable({ title, head, rows }) {
  const lines = rows.map(({ cells, share, series }) => {
    const [name, ...rest] = cells;
    const picture = svg('svg', { class: 'share', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('rect', { class: 'bar-ground', width: 100, height: 6, rx: 1 }), ...filled(series, { width: Math.max(share * 100, 0.6), height: 6, rx: 1 }));
    return element('tr', {}, element('th', { scope: 'row' }, element('span', {}, name), picture), ...rest.map((cell) => element('td', {}, cell)));
  });
  return table({ title, head, lines });
}

/**
 * @param {{title: string, head: string[], lines: HTMLTableRowElement[]}} what
 */
export function table({ title, head, lines }) {
  return element('div', { class: 'table-box', tabindex: 0, role: 'region', 'aria-label': title },
    element('table', { class: 'table' }, element('caption', { class: 'visually-hidden' }, title),
      element('thead', {}, element('tr', {}, ...head.map((name) => element('th', { scope: 'col' }, name)))), element('tbody', {}, ...lines)));
}
