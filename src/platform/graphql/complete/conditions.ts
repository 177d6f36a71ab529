import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type VariableNode,
  visit,
} from 'graphql';
import { BadRequest } from '../../errors.ts';
import { decidingVariables } from '../../read/selection.ts';

/** Selections of one operation that are kept compiled, each for other values of its conditions. */
export const MOST_SELECTIONS = 4;

type Selection = Pick<FieldNode, 'directives'>;
type Variables = Readonly<Record<string, unknown>>;

/** The conditions of a document, `@include` and `@skip`: the variables that decide them, none where all are written out. */
export interface Conditions {
  names: readonly string[];
  /** The first place of each of them. */
  places: ReadonlyMap<string, VariableNode>;
}

/** Returns the conditions of a document; undefined if it has none. */
export function conditionsOf(document: DocumentNode): Conditions | undefined {
  const places = new Map<string, VariableNode>();
  let isConditional = false;
  visit(document, {
    Directive(node) {
      if (!decides(node)) return;
      isConditional = true;
      const value = node.arguments?.[0]?.value;
      if (value?.kind === Kind.VARIABLE && !places.has(value.name.value)) places.set(value.name.value, value);
    },
  });
  return isConditional ? { names: [...places.keys()].sort(), places } : undefined;
}

/**
 * Returns the place of a variable by which an operation includes or skips something, and that is null: `@include` and `@skip` take true or false alone. Only one with
 * a default may be null at all.
 */
export function nullConditionOf(
  { names, places }: Conditions,
  document: DocumentNode,
  operation: OperationDefinitionNode | null | undefined,
  variables: Variables,
): VariableNode | undefined {
  const nulls = names.filter((name) => variables[name] === null);
  if (nulls.length === 0 || !operation) return undefined;
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  // Other operations of the document may have variables of the same names.
  const deciding = new Set(decidingVariables([operation], fragments));
  const found = nulls.find((name) => deciding.has(name));
  return found === undefined ? undefined : places.get(found);
}

/** Refuses an operation in which a condition is null before it begins. @throws BadRequest that names the variable */
export function requireConditions(
  document: DocumentNode,
  operation: OperationDefinitionNode | null | undefined,
  variables: Variables,
): void {
  const conditions = conditionsOf(document);
  const place = conditions && nullConditionOf(conditions, document, operation, variables);
  if (place) throw new BadRequest('null_where_required', undefined, place.name.value);
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
