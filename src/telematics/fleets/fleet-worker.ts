import type { EntityManager } from '@mikro-orm/postgresql';
import { administratorsOf } from '../../directory/people/administrators.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { queryAs, queryIn } from '../../platform/database/sql.ts';
import { reasonOf } from '../../platform/http/remote.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { claimSql, type Leased, startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { FLEETS } from './fleet-purpose.ts';
import { LeaseFailure, type PolledFleet, pollFleet } from './poll-fleet.ts';
import { PROVIDERS } from './providers/providers.ts';

/** Fleets at a time. */
const SLOTS = 4;
/** Seconds after which a fleet is another process's, unless its process sends one more request. */
const LEASE = 120;
/** Seconds until a provider is tried again that could not be read: a minute, twice as long each time, at most an hour; never less than it wants. */
const FIRST_DELAY = 60;
const LONGEST_DELAY = 3_600;
/** Hours of failures after which the administrators get a mail, and seconds that it is worth sending. */
const PATIENCE = 24;
const WORTH = 7 * 86_400;

type Claimed = PolledFleet & Leased & { name: string; askedAgo: number | null };

const CLAIM = claimSql(
  'telematics_fleet',
  { due: 'next_poll_at', attempts: 'attempts' },
  `id, company_id as "companyId", name, provider, server, account, mapping, poll_seconds as "pollSeconds", revision, cursor, attempts,
   vehicles_listed_at as "vehiclesListedAt", extract(epoch from now() - last_asked_at)::float8 as "askedAgo"`,
);
/** A fleet that was changed or paused meanwhile has another time. */
const MINE = 'id = $1 and revision = $2 and next_poll_at is not null';
const RENEW = `update telematics_fleet set next_poll_at = now() + $3 * interval '1 second' where ${MINE}`;
const RELEASE = `update telematics_fleet set next_poll_at = now() + $3 * interval '1 second', attempts = 0 where ${MINE}`;
const ASKED = `update telematics_fleet set last_asked_at = now() where ${MINE} returning id`;
const FAIL = `update telematics_fleet set next_poll_at = now() + $3 * interval '1 second', state = 'failing', last_error = $4,
    updated_at = case when state = 'failing' and last_error = $4 then updated_at else now() end,
    failing_since = coalesce(failing_since, now()) where ${MINE}
  returning failing_since <= now() - ${PATIENCE} * interval '1 hour' and notified_at is null as late`;

/**
 * Starts the worker that reads the providers of telematics: it claims a due fleet for a lease, stores what is new page by page, and sets when
 * the fleet is due again. If a process dies, its lease ends and another goes on at the cursor that was stored last.
 */
export function startFleetWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  const ask = <R extends object>(sql: string, values: unknown[]): Promise<R[]> => queryAs<R>(FLEETS, em, sql, values);
  return startLeaseQueue<Claimed>({
    name: 'telematics fleet',
    tracing: tracing.of(em),
    slots: SLOTS,
    lease: LEASE,
    claim: (most, seconds) => ask<Claimed>(CLAIM, [most, seconds]),
    async work(fleet, lease) {
      const least = leastOf(fleet);
      // Whoever began with it stopped, or was resumed: the provider would refuse to answer again so soon.
      const early = least - (fleet.askedAgo ?? least);
      if (early > 0) return void (await ask(RENEW, [fleet.id, fleet.revision, early]));
      // Without a row it was changed or paused since.
      if ((await ask(ASKED, [fleet.id, fleet.revision])).length === 0) return;
      const more = await pollFleet(em, fleet, lease, log);
      await ask(RELEASE, [fleet.id, fleet.revision, more ? least : fleet.pollSeconds]);
    },
    delayAfter: (attempts) => Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempts - 1, 10)),
    async postpone(fleet, seconds, error) {
      if (error === undefined || error instanceof LeaseFailure) return void (await ask(RENEW, [fleet.id, fleet.revision, seconds]));
      const [failed] = await ask<{ late: boolean }>(FAIL, [
        ...[fleet.id, fleet.revision],
        ...[Math.max(seconds, leastOf(fleet)), reasonOf(error)],
      ]);
      if (failed?.late) await mailAdministrators(em, fleet, reasonOf(error));
    },
    // No fleet is given up: the delays do not end.
    giveUp: async () => {},
    failed: (error, { id, provider, attempts }, again) =>
      log.warn({ err: error, fleet: id, provider, attempts, again }, 'a provider of telematics could not be read'),
    whenStopped: 'at once',
    sweepEvery,
    log,
  });
}

/** Seconds that the provider of a fleet wants between two requests. */
const leastOf = ({ provider }: Claimed): number => PROVIDERS[provider].seconds.least;

/** Mails the administrators that a provider cannot be read, once until it can be read again. */
async function mailAdministrators(em: EntityManager, { id, companyId, name: fleet }: Claimed, reason: string): Promise<void> {
  const administrators = await administratorsOf(em, companyId);
  await asSystem(em, companyId, async (tx) => {
    const sql =
      'update telematics_fleet set notified_at = now() where id = $1 and notified_at is null and failing_since is not null returning id';
    if ((await queryIn(tx.em, sql, [id])).length === 0) return;
    for (const { email, name, language } of administrators)
      await sendLater(tx, {
        ...{ channel: 'mail', kind: 'telematics_fleet_failing', recipient: email, language, worthSeconds: WORTH },
        params: { name, fleet, reason, hours: PATIENCE },
      });
  });
}

export const failingFleetMails = composeWith('telematics_fleet_failing', FLEETS, async (_em, { language, params }) => ({
  subject: translate(language, 'email_telematics_fleet_failing_subject', params as Record<string, string>),
  text: translate(language, 'email_telematics_fleet_failing', params as Record<string, string>),
}));
