import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { DecimalScalar } from '../../decimal.ts';
import { asWritten, ExactNumber, withNumbers, withPlainNumbers } from '../../json/json.ts';
import { Json } from '../../scalars.ts';

type Variables = Record<string, unknown>;

/**
 * The variables with each `ExactNumber` as its type takes it, like the body of a REST request: decimals have all their digits, as a text;
 * a variable that is JSON itself is a payload and keeps what a double has no room for; anything else is the double.
 */
export function withDigits(schema: GraphQLSchema, { variableDefinitions }: OperationDefinitionNode, variables: Variables): Variables {
  const exact = { ...variables };
  for (const { variable, type } of variableDefinitions ?? []) {
    const name = variable.name.value;
    if (!Object.hasOwn(variables, name)) continue;
    const named = getNamedType(typeFromAST(schema, type as never));
    exact[name] =
      named?.name === Json.name
        ? withNumbers(variables[name], ({ value, text }) => asWritten(value, text))
        : ofType(variables[name], named);
  }
  return exact;
}

function ofType(value: unknown, type: GraphQLNamedType | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => ofType(item, type));
  if (value instanceof ExactNumber && type?.name === DecimalScalar.name) return value.text;
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null || value instanceof ExactNumber)
    return withPlainNumbers(value);
  const fields = type.getFields();
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, ofType(inner, getNamedType(fields[name]?.type))]));
}
