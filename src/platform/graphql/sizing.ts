import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql';

/** Arguments on which the cost of a list depends (limits.ts), and that of a condition, on which it depends what is selected. */
const SIZING: readonly string[] = ['first', 'last', 'page', 'search', 'exact', 'ids', 'if'];

/**
 * The memory of an operation that was measured. Clients send the same operations again and again, most of them with variables on
 * which their cost does not depend, or with the same page size.
 */
export interface Measured {
  /** The variables in sizing arguments. */
  names: readonly string[];
  /** Their values with which the operation was affordable. */
  values?: string;
}
const operations = new WeakMap<OperationDefinitionNode, Measured>();

/** Returns what was measured of an operation last, which its caller may change. */
export function lastMeasured(operation: OperationDefinitionNode, document: DocumentNode): Measured {
  let found = operations.get(operation);
  if (!found) {
    const names = new Set<string>();
    const ofValue = { Variable: ({ name }: { name: { value: string } }) => void names.add(name.value) };
    visit(document, { Argument: ({ name, value }) => void (SIZING.includes(name.value) && visit(value, ofValue)) });
    found = { names: [...names] };
    operations.set(operation, found);
  }
  return found;
}

/** Characters of values that are remembered of an operation at most: documents are limited by their memory, which these add to. */
const REMEMBERED = 200;

/** Names the values of the sizing variables, different values differently. @returns undefined for values that are too long to be remembered */
export function sizingValues({ names }: Measured, variables: Record<string, unknown>): string | undefined {
  if (names.length === 0) return '';
  // A number that JSON cannot write, and a text of digits, must not look like something else.
  const marked = (_key: string, value: unknown) =>
    typeof value === 'number' ? `n${value}` : typeof value === 'string' ? `s${value}` : value;
  const text = names.map((name) => (variables[name] === undefined ? '-' : JSON.stringify(variables[name], marked))).join();
  return text.length > REMEMBERED ? undefined : text;
}
