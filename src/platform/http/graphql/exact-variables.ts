import {
  type ConstValueNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
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

const defaults = new WeakMap<OperationDefinitionNode, Variables>();

/**
 * The variables, and for those that are absent the defaults of the operation, as a client would have sent them. graphql-jit would hand defaults to
 * resolvers as JSON: a moment as a text, and the keys of a sort in the order of their type.
 */
export function withDefaults(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Variables | null | undefined,
): Variables {
  let known = defaults.get(operation);
  if (!known) {
    const written = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }): [string, unknown][] =>
      defaultValue ? [[variable.name.value, asSent(defaultValue)]] : [],
    );
    known = withDigits(schema, operation, Object.fromEntries(written));
    defaults.set(operation, known);
  }
  const given = variables ?? {};
  const absent = Object.entries(known).filter(([name]) => !Object.hasOwn(given, name));
  return absent.length > 0 ? { ...given, ...Object.fromEntries(absent) } : given;
}

/** A value of a document as JSON has it. */
function asSent(node: ConstValueNode | ValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT: {
      const number = Number(node.value);
      return typeof asWritten(number, node.value) === 'string' ? new ExactNumber(number, node.value) : number;
    }
    case Kind.LIST:
      return node.values.map(asSent);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, asSent(value)]));
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      throw new Error(`a default names the variable ${node.name.value}`);
    default:
      return node.value;
  }
}
