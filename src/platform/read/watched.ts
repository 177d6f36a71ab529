import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type GraphQLField, type GraphQLSchema, getNamedType, isLeafType } from 'graphql';
import { viewerOf } from '../authz/authorization.ts';
import { type AuditRecord, writeRecords } from '../commands/records.ts';
import type { Context } from '../context.ts';
import { currentWork } from '../database/request-work.ts';
import { queryIn } from '../database/sql.ts';
import { isUuid } from '../ids.ts';
import { wireName } from '../model/names.ts';
import type { Plan } from './plan.ts';
import type { Run } from './run.ts';

/** A read by somebody who acts as another person. */
type Read = Omit<AuditRecord, 'event'>;
type Ids = readonly (readonly [argument: string, id: string])[];

/**
 * The root field that is being answered to somebody who acts as another person: the ids with which it was asked, and whether an audit entry
 * has been written for it.
 */
const answering = new AsyncLocalStorage<{ ids: Ids; readIds: boolean }>();

/** Writes the audit entry of a read in the transaction of `em`; for a list, with the ids with which it was asked. */
export async function auditRead(em: EntityManager, ctx: Context, { changes, ...read }: Read): Promise<void> {
  const answer = answering.getStore();
  const named = 'list' in changes && answer ? { ...changes, ...noted(answer.ids) } : changes;
  const by = { actor: viewerOf(ctx), requestId: ctx.requestId, now: new Date() };
  await writeRecords(em, { events: [], audits: [{ event: 'read', ...read, changes: named }], transitions: [] }, by);
  if (answer) answer.readIds = true;
}

/** Writes to the audit log what somebody reads as another person, in the same transaction: without the entry there is no answer. */
export function rowsNoted(ctx: Context, entity: Function, plan: Plan, run: Run, transaction: EntityManager | undefined): Promise<object[]> {
  const companyId = run.companyIds.length === 1 ? run.companyIds[0]! : viewerOf(ctx).companyId;
  const read: Read = {
    type: entity.name,
    id: run.id ?? companyId,
    companyId,
    changes: run.id ? {} : { list: [null, run.where.map(({ key }) => key).join() || 'all'] },
  };
  const within = async (em: EntityManager) => {
    const rows = await queryIn<object>(em, plan.text, plan.values(run));
    await auditRead(em, ctx, read);
    return rows;
  };
  if (transaction) return within(transaction);
  const watch = () => ctx.em.fork({ clear: true }).transactional((em) => within(em as EntityManager));
  return currentWork()?.read(watch) ?? watch();
}

/**
 * Ensures that every root field that answers somebody who acts as another person has a `read` entry in the audit log. The read planner
 * writes it in the transaction that reads. For a field that runs its own statements it is written here, before the answer is given.
 * Mutations that answer only a value have the entry of their change.
 */
export function watchReads(schema: GraphQLSchema): void {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const changes = Object.values(schema.getMutationType()?.getFields() ?? {}).filter(({ type }) => !isLeafType(getNamedType(type)));
  for (const field of [...queries, ...changes]) {
    const { resolve } = field;
    if (!resolve) continue;
    field.resolve = (source, args, ctx: Context, info) => {
      const answer = () => resolve(source, args, ctx, info);
      return ctx.viewer?.realActor ? watched(ctx, field, args, answer) : answer();
    };
  }
}

async function watched(ctx: Context, field: GraphQLField<unknown, Context>, args: object, answer: () => unknown): Promise<unknown> {
  const ids = Object.entries(args).filter((pair): pair is [string, string] => isUuid(pair[1]));
  const state = { ids, readIds: false };
  return answering.run(state, async () => {
    const result = await answer();
    if (!state.readIds)
      await ctx.em.fork({ clear: true }).transactional((em) => auditRead(em as EntityManager, ctx, asked(ctx, field, ids)));
    return result;
  });
}

/** Returns the record that a root field has answered, by its type and the ids with which it was asked: the record that it names first, or else the company. */
function asked(ctx: Context, { name, type }: GraphQLField<unknown, Context>, ids: Ids): Read {
  const viewer = viewerOf(ctx);
  const named = ids.find(([argument]) => argument === 'companyId')?.[1].toLowerCase();
  const companyId = named && viewer.companyIds.includes(named) ? named : viewer.companyId;
  const subject = ids.find(([argument]) => argument === 'id') ?? ids.find(([argument]) => argument !== 'companyId');
  return {
    type: getNamedType(type).name.replace(/Connection$/, ''),
    id: subject?.[1] ?? companyId,
    companyId,
    changes: { field: [null, name], ...noted(ids) },
  };
}

const noted = (ids: Ids): Read['changes'] => Object.fromEntries(ids.map(([argument, id]) => [wireName(argument), [null, id]]));
