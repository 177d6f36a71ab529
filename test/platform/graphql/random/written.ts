import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { DECIDING, type Dice, type Selected } from './selections.ts';

/** A document with its variables. */
export interface Written {
  query: string;
  variables: Record<string, unknown>;
}

/** A value as it is written in a document: values of enums are names, all others JSON. */
function literal(value: unknown, type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${(value as unknown[]).map((one) => literal(one, nullable.ofType)).join(', ')}]`;
  if (isEnumType(nullable)) return String(value);
  if (!isInputObjectType(nullable)) return JSON.stringify(value);
  const fields = nullable.getFields();
  return `{ ${Object.entries(value as object)
    .map(([name, one]) => `${name}: ${literal(one, fields[name]!.type)}`)
    .join(', ')} }`;
}

const named = ({ key, name }: Selected): string => (key === name ? name : `${key}: ${name}`);

/** Writes selections in the plainest way: each field once, with the values of its arguments, and no conditions, variables or fragments. */
export function plainly(fields: readonly Selected[]): Written {
  const write = (all: readonly Selected[]): string =>
    `{ ${all
      .map((field) => {
        const args = [...field.args].map(([name, { value, type }]) => `${name}: ${literal(value, type)}`).join(', ');
        return `${named(field)}${args && `(${args})`}${field.type ? ` ${write(field.fields)}` : ''}`;
      })
      .join('\n')} }`;
  return { query: write(fields), variables: {} };
}

/**
 * Writes the same selections as people and their tools do: values as variables, with and without defaults, fields twice with a part of their selections each,
 * fragments within and apart, some of them spread twice, and things that are never asked for.
 * @returns the document for each value of what decides
 */
export function variously(fields: readonly Selected[], random: Dice): (values: readonly boolean[]) => Written {
  const declared = ['$no: Boolean = false', '$yes: Boolean!'];
  const sent: Record<string, unknown> = { yes: true };
  const fragments: string[] = [];
  let count = 0;
  const argument = (value: unknown, type: GraphQLInputType): string => {
    if (random.chance(0.4)) return literal(value, type);
    const name = `v${++count}`;
    // Some variables are for a value within another one.
    const nullable = getNullableType(type);
    const inner = isInputObjectType(nullable) && random.chance(0.5) ? nullable.getFields() : undefined;
    if (inner)
      return `{ ${Object.entries(value as object)
        .map(([key, one]) => `${key}: ${argument(one, inner[key]!.type)}`)
        .join(', ')} }`;
    const form = random.below(3);
    if (form === 0) declared.push(`$${name}: ${nullable} = ${literal(value, type)}`);
    else {
      // A value that is sent goes before the default.
      const other = form === 1 && isEnumType(nullable) ? ` = ${random.of(nullable.getValues()).name}` : '';
      declared.push(`$${name}: ${other ? nullable : type}${other}`);
      sent[name] = value;
    }
    return `$${name}`;
  };
  const conditionOf = ({ condition }: Selected): string => {
    if (!condition) return random.chance(0.1) ? random.of([' @include(if: $yes)', ' @skip(if: $no)', ' @include(if: true)']) : '';
    return ` @${condition.when ? 'include' : 'skip'}(if: $d${condition.variable})`;
  };
  const wrapped = (text: string, typeName: string, condition: string): string => {
    const form = random.below(5);
    if (form === 0) return `...${condition} { ${text} }`;
    if (form === 1) return `... on ${typeName}${condition} { ${text} }`;
    if (form > 2) return '';
    const name = `F${++count}`;
    fragments.push(`fragment ${name} on ${typeName} { ${text} }`);
    // Spread once more elsewhere it would be merged with itself.
    return `...${name}${condition}${random.chance(0.3) ? ` ...${name}${condition}` : ''}`;
  };
  const never = (typeName: string): string =>
    random.chance(0.15)
      ? ` ... on ${typeName} ${random.of(['@include(if: $no)', '@skip(if: $yes)', '@skip(if: true)'])} { never${++count}: __typename }`
      : '';
  const set = (all: readonly Selected[], typeName: string): string => {
    const written = all.map((field) => {
      const args = [...field.args].map(([name, { value, type }]) => `${name}: ${argument(value, type)}`).join(', ');
      const head = `${named(field)}${args && `(${args})`}`;
      const condition = conditionOf(field);
      // In two halves, which are one field of the answer.
      const parts = field.fields.length > 2 && random.chance(0.25) ? [field.fields.slice(0, 2), field.fields.slice(2)] : [field.fields];
      const halves = parts.map((part) => (field.type ? set(part, field.type.name) : ''));
      return halves
        .map((half) => {
          const once = `${head}${half && ` ${half}`}`;
          return wrapped(once, typeName, condition) || `${head}${condition}${half && ` ${half}`}`;
        })
        .join('\n');
    });
    return `{ ${written.toSorted(() => random.below(3) - 1).join('\n')}${never(typeName)} }`;
  };
  const body = set(fields, 'Query');
  const text = `${body}${fragments.join('')}`;
  for (let at = 0; at < DECIDING; at++) declared.push(`$d${at}: Boolean!`);
  const used = declared.filter((one) => new RegExp(`\\${/^\$\w+/.exec(one)![0]}\\b`).test(text));
  const variables = used.join(', ');
  const query = `query Various${variables && `(${variables})`} ${body}\n${fragments.join('\n')}`;
  const isUsed = (name: string) => variables.includes(`$${name}:`);
  return (values) => ({
    query,
    variables: {
      ...Object.fromEntries(Object.entries(sent).filter(([name]) => isUsed(name))),
      ...Object.fromEntries(values.map((value, at) => [`d${at}`, value]).filter(([name]) => isUsed(String(name)))),
    },
  });
}
