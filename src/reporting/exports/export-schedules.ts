import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { zoneOf } from '../../dispatch/model/company-day.ts';
import { remembered } from '../../identity/access/viewer.ts';
import { allow, companyOf, find, findKept, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { inWorldTime, worldTime } from '../../platform/database/time/sandbox-time.ts';
import { asAddress, isEmail } from '../../platform/email.ts';
import { Conflict, Denied, type ErrorItem, HaulgateError, Invalid } from '../../platform/errors.ts';
import { asParameter, describeProblems } from '../../platform/http/rest/envelope.ts';
import { localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { KEEPS_REPORTS } from '../reports/reports.ts';
import { dueAfter, withDays } from './due-times.ts';
import { ExportSchedule, type ExportStorage } from './export-schedule.entity.ts';
import type { CreateExportScheduleInput, ExportStorageInput, UpdateExportScheduleInput } from './export-schedule.inputs.ts';
import { checkStorage, forgetSecretKey, keepSecretKey } from './export-storage.ts';
import { exportedLists } from './exported-lists.ts';

const model = 'ExportSchedule';
/** Schedules that a company may have, and addresses of one. */
const MOST_SCHEDULES = 50;
const MOST_RECIPIENTS = 10;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/**
 * Has a list exported again and again, as its maker may read it.
 * @throws Denied also to who may not read the list, Missing, Invalid with every wrong field, Conflict if the company has too many
 */
export async function createExportSchedule(
  ctx: Context,
  input: CreateExportScheduleInput,
  companyId?: string | null,
): Promise<{ id: string }> {
  const owner = companyOf(ctx, companyId);
  mayKeep(ctx);
  const schedule = Object.assign(new ExportSchedule(), { company: ref(Company, owner), list: input.list.trim(), query: '' });
  await check(ctx, schedule, input, owner);
  return transact(ctx, async (tx) => {
    // Waits for what others of the company make now, so that all are counted.
    await find(tx, Company, owner, { lock: true });
    const live = await queryIn(tx.em, 'select from export_schedule where company_id = $1 and discarded_at is null limit $2', [
      owner,
      MOST_SCHEDULES,
    ]);
    if (live.length === MOST_SCHEDULES)
      throw new Conflict([{ model, field: '', key: 'too_many_export_schedules', params: { max: MOST_SCHEDULES } }]);
    await take(tx, schedule, owner);
    tx.em.persist(schedule);
    await keepSecret(tx, schedule, input);
    emitEvent(tx, 'export_schedule.created', schedule);
    return schedule;
  });
}

/** Changes a schedule; absent fields are kept. It has the permissions of whoever changed it from then on, and goes on if it had ended. */
export async function updateExportSchedule(ctx: Context, { id, companyId }: RecordPath, input: UpdateExportScheduleInput): Promise<void> {
  const found = await findKept(ctx, ExportSchedule, id, { companyId });
  mayKeep(ctx);
  const owner = found.company.id;
  await check(ctx, Object.assign(new ExportSchedule(), found), input, owner);
  await transact(ctx, async (tx) => {
    const schedule = await findKept(tx, ExportSchedule, id, { companyId, lock: true });
    // A schedule that was checked may have been changed meanwhile.
    const items: ErrorItem[] = [];
    requireSecret(schedule.storage, input, items);
    fill(schedule, input, items);
    if (items.length > 0) throw new Invalid(items);
    await take(tx, schedule, owner);
    await keepSecret(tx, schedule, input);
    emitEvent(tx, 'export_schedule.updated', schedule);
  });
}

/** Ends a schedule, and forgets the key of its storage. What is being sent is sent; what waits for its turn is not. */
export function deleteExportSchedule(ctx: Context, { id, companyId }: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const schedule = await findKept(tx, ExportSchedule, id, { companyId, lock: true });
    mayKeep(tx);
    Object.assign(schedule, { discardedAt: tx.tx.now, dueAt: null });
    await forgetSecretKey(tx, schedule.id);
    emitEvent(tx, 'export_schedule.deleted', schedule);
  });
}

/** @throws Denied also to somebody who acts as another person: nobody would be there to ask later */
function mayKeep(ctx: Context): void {
  if (allow(ctx, KEEPS_REPORTS).realActor) throw new Denied(KEEPS_REPORTS, 'permission_missing');
}

/** @throws Invalid with everything that is wrong, and the error with which the list answers its author now */
async function check(
  ctx: Context,
  schedule: ExportSchedule,
  input: CreateExportScheduleInput | UpdateExportScheduleInput,
  companyId: string,
): Promise<void> {
  const items: ErrorItem[] = [];
  requireSecret(schedule.storage, input, items);
  fill(schedule, input, items);
  if (input.storage) checkStorage(ctx.em, input.storage, items);
  const lists = exportedLists.of(ctx.em);
  if (!lists.has(schedule.list)) items.push({ model, field: 'list', key: 'export_list_unknown' });
  if (items.length > 0) throw new Invalid(items);
  const query = withDays(schedule.query, localDate(presentTime(), await zoneOf(ctx, companyId)));
  try {
    await lists.check(ctx, { companyId, list: schedule.list, query, format: schedule.format });
  } catch (error) {
    if (!(error instanceof HaulgateError) || ![400, 422].includes(error.status)) throw error;
    const problems = describeProblems(error, ctx.language, model);
    throw new Invalid(
      problems.map(({ field, message }) => ({
        model,
        field: 'query',
        key: 'export_query',
        params: { problem: `${asParameter(field)} ${message}`.trim() },
      })),
    );
  }
}

