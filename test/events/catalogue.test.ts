import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { TRIGGERS } from '../../src/events/webhooks/triggers.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema is whatever it is
type Json = any;

const catalogue = JSON.parse(readFileSync('schema/asyncapi.json', 'utf8')) as Json;
const { messages, schemas } = catalogue.components;

const on = makeReceiving();

/** A schema without references, and with the parts of which it consists in one. */
function whole(schema: Json): Json {
  if (schema.$ref) return whole(schemas[schema.$ref.split('/').at(-1)]);
  const parts: Json[] = (schema.allOf ?? []).map(whole);
  if (parts.length === 0) return schema;
  return {
    ...Object.assign({}, ...parts, schema),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
    required: [...parts, schema].flatMap(({ required }) => required ?? []),
    nullable: schema.nullable ?? false,
  };
}

/** What a value lacks of a schema, or has beyond it, by its path. */
function misfits(value: Json, given: Json, path = ''): string[] {
  const schema = whole(given);
  if (value === null) return schema.nullable ? [] : [`${path} is null`];
  if (schema.type === 'array') return (value as Json[]).flatMap((one, at) => misfits(one, schema.items, `${path}.${at}`));
  if (schema.enum && !schema.enum.includes(value)) return [`${path} is ${value}`];
  if (!schema.properties || Object.keys(schema.properties).length === 0) return [];
  const missing = (schema.required ?? [])
    .filter((key: string) => !Object.hasOwn(value, key))
    .map((key: string) => `${path}.${key} is missing`);
  const inside = Object.entries(value).flatMap(([key, one]) =>
    schema.properties[key] ? misfits(one, schema.properties[key], `${path}.${key}`) : [`${path}.${key} is unknown`],
  );
  return [...missing, ...inside];
}

test('every trigger has a message, and every reference leads somewhere', () => {
  expect(Object.values(messages).map(({ name }: Json) => name)).toEqual([...TRIGGERS, 'Webhook::test']);
  const references = [...JSON.stringify(catalogue).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!.split('/'));
  expect(references.length).toBeGreaterThan(100);
  const lost = references.filter((path) => path.reduce((at: Json, key) => at?.[key], catalogue) === undefined);
  expect(lost).toEqual([]);
});

test('what is sent of orders, jobs and loads fits its message to the last field', async () => {
  const triggers = ['Order::create', 'Order::update', 'Order::state_change', 'Job::create', 'Load::create'];
  const { id } = await on.tenant.must('POST', '/v1/webhook_subscriptions', { url: on.receiver.url(), triggers });
  await on.tenant.must('PUT', `/v1/webhook_subscriptions/${id}/test`);
  const order = await makeOrder(on.tenant);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'new' });
  await on.tenant.must('PUT', on.tenant.path(`/orders/${order.id}/accept`));
  await until(() => new Set(on.receiver.received.map(({ body }) => body.event)).size === triggers.length + 1);
  for (const { body } of on.receiver.received) {
    const { schema } = messages[body.event.replace('::', '.')].payload;
    expect([body.event, misfits(body, schema)]).toEqual([body.event, []]);
  }
  // What does not fit is found.
  const { body } = on.receiver.received.find((one) => one.body.event === 'Order::create') as Json;
  const { schema } = messages[body.event.replace('::', '.')].payload;
  expect(misfits({ ...body, payload: { ...body.payload, surprise: 1 } }, schema)).toEqual(['.payload.surprise is unknown']);
});
