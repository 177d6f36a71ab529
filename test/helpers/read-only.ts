import { readFileSync } from 'node:fs';
import type { MikroORM } from '@mikro-orm/postgresql';

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI file is read as it is written
type Json = any;

const openapi: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
const resolve = (schema: Json): Json => {
  if (schema?.$ref) return resolve(openapi.components.schemas[schema.$ref.split('/').at(-1)]);
  const inner = schema?.allOf?.[0] ?? schema?.anyOf?.find((one: Json) => one.type !== 'null') ?? schema?.oneOf?.[0];
  return inner ? resolve(inner) : (schema ?? {});
};
const typeOf = (schema: Json): string => [schema?.type].flat().find((type: string) => type !== 'null');

/** A REST write with the shapes of its body and its answer. */
export interface Write {
  method: string;
  path: string;
  input: Json;
  answer: Json;
}

export const WRITES: readonly Write[] = Object.entries<Json>(openapi.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods)
    .filter(([method]) => method !== 'get')
    .map(([method, operation]) => {
      const success = Object.keys(operation.responses).sort()[0]!;
      const content = resolve(operation.responses[success])?.content ?? operation.responses[success].content;
      const answer = resolve(content?.['application/json']?.schema);
      return {
        method: method.toUpperCase(),
        path,
        input: resolve(operation.requestBody?.content?.['application/json']?.schema),
        answer: resolve(answer.properties?.data ?? answer),
      };
    }),
);

const keyOf = (method: string, path: string) => `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;

/** Names of the fields of the answer of each write of the public contract. */
const CONTRACT = contract();
function contract(): Map<string, string[]> {
  const shapes = new Map<string, string[]>();
  const answers = new Map<string, string[]>();
  for (const line of readFileSync(new URL('../contract/answers.txt', import.meta.url), 'utf8').split('\n')) {
    const [first = '', ...rest] = line.split(' ');
    if (first.endsWith(':')) shapes.set(first.slice(0, -1), rest);
    else if (rest.length === 2) answers.set(keyOf(first, rest[0]!), shapes.get(rest[1]!)!);
  }
  return answers;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the columns of an entity by their wire names, including hidden ones. */
export function columnsOf(orm: MikroORM, entity: string): string[] {
  const meta = [...orm.getMetadata().getAll().values()].find((one) => one.className === entity);
  return Object.values(meta?.properties ?? {}).flatMap((property) => {
    const name = snake(String(property.name));
    return property.kind === 'scalar' ? [name] : [name, `${name}_id`];
  });
}

/** Values that appear nowhere else. */
export interface Marks {
  uuid: string;
  text: string;
  date: string;
  number: number;
}

let made = 0;
export function newMarks(): Marks {
  const number = 1000 + ++made;
  return {
    uuid: `0dd0dd00-7777-7777-8777-00000000${number}`,
    text: `planted-${number}`,
    date: `2031-07-07T07:07:07.${number.toString().slice(1)}Z`,
    number: 70_700_000 + number,
  };
}

/**
 * Adds to a body every field that its operation returns and does not accept, at every level: marked values, the other boolean, another
 * value of an enum.
 * @param was the answer to an equal request
 */
export function withReadOnly(write: Write, body: Json, was: Json, more: readonly string[], marks: Marks): { body: Json; names: string[] } {
  const names: string[] = [];
  const extra = [...more, ...(CONTRACT.get(keyOf(write.method, write.path)) ?? [])];
  const full = plant(write.input, write.answer, body ?? {}, was, extra, marks, names);
  return { body: full, names };
}

function plant(input: Json, answer: Json, body: Json, was: Json, more: readonly string[], marks: Marks, names: string[]): Json {
  const takes = resolve(input)?.properties ?? {};
  const answers = resolve(answer)?.properties ?? {};
  const full: Json = { ...body };
  for (const name of new Set([...Object.keys(answers), ...more])) {
    if (!(name in takes)) {
      full[name] = planted(name, resolve(answers[name]), was?.[name], marks);
      names.push(name);
    } else if (Array.isArray(body[name]) && typeof body[name][0] === 'object')
      full[name] = body[name].map((one: Json, i: number) =>
        plant(resolve(takes[name]).items, resolve(answers[name])?.items, one, was?.[name]?.[i], [], marks, names),
      );
    else if (body[name] && typeof body[name] === 'object' && !Array.isArray(body[name]))
      full[name] = plant(takes[name], answers[name], body[name], was?.[name], [], marks, names);
  }
  return full;
}

function planted(name: string, schema: Json, was: unknown, marks: Marks): unknown {
  if (schema?.enum) return schema.enum.find((value: unknown) => value !== was && value !== null) ?? marks.text;
  const type = typeOf(schema);
  if (type === 'boolean') return !was;
  if (type === 'integer' || type === 'number') return marks.number;
  if (type === 'array') return [planted(name.replace(/s$/, ''), resolve(schema.items), undefined, marks)];
  if (type === 'object') return { id: marks.uuid, name: marks.text };
  if (schema?.format === 'uuid' || /(^|_)id$/.test(name)) return marks.uuid;
  if (schema?.format === 'date') return marks.date.slice(0, 10);
  if (schema?.format === 'date-time' || /_at$/.test(name)) return marks.date;
  return marks.text;
}

/** Tables that store what senders sent, unchanged, and process it later. */
const KEPT_AS_SENT = ['imported_record', 'import_task', 'import_batch'];

/** For a database that was searched: the first transaction whose rows were not all seen. */
const looked = new WeakMap<MikroORM, string>();

/** Returns the tables with a row that contains a mark made since they were last searched: older rows contain none. */
export async function tablesWith(orm: MikroORM, marks: Marks): Promise<string[]> {
  const connection = orm.em.getConnection();
  const [{ next }] = await connection.execute<[{ next: string }]>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint % (1::bigint << 32) as next',
  );
  const tables: { name: string }[] = await connection.execute("select tablename as name from pg_tables where schemaname = 'public'");
  const like = [marks.uuid, marks.text, marks.date, marks.date.replace('T', ' ').replace(/0*Z$/, ''), String(marks.number)].map(
    (mark) => `%${mark}%`,
  );
  const fresh = `t.xmin::text::bigint >= ${looked.get(orm) ?? 0}`;
  const marked = `t::text like any (array['${like.join("','")}'])`;
  const parts = tables
    .filter(({ name }) => !KEPT_AS_SENT.some((kept) => name.startsWith(kept)))
    // In this order: writing a row as text takes far longer than reading its age.
    .map(({ name }) => `select '${name}' as name where exists (select 1 from "${name}" t where case when ${fresh} then ${marked} end)`);
  const found: { name: string }[] = await connection.execute(parts.join(' union all '));
  looked.set(orm, next);
  return found.map(({ name }) => name).sort();
}

/** Returns the values that are the same for equal requests: booleans and words, by path. Six random hexadecimal digits may spell a word, and so may a password. */
export function quiet(value: Json, path = ''): Record<string, unknown> {
  if (value && typeof value === 'object')
    return Object.assign({}, ...Object.entries(value).map(([key, one]) => quiet(one, `${path}.${key}`)));
  const isRandom = path.endsWith('.password') || /^[A-F]{6}$/.test(String(value));
  const isWord = typeof value === 'string' && /^[A-Za-z_ ]+$/.test(value) && !isRandom;
  return typeof value === 'boolean' || isWord ? { [path]: value } : {};
}
