import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { CsvRow } from '../../../csv.ts';
import type { RestOperation } from '../operation.ts';

type Path = readonly string[];
/** A column of an exported list: where its value is in a record, by wire names, and of which type it is, if it is of one. */
export interface Column {
  path: Path;
  type: GraphQLOutputType | undefined;
}
/** The column of a list whose elements are texts or numbers. */
const VALUE = 'value';

/**
 * Returns the columns of a list as a sheet, in the order in which its document selects them: a column for each value of a record, named by its
 * path with dots (`account.name`); a list inside of a record is one column. What only some kinds of records have follows what all have.
 */
export function columnsOf(schema: GraphQLSchema, { document, paged, rootType }: RestOperation): Column[] {
  const fragments = fragmentsOf(document);
  const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;
  let record = operation.selectionSet.selections[0] as FieldNode;
  let type: GraphQLNamedType = getNamedType(rootType);
  if (paged) {
    record = record.selectionSet!.selections.find((one) => one.kind === Kind.FIELD && one.name.value === 'nodes') as FieldNode;
    type = getNamedType((type as { getFields(): Record<string, { type: typeof rootType }> }).getFields().nodes!.type);
  }
  const columns = new Map<string, Column>();
  const add = (path: Path, type: GraphQLOutputType | undefined) => {
    const name = path.join('.');
    const known = columns.get(name);
    columns.set(name, { path, type: known && String(known.type) !== String(type) ? undefined : type });
  };
  const collect = (selection: SelectionSetNode, of: GraphQLNamedType, at: Path): void => {
    for (const node of selection.selections) {
      if (node.kind !== Kind.FIELD) {
        const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)!;
        const condition = inner.typeCondition?.name.value;
        collect(inner.selectionSet, condition ? schema.getType(condition)! : of, at);
        continue;
      }
      const path = [...at, node.alias?.value ?? node.name.value];
      const type = isObjectType(of) || isInterfaceType(of) ? getNullableType(of.getFields()[node.name.value]?.type) : undefined;
      if (type && node.selectionSet && !isListType(type)) collect(node.selectionSet, getNamedType(type), path);
      else add(path, type as GraphQLOutputType | undefined);
    }
  };
  if (record.selectionSet) collect(record.selectionSet, type, []);
  else columns.set(VALUE, { path: [], type: elementOf(rootType) });
  return [...columns.values()];
}

const elementOf = (type: GraphQLOutputType): GraphQLOutputType | undefined => {
  const list = getNullableType(type);
  return isListType(list) ? (list.ofType as GraphQLOutputType) : undefined;
};

/** The name of a column. */
export const nameOf = (path: Path): string => path.join('.') || VALUE;

/** Returns the cells of a record: texts and numbers as they are, lists and JSON as JSON, nothing for what is null. */
export function cellsOf(columns: readonly Column[], record: unknown): CsvRow {
  return columns.map(({ path }) => {
    const value = valueAt(path, record);
    if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number') return value;
    return JSON.stringify(value);
  });
}

/** The value of a column in a record. */
export function valueAt(path: Path, record: unknown): unknown {
  let value = record;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value;
}

const fragmentsOf = ({ definitions }: DocumentNode) =>
  new Map(definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])));
