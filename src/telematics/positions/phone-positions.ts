import { Job } from '../../dispatch/model/job.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { mayBeOneStatement, oneStatement, runOneStatement } from '../../platform/commands/one-statement.ts';
import { afterCommit, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce } from '../../platform/database/planned-once.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import type { GpsLocationInput } from './position.inputs.ts';
import { areMonthsKnown, monthOf, withMonths } from './position-months.ts';
import { positionWaker } from './position-tasks.ts';
import { MONTHS_OF_KEPT, STORE, type Stored, valuesOf } from './store-phone-positions.ts';

/** The most positions of one request: two hours with one every seven seconds. */
const MOST_POSITIONS = 1_000;
/** Milliseconds that a telephone's clock may be ahead of ours. */
const AHEAD = 5 * 60_000;

/** Positions of a request in their order. */
interface Given {
  deviceId: string;
  positions: readonly GpsLocationInput[];
}

/**
 * Stores positions of the caller's telephone: they come late, out of order and more than once. Measurements, which no audit row repeats. Nearly all
 * of them are of people who say where they are with the job that they drive: these are stored by one statement, and what it cannot decide is looked
 * at in a transaction.
 * @param path of the positions in the input, for errors: `location`, `locations`
 * @throws Missing for machine clients, Invalid with every wrong position
 */
export async function recordPhonePositions(ctx: Context, deviceId: string, path: 'location' | 'locations', input: object): Promise<void> {
  const given = [(input as Record<string, unknown>)[path]].flat() as GpsLocationInput[];
  if (given.length > MOST_POSITIONS)
    throw new Invalid([{ model: MODEL, field: path, key: 'too_many_positions', params: { most: MOST_POSITIONS } }]);
  const positions = given.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  if (await storeAtOnce(ctx, { deviceId, positions })) return;
  await transact(ctx, async (tx) => {
    await check(tx, input, path, given);
    await store(tx, { deviceId, positions });
  });
}

const MODEL = 'MobileDeviceLocation';

/** @throws Invalid with every position of the future, and those of jobs that the caller does not see */
async function check(tx: TxContext, input: object, path: 'location' | 'locations', given: readonly GpsLocationInput[]): Promise<void> {
  const many = path === 'locations';
  const items: ErrorItem[] = [];
  for (const [at, { occurredAt }] of given.entries())
    if (occurredAt.getTime() > tx.tx.now.getTime() + AHEAD)
      items.push({ model: MODEL, field: `${many ? `${path}.${at}` : path}.occurredAt`, key: 'in_the_future' });
  await resolveReferences(tx, input, { jobs: [Job, many ? 'locations.*.jobId' : 'location.jobId'] }, { model: MODEL, items });
  if (items.length > 0) throw new Invalid(items);
}

/** The person who makes the request. @throws Unauthenticated, Missing for machines */
export function personOf(ctx: Context): { id: string; companyId: string } {
  const viewer = viewerOf(ctx);
  if (viewer.type !== 'User' && viewer.type !== 'Impersonation') throw new Missing();
  return viewer;
}

const AT_ONCE = oneStatement(STORE);

/** @returns false if it is to be looked at closer; then nothing was stored */
async function storeAtOnce(ctx: Context, { deviceId, positions }: Given): Promise<boolean> {
  const { id, type, siteIds } = viewerOf(ctx);
  const now = presentTime().getTime();
  const [first, last] = [positions[0], positions.at(-1)];
  // A person who sees only some sites may not see every job that they drive.
  if ((type !== 'User' && type !== 'Impersonation') || siteIds || !first || !last || !mayBeOneStatement(ctx)) return false;
  if (last.occurredAt.getTime() > now + AHEAD || !areMonthsKnown(ctx.em, first.occurredAt, last.occurredAt)) return false;
  const jobIds = [...new Set(positions.flatMap(({ jobId }) => jobId ?? []))];
  const [done] = (await runOneStatement<Stored>(ctx, AT_ONCE, valuesOf({ personId: id, deviceId, positions, now, jobIds }))) ?? [];
  if (!done?.known || done.others) return false;
  if (done.stored > 0) positionWaker.of(ctx.em).wake();
  return true;
}

for (const sql of [STORE, MONTHS_OF_KEPT]) planOnce(namedStatement(sql));

/** Stores positions that were checked. @throws Missing for machine clients */
async function store(tx: TxContext, { deviceId, positions }: Given): Promise<void> {
  const { id: personId } = personOf(tx);
  if (positions.length === 0) return;
  const given = { personId, deviceId, positions, now: tx.tx.now.getTime(), jobIds: [] };
  const found = await queryIn<{ occurredAt: Date | string }>(tx.em, MONTHS_OF_KEPT, valuesOf(given));
  const months = await withMonths(
    tx,
    found.map(({ occurredAt }) => ({ occurredAt: new Date(occurredAt) })),
  );
  const there = new Set(months.map(({ occurredAt }) => monthOf(occurredAt)));
  const [done] = await queryIn<Stored>(tx.em, STORE, valuesOf({ ...given, isKept: (at) => there.has(monthOf(at)) }));
  if (!done?.known) throw new Missing();
  if (done.stored > 0) afterCommit(tx, () => positionWaker.of(tx.em).wake());
}
