import { randomBytes, randomInt } from 'node:crypto';
import { FlushMode, ref } from '@mikro-orm/core';
import { Company } from '../directory/companies/company.entity.ts';
import { nameOf } from '../directory/master-data/named-kinds.ts';
import { forgetViewers } from '../identity/access/viewer.ts';
import { SIGN_IN } from '../identity/sign-in/sign-in-purpose.ts';
import { freePlatformId } from '../partners/companies/create-company.ts';
import { allow, companyOf, find, viewerOf } from '../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../platform/commands/transact.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { asCompanies, runAsPurpose } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import { worldTime } from '../platform/database/time/sandbox-time.ts';
import { Conflict, Denied, type ErrorItem, Invalid, Missing } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { companyIdBeside, isSandbox, newSandboxId } from '../platform/worlds/sandbox-ids.ts';
import { Sandbox } from './sandbox.entity.ts';
import type { CreateSandboxInput, MoveSandboxClockInput } from './sandbox.inputs.ts';
import { sandboxSeed } from './sandbox-seed.ts';

/** A sandbox is for programs: whoever keeps machine clients keeps sandboxes. */
export const KEEPS_SANDBOXES = 'manage_machine_clients';
/** That a company may have at a time. */
const MOST_SANDBOXES = 3;
/** Days after which it is deleted. */
const DAYS = 30;
/** Days by which its clock may be ahead: for so long there are tables for positions. */
const MOST_AHEAD = 60;
const DAY = 86_400;
const THERE = 'select from sandbox where company_id = $1 and emptied_at is null limit $2';
const LOCK_SANDBOXES = `select pg_advisory_xact_lock(hashtextextended('haulgate:sandboxes:' || $1, 0))`;
const model = 'Sandbox';

/** A sandbox with what is shown once. */
export interface MadeSandbox {
  id: string;
  password?: string;
  clientSecret?: string;
}

/**
 * Makes a company to try things in, with the work of the demo and an administrator.
 * @throws Denied, Missing, Invalid for a company that is a sandbox itself, Conflict if the company has too many
 */
export async function createSandbox(ctx: Context, input: CreateSandboxInput, companyId?: string | null): Promise<MadeSandbox> {
  const owner = companyOf(ctx, companyId);
  mayKeep(ctx);
  let shown: Omit<MadeSandbox, 'id'> = {};
  const made = await transact(ctx, async (tx) => {
    if (isSandbox(owner)) throw new Invalid([{ model, field: '', key: 'sandbox_within_sandbox' }]);
    const items: ErrorItem[] = [];
    const name = nameOf(input.name, model, items);
    if (items.length > 0) throw new Invalid(items);
    const company = await find(tx, Company, owner);
    // Of two at once, the second counts the first. The company itself is not locked: whatever is written for it would wait until the work is there.
    await queryIn(tx.em, LOCK_SANDBOXES, [company.id]);
    const there = await queryIn(tx.em, THERE, [company.id, MOST_SANDBOXES]);
    if (there.length === MOST_SANDBOXES)
      throw new Conflict([{ model, field: '', key: 'too_many_sandboxes', params: { max: MOST_SANDBOXES } }]);
    const id = newSandboxId();
    const seeded = await seed(ctx, tx, id, name);
    shown = { password: seeded.password, clientSecret: seeded.clientSecret };
    const sandbox = Object.assign(new Sandbox(), {
      ...{ id, company: ref(Company, company.id), name, administrator: seeded.administrator, clientId: seeded.clientId },
      endsAt: new Date(tx.tx.now.getTime() + DAYS * DAY * 1000),
    });
    tx.em.persist(sandbox);
    note(tx, sandbox, 'create', { name: [null, name], ends_at: [null, sandbox.endsAt.toISOString()] });
    emitEvent(tx, 'sandbox.created', sandbox);
    return { id };
  });
  return { ...made, ...shown };
}

/** Its companies are nobody's but its own; and what they begin with is not written to anybody's audit log. */
async function seed(ctx: Context, tx: TxContext, id: string, name: string) {
  const em = ctx.em.fork({ clear: true, flushMode: FlushMode.COMMIT });
  em.setTransactionContext(tx.em.getTransactionContext());
  const companyIds = [id, companyIdBeside(id), companyIdBeside(id)] as const;
  const platformIds = [await freePlatformId(tx), await freePlatformId(tx), await freePlatformId(tx)];
  const phones = await freePhones(tx);
  return asCompanies(companyIds, () =>
    sandboxSeed.of(ctx.em)(em, {
      ...{ companyIds, platformIds, name, now: tx.tx.now },
      domain: `${randomBytes(6).toString('hex')}.sandbox.haulgate.example`,
      phones,
    }),
  );
}

