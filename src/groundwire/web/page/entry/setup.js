/** The first user, made with the token that the console showed. */

import { ask } from '../api.js';
import { attachForm, input } from './form.js';

const token = input('token');
const given = new URLSearchParams(location.search).get('token');
if (given) {
  token.value = given;
  // It works once, but needs not stand in the history.
  history.replaceState(null, '', location.pathname);
}
(given ? input('name') : token).focus();

attachForm({ token, name: input('name'), password: input('password') }, async () => {
  await ask('POST', '/setup', { token: token.value.trim(), name: input('name').value.trim(), password: input('password').value });
  location.replace('/settings/start');
});

void ask('GET', '/me').then((me) => {
  if (!me.needs_setup) location.replace(me.needs_login ? '/login' : '/');
}).catch(() => {
  // Setting up will say what is wrong.
});
