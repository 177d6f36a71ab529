/** The part of JSON Schema that schema/openapi.json and schema/asyncapi.json use. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  nullable?: boolean;
  description?: string;
  deprecated?: boolean;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** Numbers that keep all their digits as texts say so here (src/platform/http/openapi/schemas.ts). */
const EXACT = 'Also accepted as text';

const WORDS: Record<string, string> = { string: 'string', boolean: 'boolean', integer: 'number', number: 'number', null: 'null' };

/** Returns the TypeScript of a schema; `$ref` becomes a name of the same file. */
export function typeOf(schema: Schema): string {
  return schema.nullable ? `${bare(schema)} | null` : bare(schema);
}

function bare(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  // JSON Schema says by several types what OpenAPI 3.0 says by `nullable`.
  if (Array.isArray(schema.type))
    return (schema.type as string[])
      .map((type) => (type === 'null' ? 'null' : bare({ ...schema, type, enum: schema.enum?.filter((value) => value !== null) })))
      .join(' | ');
  const parts = schema.allOf?.map(single).join(' & ');
  if (parts) return schema.properties ? `${parts} & ${objectOf(schema)}` : parts;
  const choices = (schema.oneOf ?? schema.anyOf)?.filter((one) => one.$ref || one.type || one.properties || one.allOf);
  if (choices && choices.length > 0) return choices.map(single).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `readonly ${single(schema.items ?? {})}[]`;
  if (schema.type === 'object' || schema.properties) return objectOf(schema);
  if (schema.format === 'binary') return 'Blob';
  if (schema.type === 'number' && schema.description?.includes(EXACT)) return 'number | string';
  if (!schema.type) return 'unknown';
  const word = WORDS[schema.type as string];
  if (!word) throw new Error(`no TypeScript for ${JSON.stringify(schema)}`);
  return word;
}

/** In brackets where an operator of types follows. */
function single(schema: Schema): string {
  const text = typeOf(schema);
  return / [|&] /.test(text) || text.startsWith('readonly ') ? `(${text})` : text;
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) => `${docOf(schema)}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  if (additionalProperties && fields.length === 0)
    return `Record<string, ${additionalProperties === true ? 'unknown' : typeOf(additionalProperties)}>`;
  if (fields.length === 0) return properties || additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
  return `{ ${fields.join(' ')} }`;
}

export function docOf({ description, deprecated }: Pick<Schema, 'description' | 'deprecated'>): string {
  const text = [description, deprecated ? '@deprecated' : undefined].filter((one) => one !== undefined).join(' ');
  return text === '' ? '' : `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */ `;
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Returns the named types of a document. */
export function namedTypes(schemas: Record<string, Schema>): string[] {
  return Object.entries(schemas).map(([name, schema]) => `${docOf(schema)}export type ${name} = ${typeOf(schema)};`);
}
