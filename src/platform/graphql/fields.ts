import {
  type DocumentNode,
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  isAbstractType,
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

const narrowings = new WeakMap<FieldNode, Map<string, FieldNode>>();

/**
 * The selections of a field whose type is a union or an interface, with only what they select of one of its types: what the read planner needs, which
 * does not look at type conditions. The same nodes give the same answer, because plans are kept by them.
 */
export function narrowed(
  { fieldNodes, fragments, schema }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'schema'>,
  type: string,
): FieldNode[] {
  // What is selected of an abstract type, such as the union itself, is selected of each of its types: conditions inside of it decide.
  const fits = (condition: string | undefined) =>
    condition === undefined || condition === type || isAbstractType(schema.getType(condition));
  const ofType = (set: SelectionSetNode): SelectionSetNode => ({
    ...set,
    selections: set.selections.flatMap((one): SelectionNode[] => {
      if (one.kind === Kind.FIELD) return [one];
      const { typeCondition, selectionSet } = one.kind === Kind.INLINE_FRAGMENT ? one : fragments[one.name.value]!;
      if (!fits(typeCondition?.name.value)) return [];
      return [{ kind: Kind.INLINE_FRAGMENT, directives: one.directives, selectionSet: ofType(selectionSet) }];
    }),
  });
  return fieldNodes.map((node) => {
    const known = narrowings.get(node) ?? new Map<string, FieldNode>();
    narrowings.set(node, known);
    const found = known.get(type) ?? { ...node, selectionSet: ofType(node.selectionSet!) };
    known.set(type, found);
    return found;
  });
}
