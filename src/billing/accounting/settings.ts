import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../../platform/application.ts';
import { guardedFetch } from '../../platform/http/calls/guarded-fetch.ts';
import type { RemoteSettings } from '../../platform/http/remote.ts';
import type { AccountingCall } from './sources/accounting-source.ts';

/** The permission to link accounting systems, and to say which of their records is which here. */
export const MANAGES_ACCOUNTING = 'manage_accounting_integration';

export const accountingSettings = provided<Readonly<RemoteSettings>>('settings of accounting');

/** Milliseconds that an accounting system may take for an answer. */
export const ACCOUNTING_TIMEOUT = 30_000;
/** Bytes of one page of a list. */
const MOST = 4 << 20;

/** Returns the settings with which requests to an accounting system are made. @param signal ends them when the process stops */
export function callFor(em: EntityManager, signal: AbortSignal): AccountingCall {
  const { privateHosts, timeout } = accountingSettings.of(em);
  const guarded = guardedFetch({ allowPrivate: privateHosts, timeout, most: MOST });
  return { fetch: (input, init) => guarded(input, { ...init, signal }) };
}
