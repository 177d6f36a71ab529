import type { Facts, Fields, Operation, Type } from '../../scripts/contract/facts.ts';
import { isChoice, isNullable } from '../../scripts/contract/fit.ts';

const WORDS: Record<string, string> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  object: 'Record<string, unknown>',
  any: 'unknown',
};

/** Returns TypeScript for the contract's shapes and operations, as a client generates it: `Shapes['Order-Read']`, `Operations['GET /v1/jobs']`. */
export function clientTypes({ shapes, enums, operations }: Facts): string {
  const named = (text: string): string => {
    const nullable = / \| null$/.test(text) || text.startsWith('Nullable');
    return nullable ? `${bareOf(text.replace(/ \| null$/, ''))} | null` : bareOf(text);
  };
  const bareOf = (text: string): string => {
    const name = text.replace(/^enum /, '').replace(/ =.*$/, '');
    const values = enums[name] ?? enums[name.replace(/^Nullable/, '')] ?? / in (\S+)/.exec(text)?.[1]?.split('|');
    if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
    if (shapes[text]) return `Shapes[${JSON.stringify(text)}]`;
    if (text.includes(':binary')) return 'Blob';
    const word = WORDS[/^\w+/.exec(text)?.[0] ?? ''];
    if (!word) throw new Error(`the contract has a type that has no word here: ${text}`);
    return word;
  };
  const typeOf = (type: Type): string => {
    if (typeof type === 'string') return named(type);
    if (Array.isArray(type)) return `(${typeOf(type[0]!)})[]`;
    if (isNullable(type)) return `${typeOf(type.nullable)} | null`;
    if (isChoice(type)) return type.oneOf.map(typeOf).join(' | ');
    return objectOf(type);
  };
  const objectOf = (fields: Fields): string => {
    const lines = Object.entries(fields).flatMap(([name, type]) => {
      const optional = name.endsWith('?');
      const bare = optional ? name.slice(0, -1) : name;
      // Three shapes of the contract have a field twice, with and without the mark.
      if (optional && fields[bare]) return [];
      return [`${JSON.stringify(bare)}${optional ? '?' : ''}: ${typeOf(type)};`];
    });
    return lines.length === 0 ? 'Record<string, never>' : `{ ${lines.join(' ')} }`;
  };
  const operationOf = ({ method, path, body, data }: Operation): string =>
    `  ${JSON.stringify(`${method} ${path}`)}: { ${body ? `body: ${typeOf(body)}; ` : ''}data: ${data ? typeOf(data) : 'undefined'} };`;
  return [
    'export interface Shapes {',
    ...Object.entries(shapes).map(([name, fields]) => `  ${JSON.stringify(name)}: ${objectOf(fields)};`),
    '}',
    'export interface Operations {',
    ...operations.map(operationOf),
    '}',
    '',
  ].join('\n');
}
