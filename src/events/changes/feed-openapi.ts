import { MOST_CHANGES } from './change.types.ts';
import { RECORD_TYPES } from './record-types.ts';
import { LONGEST_WAIT } from './wait-for-changes.ts';

const text = { type: 'string' };
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });
const COMPANY = { name: 'company-id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
const TYPES = {
  name: 'types',
  in: 'query',
  description: 'By default, all.',
  explode: false,
  schema: { type: 'array', items: { type: 'string', enum: RECORD_TYPES } },
};
const whole = (name: string, description: string, minimum: number, maximum: number, initial: number) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'integer', minimum, maximum, default: initial },
});

const CHANGE = {
  type: 'object',
  required: ['position', 'type', 'id', 'event', 'previous_state', 'state', 'changed_at', 'merged_into', 'record'],
  properties: {
    position: { ...text, description: 'Where it is in the feed: read on after it.' },
    type: { ...text, enum: RECORD_TYPES },
    id: { ...text, format: 'uuid', description: 'The record.' },
    event: { ...text, enum: ['create', 'update', 'state_change', 'delete', 'removed'] },
    previous_state: { ...text, nullable: true },
    state: { ...text, nullable: true },
    changed_at: { ...text, format: 'date-time' },
    merged_into: {
      ...text,
      format: 'uuid',
      nullable: true,
      description: 'Of a record that is seen no more because it was merged: the one that stayed.',
    },
    record: {
      type: 'object',
      nullable: true,
      additionalProperties: true,
      description: 'As its own path shows it now; null when it is gone.',
    },
  },
};
const PAGE = {
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: 'array', items: CHANGE },
    meta: {
      type: 'object',
      required: ['position', 'has_more'],
      properties: {
        position: { ...text, description: 'Where to read on, also when there are no changes.' },
        has_more: { type: 'boolean', description: 'There are more already.' },
      },
    },
  },
};
const ERRORS = {
  401: error('Unauthorized'),
  404: error('NotFound'),
  406: error('NotAcceptable'),
  422: error('UnprocessableContent'),
  429: error('TooManyRequests'),
  503: error('ServiceUnavailable'),
};

export const FEED_OPERATION = {
  operationId: 'ListChanges',
  summary: 'List changes',
  description:
    'The changes of the records of a company that the caller may see, in one order that stays as it is. With `Accept: text/event-stream` it goes on as server-sent events, whose ids are positions (docs/changes.md).',
  tags: ['events'],
  parameters: [
    COMPANY,
    {
      name: 'after',
      in: 'query',
      description: 'A position; by default, the present end of the feed, and `0` for all that is kept.',
      schema: text,
    },
    TYPES,
    whole('limit', 'Changes that are looked at for one answer.', 1, MOST_CHANGES, 25),
    whole('wait', 'Seconds to wait for a change if there is none.', 0, LONGEST_WAIT, 0),
    { name: 'Last-Event-ID', in: 'header', description: 'Of a stream that goes on: the position of its last event.', schema: text },
  ],
  responses: {
    200: { description: 'Success', content: { 'application/json': { schema: PAGE }, 'text/event-stream': { schema: text } } },
    ...ERRORS,
    410: error('Gone'),
  },
};

export const SNAPSHOT_OPERATION = {
  operationId: 'GetChangesSnapshot',
  summary: 'Get snapshot of changes',
  description:
    'Every record that the caller may see, one JSON object in each line. The first line has the position after which to follow the feed, the last one the number of records.',
  tags: ['events'],
  parameters: [COMPANY, TYPES],
  responses: { 200: { description: 'Success', content: { 'application/x-ndjson': { schema: text } } }, ...ERRORS },
};
