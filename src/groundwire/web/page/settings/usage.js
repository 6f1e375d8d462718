/** Usage: what the answers of a workspace used and cost, by day, provider and model. */

import { ask, query } from '../api.js';
import { element } from '../dom.js';
import { barTable, columnChart, table, textures } from './charts.js';
import { choiceField } from './fields.js';
import { card, failure, notice } from './parts.js';

/** What can be measured of a line and of a sum. @typedef {Omit<import('../types.js').UsageTotal, 'cost_text'>} Amounts */
/** @typedef {import('./types.js').Context} Context */
/** @typedef {import('../types.js').UsageDay} UsageLine */
/** @typedef {import('../types.js').UsageSum} UsageSum */
/** @typedef {import('../types.js').UsageReport} Report */
/** @typedef {'cost_usd' | 'turns' | 'tokens' | 'searches' | 'pages_read'} Measure */

/** @type {Record<Measure, {title: string, of: (line: Amounts) => number, format: (value: number) => string}>} */
const MEASURES = {
  cost_usd: { title: 'Cost', of: ({ cost_usd: cost }) => cost ?? 0, format: dollars },
  turns: { title: 'Answers', of: ({ turns }) => turns, format: count },
  tokens: { title: 'Tokens', of: ({ input_tokens: read, output_tokens: written }) => read + written, format: count },
  searches: { title: 'Searches', of: ({ searches }) => searches, format: count },
  pages_read: { title: 'Pages read', of: ({ pages_read: pages }) => pages, format: count },
};

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function show(root, context) {
  const period = choiceField('Period', [['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['365', 'A year']], '30');
  const measure = choiceField('Chart', Object.entries(MEASURES).map(([name, { title }]) => [name, title]), 'cost_usd');
  const body = element('div', { class: 'section-body', 'aria-live': 'polite' });
  /** @type {Report} */
  let report;
  const draw = () => body.replaceChildren(...parts(report, Number(period.value), /** @type {Measure} */ (measure.value)));
  const load = async () => {
    report = await ask('GET', `/usage${query({ workspace_id: context.workspace?.id, days: period.value })}`);
    // Without any price, a chart of costs would be empty.
    if (report.total.cost_usd === null && measure.value === 'cost_usd') measure.value = 'turns';
    draw();
  };
  period.control.addEventListener('change', () => { void load().catch((error) => body.replaceChildren(failure(error, load))); });
  measure.control.addEventListener('change', draw);
  root.append(element('div', { class: 'section-intro' },
    element('p', {}, 'What the answers in ', element('strong', {}, context.workspace?.name ?? 'this workspace'), ' used. Days are counted in UTC; costs are those that providers name, else list prices of tokens and searches; “at least” where a price is not known.'),
    element('div', { class: 'row is-tight filters' }, period.root, measure.root)), body);
  await load();
}

/**
 * @param {Report} report
 * @param {number} days
 * @param {Measure} name
 */
function parts({ days: lines, by_day: byDay, by_provider: byProvider, by_model: byModel, total }, days, name) {
  if (!lines.length) return [notice('info', 'Nothing was asked in this time. Usage appears here after the first answer.')];
  const measure = MEASURES[name];
  // By name, so that a provider has the same colour in every period.
  const providers = [...new Set(lines.map(({ provider }) => provider))].sort();
  const dates = datesUntilToday(days, lines);
  const columns = dates.map((date) => ({
    label: short(date),
    parts: providers.map((provider) => ({ name: provider, value: addUp(lines.filter((line) => line.date === date && line.provider === provider), measure.of) })),
  }));
  const title = `${measure.title} by day and provider`;
  return [
    textures(), tiles(total),
    card(title, null, columnChart({ title: `${title}: ${measure.format(addUp(lines, measure.of))} in all`, columns, names: providers, format: measure.format }),
      element('details', { class: 'numbers' }, element('summary', {}, 'Show the numbers'), dayTable(byDay))),
    card('By provider', null, groupTable('By provider', 'Provider', byProvider, ({ provider }) => provider, providers, measure)),
    card('By model', null, groupTable('By model', 'Model', byModel, ({ provider, model }) => `${model || 'default'} · ${provider}`, providers, measure)),
  ];
}

/** @param {Report['total']} total */
function tiles(total) {
  const shown = [
    ['Cost', total.cost_text || (total.cost_usd === null ? 'Not known' : 'None')], ['Answers', count(total.turns)], ['Tokens read', count(total.input_tokens)],
    ['Tokens written', count(total.output_tokens)], ['Searches', count(total.searches)], ['Pages read', count(total.pages_read)],
  ];
  return element('dl', { class: 'tiles' }, ...shown.map(([name, value]) => element('div', { class: 'tile' }, element('dt', {}, name), element('dd', {}, value))));
}

/** @param {UsageSum[]} sums */
function dayTable(sums) {
  const rows = sums.toReversed().map((sum) => element('tr', {}, element('th', { scope: 'row' }, sum.date), ...cells(sum).map((cell) => element('td', {}, cell))));
  return table({ title: 'Usage by day', head: ['Day', ...HEAD], lines: rows });
}

const HEAD = ['Answers', 'Tokens read', 'Tokens written', 'Searches', 'Pages', 'Cost'];

/**
 * @param {string} title
 * @param {string} head
 * @param {UsageSum[]} sums
 * @param {(sum: UsageSum) => string} nameOf
 * @param {string[]} providers
 * @param {{of: (line: Amounts) => number}} measure
 */
function groupTable(title, head, sums, nameOf, providers, { of }) {
  const sorted = sums.toSorted((one, other) => of(other) - of(one));
  const most = Math.max(...sums.map(of), 1e-9);
  const rows = sorted.map((sum) => ({ cells: [nameOf(sum), ...cells(sum)], share: of(sum) / most, series: providers.indexOf(sum.provider) }));
  return barTable({ title, head: [head, ...HEAD], rows });
}

/** @param {UsageSum} sum */
function cells(sum) {
  const counts = /** @type {const} */ (['turns', 'input_tokens', 'output_tokens', 'searches', 'pages_read']).map((name) => count(sum[name]));
  return [...counts, sum.cost_text || '–'];
}

/**
 * @param {UsageLine[]} lines
 * @param {(line: Amounts) => number} of
 */
function addUp(lines, of) {
  return lines.reduce((sum, line) => sum + of(line), 0);
}

/**
 * Return every day of the period, also those on which nothing was asked.
 * @param {number} days
 * @param {UsageLine[]} lines
 */
function datesUntilToday(days, lines) {
  const newest = lines.reduce((latest, { date }) => (date > latest ? date : latest), new Date().toISOString().slice(0, 10));
  const end = Date.parse(newest);
  return Array.from({ length: days }, (_, index) => new Date(end - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10));
}

/** @param {string} date */
function short(date) {
  return new Date(date).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** @param {number} value */
function count(value) {
  return value.toLocaleString(undefined, { notation: value >= 100_000 ? 'compact' : 'standard', maximumFractionDigits: 1 });
}

/**
 * Return a number of the chart; what an answer cost in words comes from the server.
 * @param {number} value
 */
function dollars(value) {
  return `$${value.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: value && Math.abs(value) < 0.1 ? 4 : 2 })}`;
}
