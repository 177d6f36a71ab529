import {
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import { viewerOf } from '../authz/authorization.ts';
import type { Context } from '../context.ts';
import { currentIds } from '../database/former-ids.ts';
import { planOnceForFew } from '../database/planned-once.ts';
import { queryOf } from '../database/sql.ts';
import { HaulgateError, Invalid, Missing } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { narrowed } from './fields.ts';
import { alsoFinding, readEach } from './read-each.ts';

/** Ids that `nodes` takes at most: each is a record of its own, read like a root field. */
const MOST = 25;

export const nodeInterface = new GraphQLInterfaceType({
  name: 'Node',
  description: 'A record that is found by its id alone.',
  fields: { id: { type: new GraphQLNonNull(GraphQLID), description: "The id, a UUID that is no other record's." } },
  resolveType: (value: { __typename?: string }) => value.__typename,
});

type Fields = Record<string, GraphQLFieldConfig<unknown, Context>>;

/** Finds records of every type that has a root field of its name with nothing but its id. */
export class NodeReader {
  readonly #schema: GraphQLSchema;
  /** The types, by name. */
  readonly #known: ReadonlyMap<string, GraphQLObjectType>;
  #typesSql: string | undefined;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    const types = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter((type) => rootFieldOf(schema, type));
    for (const type of types) type.getInterfaces = () => [nodeInterface];
    this.#known = new Map(types.map((type) => [type.name, type]));
  }

  /** The record of an id. @throws Missing, Denied as the root field of its type does */
  async one(id: string, ctx: Context, info: GraphQLResolveInfo): Promise<object> {
    const found = await this.#typesOf(ctx, [id]);
    const [type, field] = this.#fieldOf(found.get(id.toLowerCase()));
    const fieldNodes = narrowed(info, type.name);
    const read = ({ name, type: of, resolve }: typeof field) =>
      resolve!(undefined, { id }, ctx, { ...info, fieldName: name, returnType: of, fieldNodes }) as Promise<object>;
    let record = read(field);
    for (const other of alsoFinding(this.#schema, type.name))
      record = record.catch((error: unknown) => {
        if (!(error instanceof Missing)) throw error;
        return read(other);
      });
    return { ...(await record), __typename: type.name };
  }

  /**
   * The records of ids, in their order; null for each that does not exist or is not visible. It takes a statement for each type, and one that
   * finds out the types.
   * @param known the type of all of them, which then is not looked for
   */
  async read(ids: readonly string[], ctx: Context, info: GraphQLResolveInfo, known?: string): Promise<(object | null)[]> {
    const types = known && this.#known.has(known) ? undefined : await this.#typesOf(ctx, ids);
    const found = new Map<string, object | null>();
    const read = async (name: string, of: string[]) => {
      const [type, field] = this.#fieldOf(name);
      const fieldNodes = narrowed(info, type.name);
      await readBy([field, ...alsoFinding(this.#schema, type.name)], of, ctx, { ...info, fieldNodes }, found);
    };
    const byType = Map.groupBy(new Set(ids), (id) => (types ? types.get(id.toLowerCase()) : known));
    await Promise.all([...byType].map(([name, of]) => (name === undefined ? undefined : read(name, of))));
    return ids.map((id) => found.get(id) ?? null);
  }

  /**
   * The same for records of one type, from which `info` selects. Those of a type that has a place of its own are found by the field of its name alone.
   */
  async readOf(type: string, ids: readonly string[], ctx: Context, info: GraphQLResolveInfo): Promise<(object | null)[]> {
    const found = new Map<string, object | null>();
    await readBy([this.#fieldOf(type)[1]], [...new Set(ids)], ctx, info, found);
    return ids.map((id) => found.get(id) ?? null);
  }

  #fieldOf(name: string | undefined): [GraphQLObjectType, GraphQLField<unknown, Context>] {
    const type = this.#known.get(name ?? '');
    const field = type && rootFieldOf(this.#schema, type);
    if (!type || !field?.resolve) throw new Missing();
    return [type, field];
  }

  /**
   * The types of records by their ids, in lower case. It asks the tables under row-level security, and nothing but which of them has an id: what
   * of the record is visible, its root field decides. It does not see what partners in work are called, which no root field finds: otherwise a
   * field that asks for a permission would refuse the ids of their rates and labels, and only those.
   */
  async #typesOf(ctx: Context, ids: readonly string[]): Promise<Map<string, string>> {
    viewerOf(ctx);
    const asked = ids.filter(isUuid);
    if (asked.length === 0) return new Map();
    // It names every table, so that it takes longer to plan than to run.
    this.#typesSql ??= planOnceForFew(
      [...this.#known.keys()]
        .map(
          (type) =>
            `select id::text, '${type}' as type from "${ctx.em.getMetadata().getByClassName(type as never).tableName}" where id = any($1::uuid[])`,
        )
        .join(' union all '),
      MOST,
    );
    const rows = await queryOf<{ id: string; type: string }>(ctx, this.#typesSql, [asked]);
    return new Map(rows.map(({ id, type }) => [id, type]));
  }
}

/**
 * `node` and `nodes`, which find records by their ids alone. The root field of the type answers them, so that whoever may not use it learns
 * nothing here.
 */
export function nodeFields(schema: GraphQLSchema): Fields {
  const nodes = new NodeReader(schema);
  return {
    node: {
      type: nodeInterface,
      description: 'The record of an id, of whatever type it is.',
      args: { id: { type: new GraphQLNonNull(GraphQLID), description: 'The id of the record.' } },
      extensions: { callers: 'any signed in' },
      resolve: async (_source, { id }: { id: string }, ctx, info) => nodes.one((await presentIds(ctx, [id]))[0]!, ctx, info),
    },
    nodes: {
      type: new GraphQLList(nodeInterface),
      description: `The records of at most ${MOST} ids, in their order; null for each that does not exist or is not visible.`,
      args: { ids: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLID))), description: 'The ids of the records.' } },
      extensions: { callers: 'any signed in', rows: MOST },
      async resolve(_source, { ids }: { ids: string[] }, ctx, info) {
        if (ids.length > MOST) throw new Invalid([{ model: 'Node', field: 'ids', key: 'too_many_items', params: { max: MOST } }]);
        return nodes.read(await presentIds(ctx, ids), ctx, info);
      },
    },
  };
}

/** The ids, and for former ones of merged records those of the records that stayed. */
async function presentIds(ctx: Context, ids: readonly string[]): Promise<string[]> {
  const current = ctx.viewer?.hasMerged ? await currentIds(ctx, ids) : new Map<string, string>();
  return ids.map((id) => current.get(id.toLowerCase()) ?? id);
}

/** Notes the records of ids, as the first of some fields of their type finds each; null for those that none finds. */
async function readBy(
  fields: readonly GraphQLField<unknown, Context>[],
  ids: string[],
  ctx: Context,
  info: GraphQLResolveInfo,
  found: Map<string, object | null>,
): Promise<void> {
  let left = ids;
  for (const field of fields) {
    if (left.length === 0) return;
    const records = await readEach(field, left, ctx, info);
    const __typename = getNamedType(field.type).name;
    for (const [place, id] of left.entries()) {
      const record = records[place];
      found.set(id, record instanceof Error ? nullIfRefused(record) : { ...(record as object), __typename });
    }
    left = left.filter((id) => found.get(id) === null);
  }
}

/** A record that is not there, or that the caller may not read, leaves the others. */
function nullIfRefused(error: Error): null {
  if (error instanceof HaulgateError && (error.status === 403 || error.status === 404)) return null;
  throw error;
}

/** The root field of a type's name that finds a record by its id. */
function rootFieldOf(schema: GraphQLSchema, type: GraphQLObjectType) {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  return fields.find(
    (field) =>
      field.name.toLowerCase() === type.name.toLowerCase() &&
      getNamedType(field.type) === type &&
      field.args.some(({ name }) => name === 'id') &&
      field.args.every(({ name }) => ['id', 'companyId', 'asOf'].includes(name)),
  );
}
