import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
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

/** A column of an exported list: where its value is in a record, by wire names. */
type Path = readonly string[];
/** The column of a list whose elements are texts or numbers. */
const VALUE = 'value';

/**
 * Returns the columns of a list as CSV, in the order in which its document selects them: a column for each value of a record, named by its
 * path with dots (`account.name`); a list inside of a record is one column. What only some kinds of records have follows what all have.
 */
export function columnsOf(schema: GraphQLSchema, { document, paged, rootType }: RestOperation): Path[] {
  const fragments = fragmentsOf(document);
  const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;
  let record = operation.selectionSet.selections[0] as FieldNode;
  let type: GraphQLNamedType = getNamedType(rootType);
  if (paged) {
    record = record.selectionSet!.selections.find((one) => one.kind === Kind.FIELD && one.name.value === 'nodes') as FieldNode;
    type = getNamedType((type as { getFields(): Record<string, { type: typeof rootType }> }).getFields().nodes!.type);
  }
  const columns = new Map<string, Path>();
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
      else columns.set(path.join('.'), path);
    }
  };
  if (record.selectionSet) collect(record.selectionSet, type, []);
  else columns.set(VALUE, []);
  return [...columns.values()];
}

/** The name of a column. */
export const nameOf = (path: Path): string => path.join('.') || VALUE;

/** Returns the cells of a record: texts and numbers as they are, lists and JSON as JSON, nothing for what is null. */
export function cellsOf(columns: readonly Path[], record: unknown): CsvRow {
  return columns.map((path) => {
    let value = record;
    for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
    if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number') return value;
    return JSON.stringify(value);
  });
}

const fragmentsOf = ({ definitions }: DocumentNode) =>
  new Map(definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])));
