import { type InApplication, provided } from '../platform/application.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { KeyAlgorithm } from './tokens/signing-key.entity.ts';

/** An identity provider of the deployment whose access tokens open this API in addition to our own. */
export interface ExternalIssuer {
  /** `iss` of its tokens, exactly. */
  issuer: string;
  jwksUrl: string;
  /** `aud` that its tokens have for us. */
  audience: string;
  /** Claim with a person's e-mail address. */
  userClaim: string;
  /** Claim with the id of a machine client. */
  clientClaim: string;
}

/** The settings of identity from the configuration. */
export interface IdentitySettings {
  /** `iss` of our tokens; the address under which clients reach this server by default. */
  issuer?: string;
  /** `aud` of our tokens. */
  audience: string;
  /** Further `aud` for which machine clients may get tokens: other services. This API refuses these tokens. */
  serviceAudiences: readonly string[];
  /** Seconds a user's session token lives. */
  sessionSeconds: number;
  /** Seconds a session that nobody refreshes stays open. */
  refreshSeconds: number;
  /** Seconds a machine token lives at most. */
  machineSeconds: number;
  externalIssuer?: ExternalIssuer;
  /** Days a key signs before another takes over; 0: for ever. */
  keyDays: number;
  /** The algorithm of new keys; a change makes a new key. */
  keyAlgorithm: KeyAlgorithm;
  /** Keys made before this time (milliseconds) get a successor; their tokens stay valid. */
  rotateKeysBefore?: number;
  /** Keys made before this time (milliseconds) are removed at once, and all of their tokens with them. */
  dropKeysBefore?: number;
  /** Seconds somebody acts as another person. */
  impersonationSeconds: number;
  /** Milliseconds a loaded viewer is reused: how long a change made by another process may go unnoticed. */
  viewerCacheMs: number;
  /** Where hashes of breached passwords are asked for by their first five digits, such as `https://api.pwnedpasswords.com/range/`. */
  breachedPasswordsUrl?: string;
  onBreachedListFailure(error: unknown): void;
  /** Failed sign-ins and requests for links and codes from one network in five minutes. */
  signInsPerAddress: number;
  /** Wrong codes from one network in a day. */
  wrongCodesPerAddress: number;
  /** False only where attempts are made by the hundred on purpose: in tests of something else. */
  limitSignIns: boolean;
  /** Signs who a person is for Intercom's widget; empty without one. */
  intercomSecret: string;
  /** Where the pages are that links in mails lead to (`/sign-in`, `/reset-password`, `/sign-up`); our own console by default. */
  appUrl?: string;
  /** Base64 keys of 32 bytes that encrypt secrets entrusted to us, newest first; without one the database has its own. */
  secretsKeys: readonly string[];
  /** False where companies' word for their e-mail domains is enough: nobody but the operator makes them. */
  ssoDomainProof: boolean;
  /** Name servers that are asked for proofs; the system's own without any. */
  dnsServers: readonly string[];
  /** Whether identity providers may be on private addresses and without TLS: a test, or a provider in the same network. */
  ssoPrivateHosts: boolean;
  /** Pages on which a sign-in by a provider may end, the usual one first; without any, our console. */
  ssoReturnUrls: readonly string[];
}

const DEFAULTS: Readonly<IdentitySettings> = {
  audience: 'haulgate-api',
  serviceAudiences: [],
  sessionSeconds: 900,
  refreshSeconds: 7 * 86_400,
  machineSeconds: 3600,
  keyDays: 90,
  keyAlgorithm: 'ES256',
  impersonationSeconds: 3600,
  viewerCacheMs: 2000,
  intercomSecret: '',
  signInsPerAddress: 120,
  wrongCodesPerAddress: 20,
  limitSignIns: true,
  onBreachedListFailure: () => {},
  secretsKeys: [],
  ssoDomainProof: true,
  dnsServers: [],
  ssoPrivateHosts: false,
  ssoReturnUrls: [],
};

export const identitySettings = provided<Readonly<IdentitySettings>>('settings of identity');

/** The settings that were chosen, and the defaults of all others. */
export const identitySettingsWith = (chosen: Partial<IdentitySettings>): Readonly<IdentitySettings> =>
  Object.freeze({ ...DEFAULTS, ...chosen });

/** `iss` of our tokens. */
export const issuerOf = (application: InApplication): string => identitySettings.of(application).issuer ?? publicUrl.of(application);

/** The address of the pages that links in mails lead to; a page follows after a slash. */
export const pagesUrlOf = (application: InApplication): string =>
  identitySettings.of(application).appUrl ?? `${publicUrl.of(application)}/console`;
