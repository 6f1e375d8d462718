/** Signing in. */

import { ask } from '../api.js';
import { find } from '../dom.js';
import { attachForm, input } from './form.js';

/** Return where to go afterwards; only ever to a path of this server. */
function destination() {
  const wanted = new URLSearchParams(location.search).get('next') ?? '/';
  try {
    const url = new URL(wanted, location.origin);
    if (url.origin === location.origin && !/^\/(login|setup)/.test(url.pathname)) return url.pathname + url.search + url.hash;
  } catch {
    // No address at all.
  }
  return '/';
}

/** @param {string} name */
function offerSso(name) {
  const link = find('#sso-link');
  link.textContent = `Continue with ${name}`;
  link.setAttribute('href', `/sso/login?${new URLSearchParams({ next: destination() })}`);
  find('#sso').hidden = false;
}

attachForm({ name: input('name'), password: input('password') }, async () => {
  await ask('POST', '/login', { name: input('name').value.trim(), password: input('password').value });
  location.replace(destination());
});

// Whoever is in already, or needs no login, is not asked.
void ask('GET', '/me').then((me) => {
  if (me.needs_setup) location.replace('/setup');
  else if (!me.needs_login) location.replace(destination());
  else if (me.sso) offerSso(me.sso);
}).catch(() => {
  // Signing in will say what is wrong.
});
