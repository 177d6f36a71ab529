import { X509Certificate } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { foldDomain, foldEmail } from '../../platform/email.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { isAddress } from '../../platform/http/remote.ts';
import { identitySettings } from '../settings.ts';
import type { SsoConnection } from './sso-connection.entity.ts';
import type { UpdateSsoProviderInput } from './sso-connection.inputs.ts';

/** IdpIdentityProvider of the contract; with hyphens it is no GraphQL enum. */
const IDENTITY_PROVIDERS = [
  'classlink',
  'cyberark',
  'duo',
  'generic',
  'google-workspace',
  'jumpcloud',
  'keycloak',
  'microsoft-entra',
  'miniorange',
  'okta',
  'onelogin',
  'pingfederate',
  'rippling',
  'salesforce',
  'shibboleth',
];
/** Domains of public mail providers: a company that could name one would be asked to sign in everybody who has a mailbox there. */
const MAILBOXES_OF_EVERYBODY = new Set(
  'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com aol.com gmx.com gmx.net proton.me protonmail.com mail.com zoho.com yandex.com hey.com fastmail.com'.split(
    ' ',
  ),
);
const MOST_DOMAINS = 50;
const MOST_CERTIFICATES = 5;
const OF_KIND = {
  oidc: { needed: ['issuer', 'clientId'], others: ['samlEntryPoint', 'samlEntityId', 'samlCertificates'] },
  saml: { needed: ['samlEntryPoint', 'samlEntityId', 'samlCertificates'], others: ['issuer', 'clientId', 'clientSecret'] },
} as const;

/** The fields that decide who vouches for people. */
const VOUCHER = ['issuer', 'clientId', 'samlEntryPoint', 'samlEntityId', 'samlCertificates'] as const;
export type Voucher = Pick<SsoConnection, (typeof VOUCHER)[number]>;
export const voucherOf = ({ issuer, clientId, samlEntryPoint, samlEntityId, samlCertificates }: Voucher): Voucher => ({
  ...{ issuer, clientId, samlEntryPoint, samlEntityId },
  samlCertificates: [...samlCertificates],
});

/** Returns the first field by which somebody new could sign people in. A certificate that is only removed lets nobody new in. */
export const newVoucher = (before: Voucher, now: Voucher): (typeof VOUCHER)[number] | undefined =>
  VOUCHER.find((field) =>
    field === 'samlCertificates'
      ? now.samlCertificates.some((pem) => !before.samlCertificates.includes(pem))
      : (now[field] ?? '') !== (before[field] ?? ''),
  );

/** Whether any of the fields that decide who vouches differs. */
export const isSameVoucher = (before: Voucher, now: Voucher): boolean =>
  newVoucher(before, now) === undefined && now.samlCertificates.length === before.samlCertificates.length;

/**
 * Writes the valid fields of an input into a connection; absent fields are kept. If somebody new could sign people in from now on, the
 * domains count as unproven, and nobody is sent there before they are proven again.
 * @returns every problem
 */
export function applyConnection({ em }: Context, connection: SsoConnection, input: UpdateSsoProviderInput): ErrorItem[] {
  const { ssoDomainProof: requiresProof, ssoPrivateHosts } = identitySettings.of(em);
  const before = { ...voucherOf(connection), described: missingOf(connection) === '', ready: connection.ready };
  const wasProven = connection.provenDomains.length > 0;
  const items: ErrorItem[] = [];
  const wrong = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model: 'SsoConnection', field, key, params });
  const { others } = OF_KIND[connection.kind];
  for (const field of others) if (has(input[field])) wrong(field, 'only_of_kind', { kind: connection.kind === 'oidc' ? 'saml' : 'oidc' });
  for (const field of ['displayName', 'issuer', 'clientId', 'samlEntryPoint', 'samlEntityId'] as const)
    if (input[field] !== undefined) Object.assign(connection, { [field]: input[field] });
  if (input.identityProvider !== undefined) connection.identityProvider = input.identityProvider ?? 'generic';
  if (input.domains !== undefined) connection.domains = (input.domains ?? []).map(toDomain);
  if (input.samlCertificates !== undefined) connection.samlCertificates = (input.samlCertificates ?? []).map((pem) => pem.trim());

  if (!has(connection.displayName)) wrong('displayName', 'required');
  if (connection.domains.length === 0) wrong('domains', 'required');
  for (const field of ['issuer', 'samlEntryPoint'] as const)
    if (has(connection[field]) && !isAddress(String(connection[field]), ssoPrivateHosts)) wrong(field, 'not_an_https_url');
  if (!IDENTITY_PROVIDERS.includes(connection.identityProvider))
    wrong('identityProvider', 'not_one_of', { values: IDENTITY_PROVIDERS.join(', ') });
  if (connection.domains.length > MOST_DOMAINS) wrong('domains', 'too_many_items', { max: MOST_DOMAINS });
  for (const [i, domain] of connection.domains.entries()) {
    if (!isDomain(domain)) wrong(`domains.${i}`, 'not_a_domain', { domain });
    else if (MAILBOXES_OF_EVERYBODY.has(domain)) wrong(`domains.${i}`, 'domain_of_everybody', { domain });
  }
  connection.domains = [...new Set(connection.domains)];
  const vouchesAnew = newVoucher(before, connection) !== undefined;
  const proven = !requiresProof ? connection.domains : vouchesAnew ? [] : connection.provenDomains;
  connection.provenDomains = connection.domains.filter((domain) => proven.includes(domain));
  if (connection.samlCertificates.length > MOST_CERTIFICATES) wrong('samlCertificates', 'too_many_items', { max: MOST_CERTIFICATES });
  for (const [i, pem] of connection.samlCertificates.entries())
    if (!isCertificate(pem)) wrong(`samlCertificates.${i}`, 'not_a_certificate');
  // Described for the first time it is ready; changed after its domains were proven, it is again once they are proven anew.
  const stays = (before.ready || !before.described) && !(vouchesAnew && wasProven);
  connection.ready = missingOf(connection) === '' && (stays || !requiresProof);
  return items;
}

/** The first field that the provider's kind requires and that is missing; empty when the description is complete. */
export const missingOf = (connection: SsoConnection): string =>
  OF_KIND[connection.kind].needed.find((field) => !has(connection[field])) ?? '';

/** The domain of an e-mail address as connections keep it; undefined when the text is no address. */
export function domainOf(email: string): string | undefined {
  const domain = /^[^\s@\0]{1,64}@([^\s@\0]{1,253})$/.exec(foldEmail(email))?.[1];
  return domain && isDomain(domain) ? domain : undefined;
}

const has = (value: unknown) => value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

const toDomain = (text: string): string => foldDomain(text.trim().replace(/^@/, ''));

function isDomain(text: string): boolean {
  return text.length <= 253 && /^(?=.*[a-z])([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d]([a-z\d-]{0,61}[a-z\d])$/.test(text);
}

function isCertificate(pem: string): boolean {
  if (pem.length > 20_000 || !/^-----BEGIN CERTIFICATE-----[\w\s+/=]+-----END CERTIFICATE-----$/.test(pem)) return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(pem).publicKey;
    return asymmetricKeyType === 'ec' || (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048);
  } catch {
    return false;
  }
}
