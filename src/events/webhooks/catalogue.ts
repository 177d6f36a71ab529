import { AUTOMATIONS } from './happened.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { HAPPENINGS, type Happening, TEST_EVENT, TOPICS, type Topic } from './triggers.ts';

type Json = Record<string, unknown>;
/** The parts of an OpenAPI document that are read. */
interface Described {
  info: { version: string };
  components: { schemas: Record<string, Json> };
}

/** The schema that shows a record of each topic. */
const SHOWN: Record<Topic, string> = {
  Order: 'Order',
  Job: 'Job',
  Load: 'Load',
  Ticket: 'Ticket',
  ImportedOrder: 'ImportedRecord',
  ImportedProject: 'ImportedRecord',
  ImportedTicket: 'ImportedRecord',
};
const WHEN: Record<Happening, string> = {
  create: 'The record was made.',
  update: 'Something of the record was changed, but not its state.',
  state_change: 'The state of the record was changed.',
  skip: 'The imported record was skipped.',
  error: 'The imported record failed.',
};
/** Of what is no imported record. */
const OF_WORK: Partial<Record<Happening, string>> = {
  skip: 'It is never sent: only imported records are skipped.',
  error: 'Something that is done to the record by itself failed.',
};
/** Of which nothing more is to be said. */
const PLAIN: readonly Happening[] = ['create', 'update'];
const REFERENCE = '#/components/schemas/';

const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };
const ENVELOPE = {
  subscription_id: uuid,
  trigger_id: { ...uuid, description: 'Of the trigger of the subscription.' },
  event_id: { ...uuid, description: 'The same in each try and for each subscription; `webhook-id` too.' },
  delivery_id: { ...uuid, description: 'Of the event for this subscription.' },
  attempt: { type: 'integer', minimum: 1 },
  event_time: { type: 'string', format: 'date-time', description: 'When the change was made.' },
};
const META = {
  company_id: { ...uuid, description: 'The company to which the record belongs.' },
  sequence: { type: 'integer', minimum: 1, description: 'Which event of the record it is.' },
};
const FAILURE = {
  automation: { type: 'string', enum: [...AUTOMATIONS], description: 'The kind of work that failed.' },
  reason: { ...text, description: 'In words, or a code.' },
};
const CHANGE = {
  previous_state: { ...text, nullable: true },
  state: text,
  state_event: { ...text, nullable: true, description: 'The event of the state machine; null if the state was set without one.' },
};

/**
 * The catalogue of everything that webhooks send, as an AsyncAPI document: a message with its JSON Schema for each trigger. The records are those of
 * the OpenAPI document, so that the two cannot differ. Of JSON Schema they use what is the same in draft 07, which AsyncAPI asks for, and in 2020-12.
 */
export function webhookCatalogue(openApi: Described): Json {
  const { schemas } = openApi.components;
  const used = new Set<string>();
  const messages: Record<string, Json> = {};
  for (const topic of Object.keys(TOPICS) as Topic[]) {
    collect(SHOWN[topic], schemas, used);
    for (const happening of HAPPENINGS) messages[`${topic}.${happening}`] = messageOf(topic, happening);
  }
  messages[TEST_EVENT.replace('::', '.')] = message(TEST_EVENT, 'Somebody tests the endpoint. It is sent whatever the triggers are.', {
    ...{ payload: { type: 'object', description: 'Empty.' }, meta: { ...META, test: { type: 'boolean' } } },
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Haulgate webhooks',
      version: openApi.info.version,
      description: 'The requests that subscribed endpoints receive (docs/webhooks.md).',
    },
    defaultContentType: 'application/json',
    channels: {
      endpoint: {
        address: null,
        description: 'The address of a subscription, to which everything is sent as a POST.',
        messages: Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: { deliver: { action: 'send', channel: { $ref: '#/channels/endpoint' } } },
    components: {
      messages,
      schemas: Object.fromEntries([...used].sort().map((name) => [name, jsonSchemaOf(schemas[name]!)])),
    },
  };
}

function messageOf(topic: Topic, happening: Happening): Json {
  const isImport = topic.startsWith('Imported');
  const more = happening === 'state_change' || isImport ? CHANGE : happening === 'error' ? FAILURE : {};
  return message(`${topic}::${happening}`, (isImport ? undefined : OF_WORK[happening]) ?? WHEN[happening], {
    ...{ payload: { $ref: `${REFERENCE}${SHOWN[topic]}` }, meta: { ...META, ...(PLAIN.includes(happening) ? {} : more) } },
  });
}

function message(name: string, summary: string, { payload: shown, meta }: { payload: Json; meta: Json }): Json {
  const payload = {
    type: 'object',
    required: [...Object.keys(ENVELOPE), 'event', 'payload', 'meta'],
    properties: {
      ...ENVELOPE,
      event: { type: 'string', enum: [name] },
      payload: shown,
      meta: { type: 'object', required: Object.keys(meta), properties: meta },
    },
  };
  return {
    ...{ name, summary },
    payload: { schemaFormat: 'application/schema+json;version=draft-07', schema: jsonSchemaOf(payload) },
  };
}

/** Adds a schema and those that it refers to. */
function collect(name: string, schemas: Record<string, Json>, used: Set<string>): void {
  if (used.has(name)) return;
  used.add(name);
  for (const [, other] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) collect(other!, schemas, used);
}
