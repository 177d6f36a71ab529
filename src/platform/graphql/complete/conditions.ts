import { type DirectiveNode, type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, visit } from 'graphql';

/** Selections of one operation that are kept compiled, each for other values of its conditions. */
export const MOST_SELECTIONS = 4;

type Selection = Pick<FieldNode, 'directives'>;
type Variables = Readonly<Record<string, unknown>>;

/** The conditions of a document, `@include` and `@skip`: the variables that decide them, none where all are written out. */
export interface Conditions {
  names: readonly string[];
}

/** Returns the conditions of a document; undefined if it has none. */
export function conditionsOf(document: DocumentNode): Conditions | undefined {
  const names = new Set<string>();
  let isConditional = false;
  visit(document, {
    Directive(node) {
      if (!decides(node)) return;
      isConditional = true;
      const value = node.arguments?.[0]?.value;
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return isConditional ? { names: [...names].sort() } : undefined;
}

/** Whether each of the conditions' variables is true, as one text: who has the same text selects the same. */
export const decided = ({ names }: Conditions, operation: OperationDefinitionNode | null | undefined, variables: Variables): string =>
  names.map((name) => (isTrue(name, operation, variables) ? 1 : 0)).join('');

/**
 * The document with what it selects with these variables, and without conditions. graphql-jit 0.8 notes them at the nodes of the document: a fragment that
 * is spread under a condition in one place is under it in all others, and one that is spread twice is under the first condition alone.
 */
export function selectedOf(
  document: DocumentNode,
  operation: OperationDefinitionNode | null | undefined,
  variables: Variables,
): DocumentNode {
  const isMet = ({ name, arguments: given }: DirectiveNode): boolean => {
    const value = given![0]!.value;
    const holds =
      value.kind === Kind.VARIABLE ? isTrue(value.name.value, operation, variables) : value.kind === Kind.BOOLEAN && value.value;
    return holds === (name.value === 'include');
  };
  const keep = <T extends Selection>(node: T): T | null => {
    const conditions = node.directives?.filter(decides) ?? [];
    if (!conditions.every(isMet)) return null;
    // Plans are kept by the nodes, also those of a field below which a fragment is another one now.
    return conditions.length > 0 ? { ...node, directives: node.directives!.filter((one) => !decides(one)) } : { ...node };
  };
  return visit(document, { Field: keep, InlineFragment: keep, FragmentSpread: keep });
}

const decides = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

function isTrue(name: string, operation: OperationDefinitionNode | null | undefined, variables: Variables): boolean {
  if (Object.hasOwn(variables, name)) return variables[name] === true;
  const fallback = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
  return fallback?.kind === Kind.BOOLEAN && fallback.value;
}
