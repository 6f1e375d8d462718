/** What stands under an answer: who gave it, what it used, and why it is incomplete. */

const AT_LIMIT = 'The model reached its length limit before it was done.';
const FILTERED = 'The provider filtered the rest of the answer.';
export const CUT = /** @type {Record<string, string>} */ ({
  max_tokens: AT_LIMIT,
  max_output_tokens: AT_LIMIT,
  length: AT_LIMIT,
  MAX_TOKENS: AT_LIMIT,
  model_context_window_exceeded: AT_LIMIT,
  incomplete: 'The model stopped before it was done.',
  refusal: 'The model declined to go on.',
  content_filter: FILTERED,
  SAFETY: FILTERED,
});
/** Error codes that a new key fixes. */
export const OF_KEYS = new Set(['auth', 'missing_key']);
export const INCOMPLETE = /** @type {Record<string, string>} */ ({
  cancelled: 'Stopped by you. This answer is incomplete.',
  interrupted: 'Interrupted. This answer is incomplete.',
  failed: 'The answer failed.',
});

/**
 * Return words with an end, so that more can follow.
 * @param {string} words
 */
export function sentence(words) {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

/**
 * Return who answered: a service whose only model has its name is named once.
 * @param {{provider: string, model: string}} answer
 */
export function namesOf({ provider, model }) {
  return [provider, model.toLowerCase() === provider.toLowerCase() ? '' : model].filter(Boolean);
}

/**
 * Return what a model read and wrote; '' where nothing was counted.
 * @param {import('./types.js').Usage | null} usage
 */
export function tokensInWords(usage) {
  const counts = [[usage?.input_tokens, 'in'], [usage?.output_tokens, 'out']]
    .filter(([number]) => number)
    .map(([number, way]) => `${number?.toLocaleString()} ${way}`);
  return counts.length ? `${counts.join(' / ')} tokens` : '';
}
