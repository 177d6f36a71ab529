import type { EntityManager } from '@mikro-orm/postgresql';
import type { CacheProvider, Profile, SAML } from '@node-saml/node-saml';
import { acsUrl, metadataUrl } from '../addresses.ts';
import type { SsoConnection } from '../sso-connection.entity.ts';
import type { Attempt } from './attempts.ts';
import { answerDoesNotHold, SsoFailure } from './sso-failure.ts';

/** Milliseconds that the provider's clock may differ from ours. */
const SKEW = 30_000;
/** Milliseconds after which an assertion is too old, whatever it says of itself. */
const OLDEST = 600_000;
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
/** Attributes in which providers put the address, in addition to the NameID. */
const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailaddress',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
];
/** Document types bring entities; SHA-1 no longer proves anything (NIST SP 800-131A). Neither has a place in an answer. */
const REFUSED = [/<!DOCTYPE/i, /<!ENTITY/i, /xmldsig#(?:rsa-|dsa-|hmac-)?sha1\b/i];

/** Where to send a browser that signs in; the attempt's nonce is the id of the request, `state` comes back as RelayState. */
export async function samlRequestUrl(em: EntityManager, connection: SsoConnection, attempt: Attempt, state: string): Promise<string> {
  return (await providerOf(em, connection, attempt)).getAuthorizeUrlAsync(state, undefined, {});
}

/**
 * The e-mail address of the person who signed in.
 * @param response base64, as the provider posted it
 * @throws SsoFailure
 */
export async function emailOfResponse(em: EntityManager, connection: SsoConnection, attempt: Attempt, response: string): Promise<string> {
  const profile = await verify(em, connection, attempt, response).catch(answerDoesNotHold);
  const email = emailOf(profile);
  if (!email) throw new SsoFailure('refused', 'the assertion contains no e-mail address, or more than one');
  return email;
}

/** Returns the facts that a provider must know of us (SAML 2.0 metadata). */
export async function metadataOf(em: EntityManager, connection: SsoConnection): Promise<string> {
  return (await providerOf(em, connection)).generateServiceProviderMetadata(null);
}

/** A request id must not begin with a digit (xs:ID). */
const requestIdOf = (nonce: string): string => `_${nonce}`;

async function verify(em: EntityManager, connection: SsoConnection, attempt: Attempt, response: string): Promise<Profile> {
  const xml = Buffer.from(response, 'base64').toString('utf8');
  const refused = REFUSED.find((pattern) => pattern.test(xml));
  if (refused) throw new Error(`the answer contains ${refused.source}`);
  const provider = await providerOf(em, connection, attempt);
  const { profile } = await provider.validatePostResponseAsync({ SAMLResponse: response });
  if (!profile) throw new Error('the answer has no assertion');
  checkAssertion(em, profile, connection, attempt);
  return profile;
}

/**
 * The checks that the library leaves to us: that the answer is from this provider, for us, about our request, and within its time (SAML
 * profiles, 4.1.4.3).
 */
function checkAssertion(em: EntityManager, profile: Profile, connection: SsoConnection, attempt: Attempt): void {
  if (profile.issuer !== connection.samlEntityId) throw new Error(`the assertion is of ${profile.issuer}`);
  const parsed = profile.getAssertion?.() as { Assertion: ParsedAssertion } | undefined;
  const confirmations = (parsed?.Assertion.Subject ?? []).flatMap((subject) => subject.SubjectConfirmation ?? []);
  const confirmed = confirmations.some(({ $, SubjectConfirmationData: data = [] }) => {
    const { Recipient, InResponseTo, NotOnOrAfter, NotBefore } = data[0]?.$ ?? {};
    return (
      $?.Method === BEARER &&
      Recipient === acsUrl(em, connection.id) &&
      InResponseTo === requestIdOf(attempt.nonce) &&
      NotBefore === undefined &&
      Date.parse(NotOnOrAfter ?? '') + SKEW > Date.now()
    );
  });
  if (!confirmed) throw new Error('no confirmation of the subject fits this request, address and time');
}

interface ParsedAssertion {
  Subject?: {
    SubjectConfirmation?: { $?: { Method?: string }; SubjectConfirmationData?: { $?: Record<string, string | undefined> }[] }[];
  }[];
}

function emailOf(profile: Profile): string | undefined {
  const attributes = Object.entries((profile.attributes ?? {}) as Record<string, unknown>);
  const [attribute] = attributes.filter(([name]) => EMAIL_ATTRIBUTES.includes(name.toLowerCase()));
  const email = attribute ? attribute[1] : profile.nameID;
  return typeof email === 'string' ? email : undefined;
}

/** The library takes 22 MB of memory, and most installations never use SAML: it is loaded at the first use. */
async function providerOf(em: EntityManager, connection: SsoConnection, attempt?: Attempt): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const entityId = metadataUrl(em, connection.id);
  return new SAML({
    issuer: entityId,
    audience: entityId,
    callbackUrl: acsUrl(em, connection.id),
    entryPoint: String(connection.samlEntryPoint),
    idpCert: connection.samlCertificates,
    idpIssuer: String(connection.samlEntityId),
    identifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    // The provider decides by what somebody proves who they are.
    disableRequestedAuthnContext: true,
    // The assertion or the whole answer: providers sign one or the other.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: SKEW,
    maxAssertionAgeMs: OLDEST,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: OLDEST,
    cacheProvider: onlyRequest(attempt),
    ...(attempt ? { generateUniqueId: () => requestIdOf(attempt.nonce) } : {}),
  });
}

/** The one request that an answer may refer to; `takeAttempt` ensures that it is answered once. */
function onlyRequest(attempt: Attempt | undefined): CacheProvider {
  const now = new Date().toISOString();
  return {
    saveAsync: async (_key, value) => ({ value, createdAt: Date.now() }),
    getAsync: async (key) => (attempt && key === requestIdOf(attempt.nonce) ? now : null),
    removeAsync: async (key) => key,
  };
}
