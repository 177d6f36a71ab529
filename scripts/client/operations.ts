import { docOf, namedTypes, nameOf, type Schema, typeOf } from './types.ts';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Described {
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Returns the TypeScript of all operations of schema/openapi.json, and the media types of the bodies that are not JSON. */
export function operationsOf(document: OpenApi): { types: string; forms: Record<string, string> } {
  const forms: Record<string, string> = {};
  const lines: string[] = [];
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (!METHODS.includes(method)) continue;
      const name = `${method.toUpperCase()} ${path}`;
      const content = operation.requestBody?.content;
      if (content && !content['application/json']) forms[name] = Object.keys(content)[0]!;
      const doc = docOf({
        description: [operation.summary, operation.description].filter(Boolean).join('. '),
        deprecated: operation.deprecated,
      });
      lines.push(`  ${doc}${JSON.stringify(name)}: { request: ${requestOf(operation)}; data: ${dataOf(operation)}${metaOf(operation)} };`);
    }
  const types = [...namedTypes(document.components.schemas), 'export interface Operations {', ...lines, '}', ''].join('\n');
  return { types, forms };
}

function requestOf({ parameters = [], requestBody }: Described): string {
  const own = parameters.filter(({ $ref }) => $ref === undefined);
  const parts: string[] = [];
  for (const place of ['path', 'query']) {
    const fields = own.filter((one) => one.in === place);
    if (fields.length === 0) continue;
    const needed = fields.some(({ required }) => required);
    const lines = fields.map(
      ({ name, required, schema, description }) =>
        `${docOf({ description })}${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)};`,
    );
    parts.push(`${place}${needed ? '' : '?'}: { ${lines.join(' ')} };`);
  }
  if (requestBody) parts.push(`body${requestBody.required ? '' : '?'}: ${bodyOf(requestBody.content)};`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(' ')} }`;
}

/** A body with files can be sent in a form instead of JSON, with a file for the text that names it. */
function bodyOf(content: Content): string {
  const types = Object.entries(content)
    .filter(([type]) => type !== 'application/xml')
    .map(([, { schema }]) => typeOf(schema ?? {}));
  if (content['application/xml']) types.push('string');
  return [...new Set(types)].map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' | ');
}

function dataOf({ responses }: Described): string {
  const types = Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status) && status !== '304')
    .map(([, response]) => answerOf(response));
  return [...new Set(types)].join(' | ') || 'undefined';
}

/** What answers say in addition to their data: where a feed goes on, and since when a list is complete. */
function metaOf({ responses }: Described): string {
  for (const [status, { content }] of Object.entries(responses)) {
    const { properties, required } = content?.['application/json']?.schema ?? {};
    if (/^2/.test(status) && properties?.meta) return `; meta: ${dataIn(properties.meta, required?.includes('meta') ?? false)}`;
  }
  return '';
}

function answerOf({ $ref, content }: Described['responses'][string]): string {
  if ($ref) throw new Error(`a shared answer that succeeds: ${nameOf($ref)}`);
  const types = Object.keys(content ?? {});
  if (!content || types.length === 0) return 'undefined';
  const json = content['application/json'] ?? content['application/jwk-set+json'];
  if (json) {
    const schema = json.schema ?? {};
    const data = schema.properties?.data;
    return data ? dataIn(data, schema.required?.includes('data') ?? false) : typeOf(schema);
  }
  return types.every((type) => type.startsWith('text/')) ? 'string' : 'Blob';
}

const dataIn = (data: Schema, required: boolean): string => (required ? typeOf(data) : `${typeOf(data)} | undefined`);
