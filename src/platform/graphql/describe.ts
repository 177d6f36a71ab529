import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

/** Descriptions of elements of a schema that do not have their own, by name; `Type.field`, `Enum.value` and `field.argument` come first. */
export interface Words {
  types: ReadonlyMap<string, string>;
  roots: ReadonlyMap<string, string>;
  fields: ReadonlyMap<string, string>;
  arguments: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, string>;
}

/** Reads lines of the form `name: Description.` */
export function wordsOf(...texts: readonly string[]): ReadonlyMap<string, string> {
  const lines = texts.flatMap((text) => text.trim().split('\n'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
}

interface Described {
  description?: string | null;
}

/** Gives a description to each element of a schema that has none and whose name explains it. */
export function describeSchema(schema: GraphQLSchema, words: Words): void {
  for (const [path, element] of elementsOf(schema)) element.description ??= descriptionOf(path, words);
}

/** The elements of a schema without a description, as paths. */
export const undescribed = (schema: GraphQLSchema): string[] =>
  elementsOf(schema).flatMap(([path, { description }]) => (description ? [] : [path.join(' ')]));

type Path = readonly [kind: 'type' | 'root' | 'field' | 'argument' | 'value', name: string, of?: string];

function elementsOf(schema: GraphQLSchema): [Path, Described][] {
  const roots = new Set<GraphQLNamedType | null | undefined>([schema.getQueryType(), schema.getMutationType()]);
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type): [Path, Described][] => {
      const own: [Path, Described][] = [[['type', type.name], type]];
      if (isEnumType(type)) own.push(...type.getValues().map((value): [Path, Described] => [['value', value.name, type.name], value]));
      if (isInputObjectType(type))
        own.push(...Object.values(type.getFields()).map((field): [Path, Described] => [['field', field.name, type.name], field]));
      if (isObjectType(type) || isInterfaceType(type))
        for (const field of Object.values(type.getFields())) {
          own.push([[roots.has(type) ? 'root' : 'field', field.name, type.name], field]);
          own.push(...field.args.map((argument): [Path, Described] => [['argument', argument.name, field.name], argument]));
        }
      return own;
    });
}

function descriptionOf([kind, name, of = '']: Path, words: Words): string | undefined {
  const by = (map: ReadonlyMap<string, string>) => map.get(`${of}.${name}`) ?? map.get(name);
  if (kind === 'value') return by(words.values) ?? eventOrAccess(name, of);
  if (kind === 'argument') return by(words.arguments);
  if (kind === 'root') return words.roots.get(name) ?? verb(name);
  if (kind === 'field') return partOfPage(name, of) ?? by(words.fields);
  return words.types.get(name) ?? suffix(name);
}

/** Types that follow from another one. */
const SUFFIXES: [pattern: RegExp, description: (name: string) => string][] = [
  [/^(\w+)Connection$/, (of) => `A page of a list of \`${of}\`.`],
  [/^(\w+)Edge$/, (of) => `A \`${of}\` in a list, with its cursor.`],
  [/^(\w+?)(?:Typeahead|Facet)?Filter$/, (of) => `Which \`${of}\` are listed: those that meet all of it.`],
  [/^(\w+)Sort$/, (of) => `In which order \`${of}\` are listed. The key that is written first counts most.`],
  [/^(\w*)Search$/, (of) => `Words that are searched for in ${of === '' ? 'a list' : `a list of \`${of}\``}.`],
  [/^(?:Search)Input$/, () => 'Words that are searched for in a list.'],
  [/^Create(\w+)Input$/, (of) => `What a new \`${of}\` has.`],
  [/^Update(\w+)Input$/, (of) => `What changes of a \`${of}\`. What is absent stays.`],
  [/^(\w+)Input$/, (of) => `The values of a \`${of}\`.`],
];
const suffix = (name: string): string | undefined => firstOf(SUFFIXES, name);

const VERBS: [pattern: RegExp, description: (name: string) => string][] = [
  [/^create(\w+)$/, (of) => `Creates a \`${of}\`.`],
  [/^update(\w+)$/, (of) => `Changes a \`${of}\`. What is absent stays.`],
  [/^delete(\w+)$/, (of) => `Deletes a \`${of}\`.`],
  // The plural of a list is its name.
  [/^(\w+s)$/, (of) => `The ${worded(of)} of a company, page by page.`],
  [/^(\w+)$/, (of) => `One ${worded(of)} by its id.`],
];
const verb = (name: string): string | undefined => firstOf(VERBS, name);

const firstOf = (patterns: [RegExp, (name: string) => string][], name: string): string | undefined => {
  for (const [pattern, description] of patterns) {
    const found = pattern.exec(name);
    if (found) return description(found[1] ?? '');
  }
  return undefined;
};

function partOfPage(name: string, of: string): string | undefined {
  const parts: Record<string, string> = of.endsWith('Connection')
    ? {
        nodes: 'The records of the page, in the order of the list.',
        edges: 'The same, each with its cursor.',
        pageInfo: 'Where the page is in its list.',
      }
    : of.endsWith('Edge')
      ? { node: 'The record.', cursor: 'Its place in the list, for `after` and `before`.' }
      : {};
  return parts[name];
}

/** Names that are sentences already: `JobAccepted`, `manage_sites`. */
function eventOrAccess(name: string, of: string): string | undefined {
  if (of === 'JobEventName') return sentence(worded(name));
  if (of !== 'AccessName') return undefined;
  const [, mobile, tab] =
    /^(mobile_tab_)?(.*?)(?:_tab)?$/.exec(name.replace(/^(\w+)_tab_(driver|foreman|salesperson)$/, '$1 of a $2')) ?? [];
  if (name.startsWith('manage_')) return `Managing ${name.slice('manage_'.length).replaceAll('_', ' ')}.`;
  return `The tab "${String(tab).replaceAll('_', ' ')}" of the ${mobile ? 'app' : 'web application'}.`;
}

const worded = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
