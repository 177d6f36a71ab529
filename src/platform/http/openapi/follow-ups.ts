import type { Schema } from './schemas.ts';

/** The description of what clients may ask for beyond an operation's answer (`FollowUp` of rest/router.ts), for the OpenAPI document. */
export interface FollowUpDescription {
  /** The parameter that asks for it. */
  parameter: Schema;
  /** The headers of an answer that has it, by their names. */
  headers: Record<string, Schema>;
  /** The media types that are texts of another form, with their descriptions. */
  texts: Readonly<Record<string, string>>;
  /**
   * Fields that the elements of a list in the answer have in addition, as the records of the component `like` have them; `when` says when they
   * are there.
   */
  elements: { list: string; like: string; fields: readonly string[]; when: string };
}

interface Described {
  parameters: Schema[];
  responses: Record<number, { headers?: Schema; content: Record<string, { schema: Schema }> }>;
}

interface WithProperties {
  properties: Record<string, Schema>;
}

/**
 * Adds a follow-up to a described operation, and the fields of its elements to the component of the answer.
 * @param status of the answer that is followed
 * @param components all components of the document
 * @throws Error if the answer has no such list, or the records have no such field
 */
export function describeFollowUp(
  operation: Schema,
  status: number,
  { parameter, headers, texts, elements }: FollowUpDescription,
  components: Readonly<Record<string, Schema>>,
): Schema {
  const { parameters, responses } = operation as unknown as Described;
  const answer = responses[status]!;
  const { data } = (answer.content['application/json']!.schema as unknown as WithProperties).properties;
  addFields(component(components, String(data!.$ref).split('/').at(-1)!), elements, components);
  const content = {
    ...answer.content,
    ...Object.fromEntries(Object.entries(texts).map(([type, description]) => [type, { schema: { type: 'string', description } }])),
  };
  const followed = { ...answer, headers: { ...answer.headers, ...headers }, content };
  return { ...operation, parameters: [...parameters, parameter], responses: { ...responses, [status]: followed } };
}

/** They are not required: an answer that nobody waited for has none of them. */
function addFields(
  answer: WithProperties,
  { list, like, fields, when }: FollowUpDescription['elements'],
  components: Readonly<Record<string, Schema>>,
): void {
  const items = (answer.properties[list] as { items?: WithProperties } | undefined)?.items;
  if (!items) throw new Error(`an answer that is followed up has no list ${list}`);
  const { properties } = component(components, like);
  for (const field of fields) {
    if (!properties[field]) throw new Error(`${like} has no field ${field}`);
    items.properties[field] = { ...properties[field], description: when };
  }
}

function component(components: Readonly<Record<string, Schema>>, name: string): WithProperties {
  const found = components[name];
  if (!found?.properties) throw new Error(`there is no component ${name} with properties`);
  return found as unknown as WithProperties;
}
