import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
} from 'graphql';
import type { ReadableRecords } from '../events/changes/readable-records.ts';
import { RECORD_TYPES, type RecordType } from '../events/changes/record-types.ts';
import { hiddenKinds } from '../files/attachable.ts';
import { meetsRequirements } from '../platform/authz/field-permissions.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { HaulgateError } from '../platform/errors.ts';
import { alsoFinding, readEach, readTogether } from '../platform/graphql/read-each.ts';
import { applyEdits, editsOf } from '../platform/http/rest/answer-edits.ts';
import { executionError } from '../platform/http/rest/envelope.ts';
import type { Execute } from '../platform/http/rest/execution.ts';
import { wireName } from '../platform/model/names.ts';
import { type Documents, documentsOf } from './documents.ts';
import { schemaOfRooms } from './serve.ts';

/** Whether a viewer sees all records of a type in their company, where its root field shows some people only some (importBatch, fileAttachment). */
const SEES_ALL: Partial<Record<RecordType, (viewer: Viewer) => boolean>> = {
  ImportBatch: (viewer) => viewer.can('view_imports'),
  FileAttachment: (viewer) => hiddenKinds((permission) => viewer.can(permission)).length === 0,
};

type RootField = GraphQLField<unknown, Context>;

/** The document that shows a record of a type as REST does. */
interface Shown {
  execute: Execute;
  takesCompany: boolean;
  edits: ReturnType<typeof editsOf>;
}

/** Returns how the records of changes are read. Documents are compiled when the first record of their type is read. @param checked as in `documentsOf` */
export function readableRecordsOf(orm: MikroORM, root: string, checked?: boolean): ReadableRecords {
  const schema = schemaOfRooms();
  const fields = new Map(RECORD_TYPES.map((type) => [type, [rootFieldOf(schema, type), ...alsoFinding(schema, type)]]));
  const ids = new Map<RootField, GraphQLResolveInfo>();
  const shown = new Map<RootField, Shown>();
  /** The field of the type's name, whose permission holds. */
  const fieldOf = (type: RecordType) => fields.get(type)![0]!;
  /** Asks the fields of a type one after the other for what those before do not find. @returns what was found, by id */
  const findBy = async (
    type: RecordType,
    of: readonly string[],
    read: (field: RootField, left: readonly string[]) => Promise<unknown[]>,
  ): Promise<Map<string, object>> => {
    const found = new Map<string, object>();
    for (const field of fields.get(type)!) {
      const left = of.filter((id) => !found.has(id));
      if (left.length === 0) break;
      const records = await read(field, left);
      for (const [at, id] of left.entries()) if (isRecord(records[at])) found.set(id, records[at] as object);
    }
    return found;
  };
  return {
    mayRead: (viewer, type) => meetsRequirements(schema, fieldOf(type).name, viewer),
    partly: (viewer) =>
      Object.entries(SEES_ALL).flatMap(([type, seesAll]) =>
        meetsRequirements(schema, fieldOf(type as RecordType).name, viewer) && !seesAll(viewer) ? [type as RecordType] : [],
      ),
    visible(ctx, companyId, type, of) {
      return findBy(type, of, (field, left) => {
        const info = ids.get(field) ?? selectingId(schema, field);
        ids.set(field, info);
        return readEach(field, left, ctx, info, takesCompany(field) ? { companyId } : {});
      });
    },
    documents(ctx, companyId, type, of) {
      return findBy(type, of, (field, left) => {
        const one = shown.get(field) ?? documentOf(documentsOf(schema, join(root, 'schema/rest'), checked), schema, field, type);
        shown.set(field, one);
        return readTogether(ctx, left, async (id, reading) => {
          const { data, errors } = await one.execute(one.takesCompany ? { id, companyId } : { id }, reading);
          if (errors?.length) throw executionError(errors);
          if (one.edits) applyEdits(data, one.edits, () => false);
          return data?.data;
        });
      });
    },
    tableOf(type) {
      const { tableName, properties } = orm.getMetadata().getByClassName(type as never);
      return { name: tableName, hasTime: 'createdAt' in properties };
    },
  };
}

/** False for a record that is not there, or that the caller may not read. @throws every other error */
function isRecord(found: unknown): boolean {
  if (!(found instanceof Error)) return found !== null && found !== undefined;
  if (found instanceof HaulgateError && (found.status === 403 || found.status === 404)) return false;
  throw found;
}

const takesCompany = ({ args }: RootField): boolean => args.some(({ name }) => name === 'companyId');

