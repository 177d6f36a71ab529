import { GraphQLInputObjectType, type GraphQLInputType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { Context } from '../context.ts';
import { RecordBase } from '../model/columns.ts';
import { saysWhenChanged } from '../read/grammar.ts';
import type { PageOptions } from '../read/options.ts';
import type { Reader } from '../read/reader.ts';
import { SINCE } from '../read/time-range.ts';
import { readingWith } from './reading-with.ts';

/**
 * Gives each list of the root that has no filter of its own one by the last change, so that clients can copy what changed since they looked. REST has it
 * as `filter[updated_since]` (`src/platform/http/rest/wire.ts`).
 */
export function addChangeFilters(schema: GraphQLSchema): void {
  const entities = new Map(getMetadataStorage().objectTypes.map(({ name, target }) => [name, target]));
  const DateTime = schema.getType('DateTime') as GraphQLInputType;
  const filter = new GraphQLInputObjectType({
    name: 'ChangeFilter',
    description: 'Which records of a list are meant.',
    fields: { updatedSince: { type: DateTime, description: SINCE } },
  });
  schema.getTypeMap()[filter.name] = filter;
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const connection = getNamedType(field.type);
    const nodes = isObjectType(connection) && 'pageInfo' in connection.getFields() ? connection.getFields().nodes : undefined;
    const entity = nodes && entities.get(getNamedType(nodes.type).name);
    const { resolve } = field;
    if (!entity || !(entity.prototype instanceof RecordBase || saysWhenChanged(entity))) continue;
    if (field.args.some(({ name }) => name === 'filter') || !resolve) continue;
    const description = 'Which records are meant.';
    const more = { defaultValue: undefined, deprecationReason: undefined, extensions: {}, astNode: undefined };
    field.args = [...field.args, { name: 'filter', type: filter, description, ...more }];
    field.resolve = (source, { filter, ...args }: { filter?: { updatedSince?: Date | null } | null }, ctx: Context, info) =>
      resolve(source, args, filter?.updatedSince ? readingWith(ctx, onlySince(filter.updatedSince)) : ctx, info);
  }
}

const onlySince = (updatedSince: Date) => (reader: Reader) => ({
  page: ((entity, info, options: PageOptions) =>
    reader.page(entity, info, { ...options, filter: { ...options.filter, updatedSince } })) as Reader['page'],
});
