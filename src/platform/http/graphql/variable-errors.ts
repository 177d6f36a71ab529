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

/**
 * Everything that is wrong with the variables of an operation, each with its variable, the path inside its value and its place in the
 * document. The compiled document, which refused them, stops at some and names none.
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
  for (const definition of variableDefinitions) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never);
    const report = (problem: string, path: readonly (string | number)[] = [], key?: unknown) => {
      const at = path.length > 0 ? ` at "${[name, ...path].join('.')}"` : '';
      errors.push(problemAt(definition, `Variable "$${name}"${at}: ${problem}`, { variable: name, path: [...path], key }, context));
    };
    if (!isInputType(type)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined || value === null) {
      if (isNonNullType(type) && (value === null || !definition.defaultValue))
        report(`a value of the required type "${print(definition.type)}" was not provided.`);
      continue;
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
  return errors.slice(0, MOST);
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

function excerptOf(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
