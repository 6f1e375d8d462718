/** The client of the HTTP API. Every failure is an ApiError whose message can be shown. */

/** @typedef {import('./types.js').Fault} ApiFault */

export class ApiError extends Error {
  /**
   * @param {number} status  0 where no reply came
   * @param {ApiFault} fault
   * @param {number | null} [retryAfterSeconds]
   */
  constructor(status, fault, retryAfterSeconds = null) {
    super(fault.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = fault.code;
    this.fields = fault.fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Send a request and return the reply if it is a success.
 * @param {string} method
 * @param {string} path  below /api
 * @param {any} [body]  JSON, or a file as it is
 * @param {RequestInit} [more]
 * @returns {Promise<Response>}
 */
export async function send(method, path, body, more = {}) {
  const headers = new Headers(more.headers);
  const isFile = body instanceof Blob;
  if (method !== 'GET') headers.set('Content-Type', isFile ? 'application/octet-stream' : 'application/json');
  const init = { ...more, method, headers, body: isFile ? body : body === undefined ? undefined : JSON.stringify(body) };
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, { code: 'no_connection', message: 'The server cannot be reached. Check that it is running, then try again.', fields: [] });
  }
  if (response.ok) return response;
  const error = new ApiError(response.status, await faultOf(response), Number(response.headers.get('Retry-After')) || null);
  if (error.status === 401 && !/^\/(login|setup)/.test(location.pathname)) leaveForLogin();
  throw error;
}

/**
 * Send a request and return the JSON of its reply, null where it has none.
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 * @param {RequestInit} [more]
 * @returns {Promise<any>}
 */
export async function ask(method, path, body, more) {
  const response = await send(method, path, body, more);
  return response.status === 204 ? null : response.json();
}

/**
 * Return a query string with the values that are there.
 * @param {Record<string, string | number | null | undefined>} values
 */
export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** Go to the login page and come back here afterwards. */
export function leaveForLogin() {
  location.assign(`/login${query({ next: location.pathname })}`);
}

/**
 * @param {Response} response
 * @returns {Promise<ApiFault>}
 */
async function faultOf(response) {
  try {
    const { error } = await response.json();
    if (typeof error.message === 'string') return error;
  } catch {
    // Not ours: a proxy's page, or nothing at all.
  }
  return { code: 'bad_reply', message: `The server answered with status ${response.status}. Try again, or look into its log.`, fields: [] };
}
