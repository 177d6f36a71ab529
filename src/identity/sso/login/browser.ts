import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request, Response } from 'express';
import { publicUrl } from '../../../platform/public-url.ts';
import { identitySettings } from '../../settings.ts';
import type { SsoKind } from '../sso-connection.entity.ts';
import { randomSecret } from './attempts.ts';
import type { SsoReason } from './sso-failure.ts';

const SECONDS = 600;

/**
 * The secret that binds an attempt to one browser, so that nobody can be signed in with an answer meant for another. It is kept over
 * several attempts, because people open tabs.
 */
export function browserOf(em: EntityManager, req: Request, kind: SsoKind): string | undefined {
  const name = cookieName(em, kind);
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = part.trim().split('=', 2);
    if (key === name && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** The browser's secret, made when it has none; the answer carries it. */
export function bindBrowser(em: EntityManager, req: Request, res: Response, kind: SsoKind): string {
  const secret = browserOf(em, req, kind) ?? randomSecret();
  const secure = isSecure(em);
  // A SAML answer is posted from the provider's site, where browsers send no Lax cookie; None is only taken with Secure.
  const sameSite = kind === 'oidc' ? 'lax' : secure ? 'none' : undefined;
  res.cookie(cookieName(em, kind), secret, { httpOnly: true, secure, sameSite, path: '/', maxAge: SECONDS * 1000 });
  return secret;
}

/** The page on which a sign-in ends: the requested one if it is listed, else the usual one. */
export function returnUrlOf(em: EntityManager, wanted: unknown): string {
  const { ssoReturnUrls } = identitySettings.of(em);
  const usual = ssoReturnUrls[0] ?? `${publicUrl.of(em)}/console`;
  return typeof wanted === 'string' && ssoReturnUrls.includes(wanted) ? wanted : usual;
}

/** Ends a sign-in: the result is in the fragment, which no server or proxy on the way sees. */
export function returnWith(res: Response, returnUrl: string, outcome: { sso_token: string } | { sso_error: SsoReason }): void {
  res.redirect(303, `${returnUrl}#${new URLSearchParams(outcome)}`);
}

const isSecure = (em: EntityManager) => publicUrl.of(em).startsWith('https:');
const cookieName = (em: EntityManager, kind: SsoKind) => `${isSecure(em) ? '__Host-' : ''}haulgate_sso_${kind}`;
