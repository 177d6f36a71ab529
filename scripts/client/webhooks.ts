import { namedTypes, type Schema, typeOf } from './types.ts';

export interface AsyncApi {
  components: { schemas: Record<string, Schema>; messages: Record<string, { name: string; payload: { schema: Schema } }> };
}

/** Returns the TypeScript of what webhooks send, from schema/asyncapi.json. */
export function eventsOf({ components: { schemas, messages } }: AsyncApi): string {
  return [
    ...namedTypes(schemas),
    '/** What is sent, by its trigger. */',
    'export interface WebhookEvents {',
    ...Object.values(messages).map(({ name, payload }) => `  ${JSON.stringify(name)}: ${typeOf(payload.schema)};`),
    '}',
    '/** What is sent: `event` says which. */',
    'export type WebhookEvent = WebhookEvents[keyof WebhookEvents];',
    '',
  ].join('\n');
}
