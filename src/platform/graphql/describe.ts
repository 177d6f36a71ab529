import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
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
  for (const [path, element] of elementsOf(schema)) element.description ??= descriptionOf(path, words, schema);
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

function descriptionOf([kind, name, of = '']: Path, words: Words, schema: GraphQLSchema): string | undefined {
  const by = (map: ReadonlyMap<string, string>) => map.get(`${of}.${name}`) ?? map.get(name);
  if (kind === 'value') return by(words.values) ?? eventOrAccess(name, of);
  if (kind === 'argument') return by(words.arguments);
  if (kind === 'root') return words.roots.get(name) ?? firstOf(VERBS, name, answeredBy(name, of, schema));
  if (kind === 'field') return partOfPage(name, of) ?? by(words.fields);
  return words.types.get(name) ?? inputOf(name, schema) ?? firstOf(SUFFIXES, name, (noun) => typeOf(ofInput(name, noun, schema), schema));
}

/** A noun of a description, with its article: the name of a type in backticks if there is such a type, otherwise its words. */
interface Noun {
  type: string | undefined;
  a: string;
}
const typeOf = (noun: string, schema: GraphQLSchema): Noun => {
  const type = schema.getType(noun) ? `\`${noun}\`` : undefined;
  return { type, a: `${/^([AEIO]|Un(?!i)|M2M)/.test(noun) ? 'an' : 'a'} ${type ?? worded(noun)}` };
};

/** The record that a mutation answers, which may be called otherwise than in its name: `updateSsoConnection` answers an `SsoProvider`. */
const answeredBy =
  (root: string, of: string, schema: GraphQLSchema) =>
  (noun: string): Noun => {
    const parent = schema.getType(of);
    const answered = isObjectType(parent) ? getNamedType(parent.getFields()[root]!.type).name : noun;
    return typeOf(/^(create|update)/.test(root) ? answered : noun, schema);
  };

/** The root field whose values an input has: `emailSettlement` of `EmailSettlementInput`. */
const rootOf = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`.replace(/Input$/, '');

function inputOf(name: string, schema: GraphQLSchema): string | undefined {
  const root = rootOf(name);
  if (!name.endsWith('Input') || /^(create|update)/.test(root)) return undefined;
  const isThere = [schema.getQueryType(), schema.getMutationType()].some((type) => type?.getFields()[root]);
  return isThere ? `The values of \`${root}\`.` : undefined;
}

/** The record that an input creates or changes: what its mutation answers. */
function ofInput(name: string, noun: string, schema: GraphQLSchema): string {
  const made = /^(Create|Update).*Input$/.test(name) ? schema.getMutationType()?.getFields()[rootOf(name)] : undefined;
  return made ? getNamedType(made.type).name : noun;
}

/** Types that follow from another one. */
const SUFFIXES: [pattern: RegExp, description: (of: Noun, name: string) => string][] = [
  [/^(\w+)Connection$/, ({ type }) => `A page of a list${type ? ` of ${type}` : ''}.`],
  [/^(\w+)Edge$/, ({ type, a }) => `${type ? `${a[0]!.toUpperCase()}${a.slice(1)}` : 'A record'} in a list, with its cursor.`],
  [/^(\w+?)(?:Typeahead|Facet)?Filter$/, ({ type = 'records' }) => `Which ${type} are listed: those that meet all of it.`],
  [/^(\w+)Sort$/, ({ type = 'records' }) => `In which order ${type} are listed. The key that is written first counts most.`],
  [/^(\w*)Search$/, ({ type }) => `Words that are searched for in a list${type ? ` of ${type}` : ''}.`],
  [/^(?:Search)Input$/, () => 'Words that are searched for in a list.'],
  [/^Create(\w+)Input$/, ({ a }) => `The values of a new ${a.slice(a.indexOf(' ') + 1)}.`],
  [/^Update(\w+)Input$/, ({ a }) => `The changes of ${a}. Absent fields stay.`],
  [/^(\w+)Input$/, ({ a }) => `The values of ${a}.`],
];

const VERBS: [pattern: RegExp, description: (of: Noun, name: string) => string][] = [
  [/^create(\w+)$/, ({ a }) => `Creates ${a}.`],
  [/^update(\w+)$/, ({ a }) => `Changes ${a}. Absent fields stay.`],
  [/^delete(\w+)$/, ({ a }) => `Deletes ${a}.`],
  // The plural of a list is its name.
  [/^(\w+s)$/, (_, name) => `The ${worded(name)} of a company, page by page.`],
  [/^(\w+)$/, (_, name) => `One ${worded(name)} by its id.`],
];

function firstOf(
  patterns: [RegExp, (of: Noun, name: string) => string][],
  name: string,
  nounOf: (noun: string) => Noun,
): string | undefined {
  for (const [pattern, description] of patterns) {
    const found = pattern.exec(name);
    if (found) return description(nounOf(found[1] ?? ''), found[1] ?? '');
  }
  return undefined;
}

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
