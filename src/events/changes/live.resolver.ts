import { type GraphQLSchema, getNamedType, isEnumType, isObjectType } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, InputType, Resolver, Root, Subscription } from 'type-graphql';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { currentIds } from '../../platform/database/former-ids.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { AtMost, enforceRules } from '../../platform/graphql/rules.ts';
import { isUuid } from '../../platform/ids.ts';
import { ChangeEntry, ChangeEvent } from './change.types.ts';
import { type Live, liveChanges } from './live.ts';
import type { Change } from './read-changes.ts';
import { RECORD_TYPES, RecordType } from './record-types.ts';

const MOST_IDS = 100;

@InputType()
class RecordChangeFilter {
  @Field(() => [ChangeEvent], { nullable: true, description: 'The kinds of changes that happened to the record.' })
  @AtMost(Object.keys(ChangeEvent).length)
  events?: (keyof typeof ChangeEvent)[] | null;
  @Field(() => [String], { nullable: true, description: 'The state that the record came into.' })
  @AtMost(MOST_IDS)
  states?: string[] | null;
}

@ArgsType()
class RecordChangedArgs {
  @Field(() => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string | null;
  @Field(() => [RecordType], { description: 'The types of records; an empty list is none of them.' })
  @AtMost(RECORD_TYPES.length)
  types!: RecordType[];
  @Field(() => [ID], { nullable: true, description: 'Only these records.' }) @AtMost(MOST_IDS) ids?: string[] | null;
  @Field(() => RecordChangeFilter, { nullable: true, description: 'Which changes are meant; by default, all.' })
  filter?: RecordChangeFilter | null;
}

/** The states that records of a type may have; none of a type without them. */
function statesOf(schema: GraphQLSchema, name: RecordType): string[] {
  const type = schema.getType(name);
  const field = isObjectType(type) ? type.getFields().state : undefined;
  const state = field && getNamedType(field.type);
  return isEnumType(state) ? state.getValues().map((value) => value.name) : [];
}

/** @throws Invalid for a state into which no record of the types ever comes: its subscriber would wait for ever */
function requireStates(schema: GraphQLSchema, { types, filter }: RecordChangedArgs): void {
  // An empty list of types selects nothing, whatever its states are.
  if (types.length === 0) return;
  const known = new Set(types.flatMap((type) => statesOf(schema, type)));
  const problem = known.size > 0 ? { key: 'not_one_of', params: { values: [...known].join(', ') } } : { key: 'types_without_states' };
  const items = (filter?.states ?? []).flatMap((state, at): ErrorItem[] =>
    known.has(state) ? [] : [{ model: 'Change', field: `filter.states.${at}`, ...problem }],
  );
  if (items.length > 0) throw new Invalid(items);
}

/** The changes that a subscriber asked for. @throws Invalid for an id that no record has */
async function* changesAsked(ctx: Context, { companyId, types, ids, filter }: RecordChangedArgs): AsyncGenerator<Live<Change>> {
  const malformed = (ids ?? []).flatMap((id, at) => (isUuid(id) ? [] : [{ model: 'Change', field: `ids.${at}`, key: 'not_a_uuid' }]));
  // They would never change.
  if (malformed.length > 0) throw new Invalid(malformed);
  // By the id of a merged record one follows the record that stays, too; the former one comes back if the merge is undone.
  const current = ids && ctx.viewer?.hasMerged ? await currentIds(ctx, ids) : undefined;
  const wanted = ids && new Set([...ids.map((id) => id.toLowerCase()), ...(current?.values() ?? [])]);
  const isAsked = ({ id, event, state }: Change) =>
    (!wanted || wanted.has(id)) &&
    (!filter?.events || filter.events.includes(event)) &&
    (!filter?.states || (state !== null && filter.states.includes(state)));
  for await (const value of liveChanges(ctx, { companyId, types, isAsked })) if (value.payloads.length > 0) yield value;
}

@Resolver()
export class LiveResolver {
  @Subscription(() => ChangeEntry, {
    description: 'Each change of records that you may see, from now on; of several that wait for you, the last one of each record.',
    subscribe: (asked) => {
      const { args, context } = asked;
      companyOf(context as Context, (args as RecordChangedArgs).companyId);
      // Otherwise the rules of the arguments would be asked with the first change.
      enforceRules(undefined, Object, { root: undefined, ...asked });
      requireStates(asked.info.schema, args as RecordChangedArgs);
      return changesAsked(context as Context, args as RecordChangedArgs) as never;
    },
  })
  @AnySignedIn()
  recordChanged(@Root() change: Change, @Args(() => RecordChangedArgs) _args: RecordChangedArgs, @Ctx() _ctx: Context): ChangeEntry {
    return change;
  }
}
