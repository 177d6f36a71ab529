import {
  coerceInputValue,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import type { Context } from '../../context.ts';
import { translate } from '../../i18n/messages.ts';

/** Errors that one answer has at most. */
const MOST = 50;
/** Letters of a wrong value that its error repeats. */
const SHOWN = 100;
/** Ends the search for errors: an answer has no room for more, and a stranger may have sent a hundred thousand. */
class Enough extends Error {}

/**
 * Returns the problems with the variables of an operation, up to `MOST` errors, each with its variable, the path inside its value and its place in
 * the document. The compiled document, which refuses them, names none, and takes milliseconds for each hundred.
 * @param suggests whether names of the schema may be suggested
 */
export function variableErrors(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
  context: Pick<Context, 'language' | 'requestId'>,
  suggests: boolean,
): GraphQLError[] {
  const errors: GraphQLError[] = [];
  try {
    for (const definition of variableDefinitions) collect(definition);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return errors;

  function collect(definition: VariableDefinitionNode): void {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never);
    const report = (problem: string, path: readonly (string | number)[] = [], key?: unknown) => {
      const at = path.length > 0 ? ` at "${[name, ...path].join('.')}"` : '';
      errors.push(problemAt(definition, `Variable "$${name}"${at}: ${problem}`, { variable: name, path: [...path], key }, context));
      if (errors.length === MOST) throw new Enough();
    };
    if (!isInputType(type)) return;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined || value === null) {
      if (isNonNullType(type) && (value === null || !definition.defaultValue))
        report(`a value of the required type "${print(definition.type)}" was not provided.`);
      return;
    }
    coerceInputValue(value, type, (path, given, { message, extensions }) => {
      const key = extensions?.key;
      const problem = typeof key === 'string' ? translate(context.language, key) : message;
      const shown = suggests ? problem : problem.replace(/ Did you mean .*$/s, '');
      const unknown = /^Field "(\w+)" is not defined/.exec(message)?.[1];
      const at = unknown === undefined ? path : [...path, unknown];
      report(`got invalid value ${excerptOf(given)}; ${typeof key === 'string' ? `it ${shown}.` : shown}`, at, key);
    });
  }
}

function problemAt(
  node: VariableDefinitionNode,
  message: string,
  { key, ...at }: { variable: string; path: (string | number)[]; key?: unknown },
  { requestId }: Pick<Context, 'requestId'>,
): GraphQLError {
  return new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'bad_request', ...at, ...(typeof key === 'string' ? { key } : {}), requestId, http: { status: 400 } },
  });
}

/** The beginning of a value as JSON; the rest of it is not even read. */
function excerptOf(value: unknown): string {
  let left = SHOWN;
  const cut = (part: unknown): unknown => {
    left--;
    if (typeof part === 'string') return part.slice(0, SHOWN);
    if (typeof part !== 'object' || part === null) return part;
    const some: [string, unknown][] = [];
    for (const name in part) {
      if (left <= 0) break;
      some.push([name.slice(0, SHOWN), cut((part as Record<string, unknown>)[name])]);
    }
    return Array.isArray(part) ? some.map(([, one]) => one) : Object.fromEntries(some);
  };
  const text = JSON.stringify(cut(value)) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
