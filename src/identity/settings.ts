/** What the identity room takes from the configuration; `main.ts` sets it once at boot. */
export interface IdentitySettings {
  /** `iss` of our tokens. */
  issuer: string;
  /** `aud` of our tokens. */
  audience: string;
  /** Seconds a user's session token lives. */
  sessionSeconds: number;
  /** Seconds a machine token lives. */
  machineSeconds: number;
  /** Milliseconds a loaded viewer is reused: how long a change made by another process may go unnoticed. */
  viewerCacheMs: number;
  /** Signs who a person is for Intercom's widget; empty without one. */
  intercomSecret: string;
}

let settings: Readonly<IdentitySettings> = Object.freeze({
  issuer: 'haulgate',
  audience: 'haulgate-api',
  sessionSeconds: 8 * 3600,
  machineSeconds: 3600,
  viewerCacheMs: 2000,
  intercomSecret: '',
});

export function configureIdentity(changes: Partial<IdentitySettings>): void {
  settings = Object.freeze({ ...settings, ...changes });
}

export function identitySettings(): Readonly<IdentitySettings> {
  return settings;
}