/** The root field that finds a record of a type by its id. @throws Error for a type that has none, which is a mistake in the code */
function rootFieldOf(schema: GraphQLSchema, type: RecordType): RootField {
  const fields = Object.values(schema.getQueryType()!.getFields());
  const found = fields.find(
    (field) =>
      field.name.toLowerCase() === type.toLowerCase() &&
      getNamedType(field.type).name === type &&
      field.args.some(({ name }) => name === 'id'),
  );
  if (!found) throw new Error(`no root field finds a record of the type ${type}`);
  return found;
}

/** Returns the information that a resolver gets of a document that asks for nothing but the id. */
function selectingId(schema: GraphQLSchema, { name }: RootField): GraphQLResolveInfo {
  const [operation] = parse(`{ ${name} { id } }`).definitions as [OperationDefinitionNode];
  const parentType = schema.getQueryType();
  const fieldNodes = operation.selectionSet.selections;
  return { schema, operation, parentType, fieldNodes, fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
}

/** The REST document that reads a record by its id; where there is none, what lists show of it. */
function documentOf({ operations, prepare }: Documents, schema: GraphQLSchema, field: RootField, type: RecordType): Shown {
  const known = operations.find(
    ({ kind, rootField, variables }) =>
      kind === 'query' && rootField === field.name && variables.every(({ name }) => ['id', 'companyId', 'asOf'].includes(name)),
  );
  if (known) {
    const { document, name, variables, edits } = known;
    const takes = variables.some((one) => one.name === 'companyId');
    const within = takes || !takesCompany(field) ? document : inCompany(document);
    return { execute: prepare(within, name), takesCompany: takesCompany(field), edits };
  }
  const fragments = new Map(
    operations.flatMap(({ document }) =>
      document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
    ),
  );
  const fragment = [type, `${type}Read`].find((name) => fragments.get(name)?.typeCondition.name.value === type);
  const selected = fragment ? `...${fragment}` : leavesOf(schema, type);
  const scoped = takesCompany(field);
  const text = `query Changed${type}($id: ID!${scoped ? ', $companyId: ID' : ''}) { data: ${field.name}(id: $id${scoped ? ', companyId: $companyId' : ''}) { ${selected} } }`;
  const { definitions } = parse(text);
  const document = { kind: Kind.DOCUMENT, definitions: [...definitions, ...usedBy(fragment, fragments)] } as const;
  return { execute: prepare(document, `Changed${type}`), takesCompany: scoped, edits: editsOf(document) };
}

/**
 * The same document, asked inside of one company: `/v1/loads/{id}` finds a record in any company of a family, while the feed of a company has
 * what that company sees.
 */
function inCompany(document: DocumentNode): DocumentNode {
  const [scoped] = parse('query ($companyId: ID) { data(companyId: $companyId) }').definitions as [OperationDefinitionNode];
  const [root] = scoped.selectionSet.selections as readonly [FieldNode];
  const taking = (of: SelectionNode): SelectionNode =>
    of.kind === Kind.FIELD ? { ...of, arguments: [...(of.arguments ?? []), ...root.arguments!] } : of;
  const definitions = document.definitions.map((one) =>
    one.kind === Kind.OPERATION_DEFINITION
      ? {
          ...one,
          variableDefinitions: [...(one.variableDefinitions ?? []), ...scoped.variableDefinitions!],
          selectionSet: { ...one.selectionSet, selections: one.selectionSet.selections.map(taking) },
        }
      : one,
  );
  return { ...document, definitions };
}

/** The fields of a type that are values, under their names in REST. */
function leavesOf(schema: GraphQLSchema, type: string): string {
  const of = schema.getType(type);
  const fields = isObjectType(of) ? Object.values(of.getFields()) : [];
  return fields
    .filter(({ type, args }) => isLeafType(getNamedType(type)) && args.length === 0)
    .map(({ name }) => `${wireName(name)}: ${name}`)
    .join(' ');
}

function usedBy(
  name: string | undefined,
  fragments: Map<string, FragmentDefinitionNode>,
  met = new Set<string>(),
): FragmentDefinitionNode[] {
  const fragment = name === undefined || met.has(name) ? undefined : fragments.get(name);
  if (!fragment) return [];
  met.add(name!);
  const spread = [...JSON.stringify(fragment).matchAll(/"kind":"FragmentSpread","name":\{"kind":"Name","value":"(\w+)"/g)];
  return [fragment, ...spread.flatMap(([, other]) => usedBy(other, fragments, met))];
}
