import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/**
 * The root fields of a document's query with their arguments, by the name under which they are answered. A mutation has none, because its
 * commands are audited by themselves. The document is valid.
 */
export function fieldsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const operation = getOperationAST(document, operationName ?? undefined);
  const known = schema.getQueryType()?.getFields() ?? {};
  if (operation?.operation !== 'query') return {};
  const fields: Record<string, unknown> = {};
  for (const node of flat(document, operation.selectionSet)) {
    const field = known[node.name.value];
    if (field) fields[node.alias?.value ?? node.name.value] = { field: field.name, ...getArgumentValues(field, node, variables) };
  }
  return fields;
}

function flat(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((one) => {
    if (one.kind === Kind.FIELD) return [one];
    if (one.kind === Kind.INLINE_FRAGMENT) return flat(document, one.selectionSet);
    const fragment = document.definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === one.name.value);
    return fragment && 'selectionSet' in fragment ? flat(document, fragment.selectionSet) : [];
  });
}