/** The fields that say whose a secret is: it is kept as long as none of them changes, so that it is never used where it was not given for. */
const OF_SECRET = ['endpoint', 'region', 'bucket', 'accessKeyId'] as const;

/** A secret that is not given is the one that is kept, of the same storage. */
function requireSecret(
  had: ExportStorage | null | undefined,
  { storage }: CreateExportScheduleInput | UpdateExportScheduleInput,
  items: ErrorItem[],
): void {
  if (!storage || storage.secretAccessKey) return;
  const now = storedOf(storage);
  if (!had) items.push({ model, field: 'storage.secretAccessKey', key: 'required' });
  else if (OF_SECRET.some((one) => had[one] !== now[one]))
    items.push({ model, field: 'storage.secretAccessKey', key: 'export_secret_anew' });
}

function fill(schedule: ExportSchedule, input: CreateExportScheduleInput | UpdateExportScheduleInput, items: ErrorItem[]): void {
  const problem = (field: string, key: string, params?: ErrorItem['params']) => void items.push({ model, field, key, params });
  for (const field of ['name', 'format', 'frequency', 'localTime'] as const) if (input[field] === null) problem(field, 'required');
  const { name, query, format, frequency, weekday, localTime, recipients, storage } = input;
  if (typeof name === 'string') {
    if (name.trim() === '') problem('name', 'required');
    schedule.name = name.trim();
  }
  if (query !== undefined) schedule.query = query?.replace(/^\?/, '') ?? '';
  if (format) schedule.format = format;
  if (frequency) schedule.frequency = frequency;
  if (weekday !== undefined) schedule.weekday = weekday;
  // One that becomes daily has no day of the week any more; one that is given anew would have no effect.
  if (schedule.frequency === 'daily') {
    if (weekday) problem('weekday', 'export_weekday_of_daily');
    schedule.weekday = null;
  }
  if (schedule.frequency === 'weekly' && !schedule.weekday) problem('weekday', 'required');
  if (localTime) {
    if (!TIME.test(localTime)) problem('localTime', 'export_time');
    schedule.localTime = localTime;
  }
  if (recipients !== undefined) fillRecipients(schedule, recipients ?? [], problem);
  if (storage !== undefined) schedule.storage = storage && storedOf(storage);
  if (schedule.recipients.length === 0 && !schedule.storage) problem('recipients', 'required');
}

function fillRecipients(
  schedule: ExportSchedule,
  given: readonly string[],
  problem: (field: string, key: string, params?: ErrorItem['params']) => void,
): void {
  const addresses = given.map(asAddress);
  if (addresses.length > MOST_RECIPIENTS) problem('recipients', 'too_many_items', { max: MOST_RECIPIENTS });
  for (const [at, address] of addresses.entries()) if (!isEmail(address)) problem(`recipients.${at}`, 'invalid_email');
  schedule.recipients = [...new Set(addresses)];
}

/** Without its secret, which is kept apart. */
const storedOf = ({ bucket, region, endpoint, prefix, accessKeyId, pathStyle }: ExportStorageInput): ExportStorage => ({
  ...{
    bucket,
    region: region ?? 'us-east-1',
    endpoint: endpoint ?? null,
    prefix: prefix ?? '',
    accessKeyId,
    pathStyle: pathStyle ?? false,
  },
});

async function keepSecret(
  tx: TxContext,
  { id }: ExportSchedule,
  { storage }: CreateExportScheduleInput | UpdateExportScheduleInput,
): Promise<void> {
  await tx.em.flush();
  if (storage?.secretAccessKey) await keepSecretKey(tx, id, storage.secretAccessKey);
  else if (storage === null) await forgetSecretKey(tx, id);
}

/** The schedule is its author's from now on, and due at the next of its times. */
async function take(tx: TxContext, schedule: ExportSchedule, companyId: string): Promise<void> {
  const viewer = viewerOf(tx);
  const { type, id, grants } = remembered(viewer);
  Object.assign(schedule, {
    createdByType: type,
    createdById: id,
    createdByName: viewer.name,
    grants,
    language: tx.language,
    dueAt: await nextDueOf(tx, schedule, companyId),
    endedAt: null,
    endReason: null,
  });
}

/**
 * On a later day than its last run, so that who moves it mails nothing twice a day. A due time that has passed, and that nobody has planned yet, stays:
 * otherwise whoever renames a schedule in that moment would leave out its day.
 */
async function nextDueOf(tx: TxContext, schedule: ExportSchedule, companyId: string): Promise<Date> {
  if (schedule.dueAt && schedule.dueAt <= worldTime(tx.tx)) return schedule.dueAt;
  // Not as it is remembered: the zone may have been changed a moment ago.
  const [found] = await queryIn<{ zone: string; last: number | null }>(tx.em, LAST, [companyId, schedule.id]);
  const { zone, last } = found!;
  return inWorldTime(tx.tx, dueAfter(schedule, zone, tx.tx.now, last === null ? undefined : localDate(new Date(last), zone)));
}
const LAST = `select c.time_zone as zone, (select (extract(epoch from max(r.due_at)) * 1000)::float8 from export_run r where r.export_schedule_id = $2) as last
  from company c where c.id = $1`;
