import { definePurpose } from '../../platform/database/scope.ts';
import { queryAs } from '../../platform/database/sql.ts';
import { ProviderError } from '../../platform/http/remote.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { claimSql, type Leased, startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { type ImportedAccount, importLists } from './import-lists.ts';

/** Finds the linked accounts of all companies whose lists are to be read. What is read is stored company by company. */
export const ACCOUNTING_IMPORTS = definePurpose('accounting_imports', {
  linked_account: [
    'select (id, company_id, system, revision, status, last_error, next_import_at, attempts)',
    'update (status, last_error, next_import_at, attempts, updated_at)',
  ],
});

/** Systems at a time. */
const SLOTS = 2;
/** Seconds after which a system is another process's, unless its process sends one more request. */
const LEASE = 120;
/** Seconds until a system is tried again that could not be read; after the last try somebody has to ask for an import. */
const DELAYS = [30, 60, 300, 900, 3_600];

/** The error of an account after a failure of our own, which says nothing of the system. */
const OURS = 'something went wrong on our side';

type Claimed = ImportedAccount & Leased;

const CLAIM = claimSql(
  'linked_account',
  { due: 'next_import_at', attempts: 'attempts' },
  'id, company_id as "companyId", system, revision, attempts',
);
/** An account that was changed meanwhile has another time. */
const MINE = 'id = $1 and revision = $2 and next_import_at is not null';
const RENEW = `update linked_account set next_import_at = now() + $3 * interval '1 second' where ${MINE}`;
const FAIL = `update linked_account set next_import_at = now() + $3 * interval '1 second', last_error = $4, updated_at = now() where ${MINE}`;
/** An account whose lists were never read to the end, or that refuses the credentials, is invalid; one that was linked stays linked with its error. */
const END = `update linked_account set next_import_at = null, updated_at = now(), last_error = coalesce($3, last_error),
  status = case when $4 or status = 'pending' then 'invalid' else status end where ${MINE}`;

/**
 * Starts the worker that reads the lists of linked accounting systems: it claims one for a lease and stores its lists page by page. If a
 * process dies, its lease ends and another reads the lists again.
 */
export function startAccountingWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  const ask = <R extends object>(sql: string, values: unknown[]): Promise<R[]> => queryAs<R>(ACCOUNTING_IMPORTS, em, sql, values);
  return startLeaseQueue<Claimed>({
    name: 'accounting import',
    tracing: tracing.of(em),
    slots: SLOTS,
    lease: LEASE,
    claim: (most, seconds) => ask<Claimed>(CLAIM, [most, seconds]),
    async work(account, lease) {
      try {
        await importLists(em, account, lease);
      } catch (error) {
        // Nobody waits for credentials to become right by themselves.
        if (!(error instanceof ProviderError && error.refused)) throw error;
        await ask(END, [account.id, account.revision, error.message, true]);
      }
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: ({ id, revision }, seconds, error) =>
      error === undefined
        ? ask(RENEW, [id, revision, seconds])
        : ask(FAIL, [id, revision, seconds, error instanceof ProviderError ? error.message : OURS]),
    giveUp: ({ id, revision }) => ask(END, [id, revision, null, false]),
    failed: (error, { id, system, attempts }, again) =>
      log.warn({ err: error, linkedAccount: id, system, attempts, again }, 'the lists of an accounting system could not be read'),
    whenStopped: 'at once',
    sweepEvery,
    log,
  });
}
