import {
  type DocumentNode,
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  Kind,
  type SelectionNode,
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
  const fields = flat(document, operation.selectionSet).flatMap((node) => {
    const field = known[node.name.value];
    return field
      ? [[node.alias?.value ?? node.name.value, { field: field.name, ...getArgumentValues(field, node, variables) }] as const]
      : [];
  });
  // fromEntries defines keys, where assigning would call the setter of __proto__.
  return Object.fromEntries(fields);
}

function flat(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((one) => {
    if (one.kind === Kind.FIELD) return [one];
    if (one.kind === Kind.INLINE_FRAGMENT) return flat(document, one.selectionSet);
    const fragment = document.definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === one.name.value);
    return fragment && 'selectionSet' in fragment ? flat(document, fragment.selectionSet) : [];
  });
}

const narrow = new WeakMap<FieldNode, Map<string, FieldNode>>();

/**
 * The selection of a field whose type is a union, with only what it selects of one of the types: what the read planner needs, which does
 * not look at type conditions. The same nodes give the same answer, because plans are kept by them.
 */
export function narrowed(info: GraphQLResolveInfo, typeName: string): GraphQLResolveInfo {
  const fits = (one: SelectionNode): boolean => {
    if (one.kind === Kind.FIELD) return true;
    const condition = one.kind === Kind.INLINE_FRAGMENT ? one.typeCondition : info.fragments[one.name.value]?.typeCondition;
    return condition === undefined || condition.name.value === typeName;
  };
  const fieldNodes = info.fieldNodes.map((node) => {
    const known = narrow.get(node) ?? new Map<string, FieldNode>();
    narrow.set(node, known);
    const selectionSet = node.selectionSet && { ...node.selectionSet, selections: node.selectionSet.selections.filter(fits) };
    const found = known.get(typeName) ?? { ...node, selectionSet };
    known.set(typeName, found);
    return found;
  });
  return { ...info, fieldNodes };
}
