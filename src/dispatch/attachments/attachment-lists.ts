import type { GraphQLResolveInfo } from 'graphql';
import { attachableKind } from '../../files/attachable.ts';
import { FileAttachment } from '../../files/file-attachment.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import type { Connection, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { type DriverDay, jobOfDay } from '../model/driver-day.entity.ts';
import { type AttachTo, attachableOf } from './attachment-commands.ts';

/** Returns the files of a record, newest first. @throws Missing for a record that was only passed on, unless it is hauled; Denied */
export async function filesOf(
  ctx: Context,
  info: GraphQLResolveInfo,
  of: AttachTo,
  args: PageArgs,
  withLoads = false,
): Promise<Connection<FileAttachment>> {
  const owner = await attachableOf(ctx, of);
  const mine = viewerOf(ctx).companyIds.includes(owner.companyId);
  if (!attachableKind(of.type).hauled && !mine) throw new Missing();
  const own = (t: string, p: string) => `(${t}.file_attachable_id = ${p} and ${t}.file_attachable_type = '${of.type}')`;
  const ofLoads = (t: string, p: string) =>
    `(${t}.file_attachable_type = 'Load' and ${t}.file_attachable_id in (select l.id from load l where l.job_id = ${p}))`;
  const sql = (t: string, p: string) => (withLoads ? `(${own(t, p)} or ${ofLoads(t, p)})` : own(t, p));
  const where = [{ key: withLoads ? 'ofJob' : `of${of.type}`, sql, cast: 'uuid', value: owner.id }];
  return ctx.read.page(FileAttachment, info, { ...args, companyId: of.companyId ?? (mine ? owner.companyId : undefined), where });
}

/** The condition for files of jobs that the day's company sees: its own, and those passed on to it. */
export const ofJobsOf = ({ id }: DriverDay): Where => ({
  key: 'ofJobsOfDay',
  sql: (t, p) => `(${t}.file_attachable_type = 'Job' and ${t}.file_attachable_id in (
    select j.id from driver_day d join job j on ${jobOfDay('j', 'd')} where d.id = ${p}))`,
  cast: 'uuid',
  value: id,
});
