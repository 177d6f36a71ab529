type Json = Record<string, unknown>;

/** The keywords whose values are schemas by name, a schema, or a list of them. */
const BY_NAME = ['properties', 'patternProperties'];
const INSIDE = ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf'];
/** The keywords that are next to a schema rather than part of it. */
const SAID = ['description', 'deprecated', 'title'];

/** A schema of OpenAPI 3.0 as JSON Schema: what may be null, and examples, are written in another way there. @throws Error for what it has no word for */
export function jsonSchemaOf(given: Json): Json {
  const { nullable, example, ...schema } = given;
  for (const name of ['discriminator', 'xml'])
    if (name in schema) throw new Error(`JSON Schema has no ${name}: ${JSON.stringify(given).slice(0, 200)}`);
  for (const name of ['exclusiveMinimum', 'exclusiveMaximum'])
    if (typeof schema[name] === 'boolean') throw new Error(`${name} of OpenAPI 3.0 is no number`);
  for (const name of BY_NAME)
    if (schema[name]) schema[name] = Object.fromEntries(Object.entries(schema[name]).map(([key, one]) => [key, jsonSchemaOf(one as Json)]));
  for (const name of INSIDE) {
    const inside = schema[name];
    if (Array.isArray(inside)) schema[name] = inside.map((one) => jsonSchemaOf(one as Json));
    else if (typeof inside === 'object' && inside !== null) schema[name] = jsonSchemaOf(inside as Json);
  }
  if (example !== undefined) schema.examples = [example];
  return nullable === true ? orNull(schema) : schema;
}

function orNull(schema: Json): Json {
  const refers = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not'].some((name) => name in schema);
  if (!refers && typeof schema.type === 'string') {
    const { enum: values } = schema;
    return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
  }
  const said = Object.fromEntries(SAID.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])));
  const rest = Object.fromEntries(Object.entries(schema).filter(([name]) => !SAID.includes(name)));
  return { ...said, anyOf: [onlyPart(rest), { type: 'null' }] };
}

/** Unwraps a schema that consists of one other schema alone: it is that schema, and the type next to it says nothing more. */
function onlyPart(schema: Json): Json {
  const { type: _, allOf, ...more } = schema;
  return Array.isArray(allOf) && allOf.length === 1 && Object.keys(more).length === 0 ? (allOf[0] as Json) : schema;
}
