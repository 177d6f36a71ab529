import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema is whatever it is
type Json = any;

/** The published catalogue of what webhooks send. */
export const catalogue = JSON.parse(readFileSync('schema/asyncapi.json', 'utf8')) as Json;

/** Validators of both drafts of JSON Schema for which the catalogue is written. */
const VALIDATORS = [Ajv, Ajv2020].map((Version) => {
  // The document around the schemas is none.
  const validator = new Version({ strict: false, allErrors: true });
  formats.default(validator);
  for (const name of ['int32', 'int64']) validator.addFormat(name, true);
  return validator.addSchema(catalogue, 'catalogue');
});

const keyOf = (event: string): string => event.replace('::', '.');

/** Returns the parts of a message that do not fit its schema in the catalogue: the findings of a validator of JSON Schema, and fields that the schema does not name. */
export function misfitsOf(body: Json): string[] {
  const message = catalogue.components.messages[keyOf(String(body.event))];
  if (!message) return [`${body.event} is not in the catalogue`];
  const said = VALIDATORS.flatMap((validator) => {
    const validate = validator.getSchema(`catalogue#/components/messages/${keyOf(body.event)}/payload/schema`)!;
    return validate(body) ? [] : (validate.errors ?? []).map((error: ErrorObject) => `${error.instancePath} ${error.message}`);
  });
  return [...new Set(said), ...unknownIn(body, message.payload.schema)].map((problem) => `${body.event}: ${problem}`);
}

/** A schema without references, and with the parts of which it consists in one. */
function whole(schema: Json): Json {
  if (schema.$ref) return whole(catalogue.components.schemas[schema.$ref.split('/').at(-1)]);
  if (schema.anyOf) return whole(schema.anyOf.find(({ type }: Json) => type !== 'null'));
  const parts: Json[] = (schema.allOf ?? []).map(whole);
  if (parts.length === 0) return schema;
  return {
    ...Object.assign({}, ...parts, schema),
    properties: Object.assign({}, ...parts.map((one) => one.properties), schema.properties),
  };
}

function unknownIn(value: Json, given: Json, path = ''): string[] {
  const schema = whole(given);
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((one, at) => unknownIn(one, schema.items, `${path}/${at}`));
  if (!schema.properties || Object.keys(schema.properties).length === 0) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    schema.properties[key] ? unknownIn(one, schema.properties[key], `${path}/${key}`) : [`${path}/${key} is unknown`],
  );
}
