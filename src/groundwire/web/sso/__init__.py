"""Single sign-on with OpenID Connect: the authorization code flow with PKCE, state and nonce."""