/** Draws of telephone numbers until some are free: a look is a few lookups, and all of them are taken only if nearly every number is. */
const DRAWS = 20;
const TAKEN = 'select from app_user where phone = any($1) and discarded_at is null and not unclaimed limit 1';

/** The beginning of a hundred telephone numbers that nobody has; if two transactions draw the same one, the unique index refuses the second. */
export async function freePhones({ em }: Pick<TxContext, 'em'>, draw = (): number => randomInt(100_000)): Promise<string> {
  for (let left = DRAWS; ; left--) {
    // No country has given out the area code.
    const phones = `+1999${String(draw()).padStart(5, '0')}`;
    const all = Array.from({ length: 100 }, (_, at) => `${phones}${String(at).padStart(2, '0')}`);
    const taken = await runAsPurpose(SIGN_IN, () => queryIn(em, TAKEN, [all]));
    if (taken.length === 0 || left === 1) return phones;
  }
}

/**
 * Moves the clock of a sandbox forward, and what waits for a time of its company with it. Its own administrators may do so, too.
 * @throws Missing, Denied, Invalid
 */
export function moveSandboxClock(ctx: Context, id: string, input: MoveSandboxClockInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const sandbox = await lockSandbox(tx, id);
    const now = worldTime(tx.tx);
    const shown = new Date(now.getTime() + sandbox.ahead * 1000);
    const wanted = wantedTime(input, shown);
    const most = new Date(now.getTime() + MOST_AHEAD * DAY * 1000);
    const refuse = (key: string, params: ErrorItem['params']) => new Invalid([{ model, field: fieldOf(input), key, params }]);
    if (wanted < shown) throw refuse('clock_backwards', { time: shown.toISOString() });
    if (wanted > most) throw refuse('clock_too_far', { days: MOST_AHEAD, time: most.toISOString() });
    const ahead = Math.round((wanted.getTime() - now.getTime()) / 1000);
    await queryIn(tx.em, 'select move_sandbox_clock($1, $2)', [sandbox.id, ahead]);
    note(tx, sandbox, 'update', { ahead_seconds: [sandbox.ahead, ahead] });
    return { id: sandbox.id };
  });
}

/** Ends a sandbox: everybody in it is signed out at once, and it is deleted within minutes. @throws Missing, Denied */
export function endSandbox(ctx: Context, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const sandbox = await lockSandbox(tx, id);
    await queryIn(tx.em, 'select end_sandbox($1)', [sandbox.id]);
    note(tx, sandbox, 'update', { ends_at: [sandbox.endsAt.toISOString(), worldTime(tx.tx).toISOString()] });
    afterCommit(tx, () => forgetViewers(tx.em));
  });
}

interface Locked {
  id: string;
  company: { id: string };
  ahead: number;
  endsAt: Date;
}

const LOCK = `select id, company_id, ahead_seconds::float8 as ahead, ends_at from sandbox
  where id = $1 and (company_id = any($2::uuid[]) or id = any($2::uuid[])) and ends_at > now() for update`;

/** Foreign ids are missing before anything is denied. */
async function lockSandbox(tx: TxContext, id: string): Promise<Locked> {
  const { companyIds } = viewerOf(tx);
  if (!isUuid(id)) throw new Missing();
  const [row] = await queryIn<{ id: string; company_id: string; ahead: number; ends_at: string }>(tx.em, LOCK, [id, companyIds]);
  if (!row) throw new Missing();
  mayKeep(tx);
  return { id: row.id, company: { id: row.company_id }, ahead: row.ahead, endsAt: new Date(row.ends_at) };
}

/** @throws Denied also for somebody who is limited to sites or to own records: a sandbox shows no real work, but its keys open all of it */
export function mayKeep(ctx: Context): Viewer {
  const viewer = allow(ctx, KEEPS_SANDBOXES);
  if (viewer.siteIds || viewer.ownRecordsOnly) throw new Denied(KEEPS_SANDBOXES, 'permission_beyond_sites');
  return viewer;
}

const fieldOf = ({ time }: MoveSandboxClockInput): string => (time ? 'time' : 'seconds');

function wantedTime({ time, seconds }: MoveSandboxClockInput, shown: Date): Date {
  const isOne = (time ?? null) === null ? (seconds ?? null) !== null : (seconds ?? null) === null;
  if (!isOne) throw new Invalid([{ model, field: 'time', key: 'clock_once' }]);
  return time ?? new Date(shown.getTime() + seconds! * 1000);
}

/** In the log of whoever did it: a sandbox writes nothing among real records. */
function note(
  tx: TxContext,
  { id, company }: { id: string; company: { id: string } },
  event: 'create' | 'update',
  changes: Record<string, [unknown, unknown]>,
): void {
  const { companyId } = viewerOf(tx);
  tx.tx.audits.push({ event, type: model, id, companyId: isSandbox(companyId) ? companyId : company.id, changes });
}
