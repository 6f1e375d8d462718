// A certified OpenID Connect provider (node-oidc-provider) on loopback, for tests/web/test_sso_browser.py.
// It is told who may come and prints its issuer when it listens. Its forms are its own: whoever
// types a name is that person, with any password.

import http from 'node:http';
import Provider from 'oidc-provider';

const { clientId, clientSecret, redirectUri, signedOutUri, people } = JSON.parse(process.argv[2]);

const server = http.createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [signedOutUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    }],
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    findAccount: (_, id) => (people[id] ? { accountId: id, claims: () => ({ sub: id, ...people[id] }) } : undefined),
    cookies: { keys: ['for-tests-alone'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    // Its own keys, made at every start, and times that no test waits for.
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
  });
  server.on('request', provider.callback());
  console.log(issuer);
});
