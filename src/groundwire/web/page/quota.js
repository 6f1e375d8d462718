/** A line above the question once most of a quota of today is used. */

import { ask, query } from './api.js';
import { find } from './dom.js';

/** @typedef {import('./types.js').Quotas} Quotas */

/**
 * Look how much is used, and say it if it is most of something.
 * @param {string | null | undefined} workspaceId
 */
export async function showQuota(workspaceId) {
  const line = find('#quota');
  try {
    const { quotas, resets_at: reset } = /** @type {Quotas} */ (await ask('GET', `/quotas${query({ workspace_id: workspaceId })}`));
    const near = quotas.filter((each) => each.is_near).map((each) => each.words);
    const time = new Date(reset).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    line.textContent = near.length ? `${near.join('. ')}. It begins anew at ${time}.` : '';
    line.hidden = !near.length;
  } catch {
    // Asking will say what is wrong.
    line.hidden = true;
  }
}
