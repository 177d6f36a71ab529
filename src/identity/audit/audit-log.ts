import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { AuditEntry, Principal } from '../../platform/commands/audit.entity.ts';
import { AuditEvent } from '../../platform/commands/audit-event.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { isUuid } from '../../platform/ids.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { byCreation, defineFilters, type FilterSpec } from '../../platform/read/grammar.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { DateTime, Json } from '../../platform/scalars.ts';
import { seesMoney } from '../access/money.ts';
import { Impersonation } from '../sessions/impersonation.entity.ts';

/** An entry of the audit log: what a timeline shows, and where it belongs. Read from AuditEntry. */
@ObjectType('AuditLogEntry', {
  description: 'A change: who did what to which record, when, with the old and the new values.',
  simpleResolvers: true,
})
export class AuditLogEntry {
  @Field(() => ID) id!: string;
  @Field(() => ID, { description: 'The company to which the record belongs.' }) companyId!: string;
  @Field(() => String, { description: 'Type of the record, such as Order.' }) subjectType!: string;
  @Field(() => ID) subjectId!: string;
  @Field(() => AuditEvent) event!: AuditEvent;
  @Field(() => Json, { description: '{ field: [before, after] }; rates that you may not see are null.' })
  objectChanges!: Record<string, [unknown, unknown]>;
  @Field(() => Principal) createdBy!: Principal;
  @Field(() => Principal, { nullable: true, description: 'The person who impersonated the actor; null if nobody did.' })
  realActor!: Principal | null;
  @Field(() => String, { description: 'The X-Request-Id of the answer.' }) requestId!: string;
  @Field(() => DateTime) createdAt!: Date;
}

@InputType()
export class AuditFilter {
  @Field(() => String, { nullable: true, description: 'Type of the record, such as Order.' }) subjectType?: string | null;
  @Field(() => ID, { nullable: true }) subjectId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The person or machine client that acted, or as whom somebody acted.' }) actorId?:
    | string
    | null;
  @Field(() => [String], { nullable: true, description: 'Any of: create, update, destroy, sign_in and so on.' }) events?: string[] | null;
  @Field(() => String, { nullable: true }) requestId?: string | null;
  @Field(() => DateTime, { nullable: true, description: 'At or after this time.' }) from?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Before this time.' }) to?: Date | null;
  @UpdatedSince() updatedSince?: Date | null;
}

const AUDIT_FILTERS: Record<Exclude<keyof AuditFilter, 'updatedSince'>, FilterSpec> = {
  subjectType: { sql: (t, p) => `${t}.subject_type = ${p}`, cast: 'text' },
  subjectId: { sql: (t, p) => `${t}.subject_id = ${p}`, cast: 'uuid' },
  actorId: { sql: (t, p) => `${t}.created_by_id = ${p}`, cast: 'uuid' },
  events: { sql: (t, p) => `${t}.event = any(${p})`, cast: 'text[]' },
  requestId: { sql: (t, p) => `${t}.request_id = ${p}`, cast: 'text' },
  from: { sql: (t, p) => `${t}.created_at >= ${p}`, cast: 'timestamptz' },
  to: { sql: (t, p) => `${t}.created_at < ${p}`, cast: 'timestamptz' },
};
export const auditEntryExtension = extendEntity(AuditEntry, { objectChanges: { columns: ['subjectType'] } });
export const auditEntryFilters = defineFilters(AuditEntry, { ...AUDIT_FILTERS, ...byCreation });

/** Added to the filter by actor when `namesAPerson`: only then does PostgreSQL use the index over people's rows. */
export const BY_A_PERSON = (t: string): string => `${t}.created_by_type = 'User'`;

/**
 * True when the filter names a person the viewer can see, and as whom nobody has ever acted: what was done as them has another type, and the index
 * over people's rows does not have it.
 */
export async function namesAPerson(ctx: Context, filter: AuditFilter | null | undefined): Promise<boolean> {
  const id = filter?.actorId;
  if (!id || !isUuid(id) || (await ctx.em.count(User, { id })) === 0) return false;
  return (await ctx.em.count(Impersonation, { userId: id })) === 0;
}

/** The changes of an entry with null for the rates the viewer may not see. */
export function shownChanges(
  viewer: Viewer,
  subjectType: string,
  changes: Record<string, [unknown, unknown]>,
): Record<string, [unknown, unknown]> {
  return Object.fromEntries(
    Object.entries(changes).map(([field, pair]) => [field, seesMoney(viewer, field, subjectType) ? pair : [null, null]]),
  );
}
