/** When each source was published and read, and by whom, taken from the tool runs: an answer does not have it. */

import { pagesOf } from './links.js';

/** @typedef {{published?: string, retrieved_at?: string, is_ours?: boolean}} PageDates  `is_ours` says that the server opened the page itself, and has its text */
/** @typedef {import('./types.js').Source & PageDates} DatedSource */

const MOST_AUTHORS = 3;
const MOST_OF_A_LICENCE = 60;

export class Dates {
  /** @type {Map<string, PageDates>} */
  #known = new Map();

  /**
   * Note what a search found out, or when a page was opened.
   * @param {import('./types.js').ToolRun} run
   */
  take(run) {
    for (const { url, published } of run.results ?? []) if (published) this.#note(url, { published });
    if (run.status === 'done') for (const url of pagesOf(run)) this.#note(url, { retrieved_at: run.started_at, is_ours: run.mode === 'client' });
  }

  /**
   * @param {string} url
   * @returns {PageDates}
   */
  of(url) {
    return this.#known.get(url) ?? {};
  }

  /**
   * @param {string} url
   * @param {PageDates} dates
   */
  #note(url, dates) {
    this.#known.set(url, { ...this.of(url), ...dates });
  }
}

/**
 * Return what a page says of itself and when it was read, in a line.
 * @param {DatedSource} source
 * @param {import('./types.js').CitationCheck | null} check
 */
export function aboutPage(source, check) {
  const { authors = [], site_name: site = '', modified = '', licence = '' } = check ?? {};
  const published = check?.published || source.published || '';
  const names = authors.slice(0, MOST_AUTHORS).join(', ') + (authors.length > MOST_AUTHORS ? ' and others' : '');
  const known = [source.domain, ...authors].map((each) => each.toLowerCase());
  const isChanged = modified.slice(0, 10) > published.slice(0, 10);
  return [
    names && `By ${names}`, !known.includes(site.toLowerCase()) && site,
    published && `published ${dayOf(published)}`, isChanged && `changed ${dayOf(modified)}`,
    source.retrieved_at && `retrieved ${shown(new Date(source.retrieved_at))}`,
    licence && `licence ${shortened(licence.replace(/^https?:\/\//, ''))}`,
  ].filter(Boolean).join(', ');
}

/** @param {string} licence */
const shortened = (licence) => licence.length > MOST_OF_A_LICENCE ? `${licence.slice(0, MOST_OF_A_LICENCE).trimEnd()}…` : licence;

/**
 * Return a page's day as it names it, wherever the reader is; a service's own words as they are.
 * @param {string} date
 */
function dayOf(date) {
  const [, year, month, day] = /^(\d{4})-(\d\d)(?:-(\d\d))?/.exec(date) ?? [];
  if (!year) return date;
  const time = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1)));
  return shown(time, { timeZone: 'UTC', ...day ? {} : { dateStyle: undefined, year: 'numeric', month: 'short' } });
}

/**
 * @param {Date} time
 * @param {Intl.DateTimeFormatOptions} [options]
 */
const shown = (time, options = {}) => time.toLocaleDateString(undefined, { dateStyle: 'medium', ...options });
