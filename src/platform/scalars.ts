import {
  type FloatValueNode,
  GraphQLError,
  type GraphQLNamedType,
  GraphQLScalarType,
  type IntValueNode,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { defineMessages } from './i18n/messages.ts';
import { asWritten } from './json/json.ts';
import { literally } from './literal.ts';
import { isDate, localToInstant } from './time.ts';

export const scalarsMessages = defineMessages({
  datetime_invalid: {
    en: 'is not an ISO 8601 timestamp with an offset',
    'es-us': 'no es una fecha y hora ISO 8601 con desfase horario',
    'fr-ca': "n'est pas un horodatage ISO 8601 avec décalage",
  },
  date_or_instant_invalid: {
    en: 'is neither a date (YYYY-MM-DD) nor an ISO 8601 timestamp with an offset',
    'es-us': 'no es una fecha (AAAA-MM-DD) ni una fecha y hora ISO 8601 con desfase horario',
    'fr-ca': "n'est ni une date (AAAA-MM-JJ) ni un horodatage ISO 8601 avec décalage",
  },
  date_invalid: { en: 'is not a date (YYYY-MM-DD)', 'es-us': 'no es una fecha (AAAA-MM-DD)', 'fr-ca': "n'est pas une date (AAAA-MM-JJ)" },
});

/** The colon of an offset may be missing, as PHP, Java and Ruby write it (`+0530`). */
const STRICT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** ISO 8601 with a mandatory offset in; `2026-11-20T07:00:00.000Z` out. Errors carry `extensions.key` `datetime_invalid`. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'An instant: ISO 8601 with an offset, such as 2026-11-20T07:00:00.000Z.',
  serialize: instantText,
  parseValue: readInstant,
  parseLiteral: literally('DateTime', (node) => readInstant(node.kind === Kind.STRING ? node.value : undefined)),
});

/** `YYYY-MM-DD`, in and out as text. Errors carry `extensions.key` `date_invalid`. */
export const LocalDate = new GraphQLScalarType<string, string>({
  name: 'Date',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'A calendar date without a time: YYYY-MM-DD.',
  serialize: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value).slice(0, 10)),
  parseValue: readDate,
  parseLiteral: literally('Date', (node) => readDate(node.kind === Kind.STRING ? node.value : undefined)),
});

/**
 * One end of a span of time in a filter: a day of the company, or an instant; in and out as text. Errors carry `extensions.key`
 * `date_or_instant_invalid`.
 */
export const DateOrInstant = new GraphQLScalarType<string, string>({
  name: 'DateOrInstant',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'A calendar date in the time zone of the company (YYYY-MM-DD), or an instant: ISO 8601 with an offset.',
  serialize: String,
  parseValue: readDateOrInstant,
  parseLiteral: literally('DateOrInstant', (node) => readDateOrInstant(node.kind === Kind.STRING ? node.value : undefined)),
});

/**
 * A number that names something, in as a number or its digits, out as digits, so that no client rounds it. At most 2^53 - 1, because REST
 * answers it as a number where the contract does. Errors carry `extensions.key` `not_an_integer`.
 */
export const WholeNumber = new GraphQLScalarType<number, string>({
  name: 'WholeNumber',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema-2/#integer',
  description: 'A whole number of at most 9007199254740991. Sent as a number or a text, returned as a text such as "281474977075805".',
  serialize: String,
  parseValue: readWholeNumber,
  parseLiteral: literally('WholeNumber', (node) =>
    readWholeNumber(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined),
  ),
});

/** Any JSON value, passed through untouched. */
export const Json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(withDigits(node), variables),
});

/** Numbers of a document that no double holds, `1e400` and those of too many digits, are texts, as in the payloads of REST. */
const withDigits = (node: ValueNode): ValueNode => {
  const keep = (number: IntValueNode | FloatValueNode) => {
    const written = asWritten(Number(number.value), number.value);
    return typeof written === 'string' ? { kind: Kind.STRING, value: written } : undefined;
  };
  return visit(node, { IntValue: keep, FloatValue: keep });
};

/**
 * A scalar whose text is a whole HTTP body with its own media type. As `@body` it takes that type instead of JSON; as the root field it is
 * answered as a file, without JSON around it.
 */
export function textOfType(
  name: string,
  mediaType: string,
  description: string,
  specifiedByURL?: string,
): GraphQLScalarType<string, string> {
  return new GraphQLScalarType<string, string>({
    name,
    description,
    specifiedByURL,
    extensions: { mediaType },
    serialize: String,
    parseValue: requireText,
    parseLiteral: literally(name, (node) => requireText(node.kind === Kind.STRING ? node.value : undefined)),
  });
}

/** The media type of such a scalar; undefined for every other type, whose body is JSON. */
export function mediaTypeOf(type: GraphQLNamedType): string | undefined {
  return type.extensions.mediaType as string | undefined;
}

/** Comma-separated text, with a header. */
export const Csv = textOfType(
  'Csv',
  'text/csv',
  'Comma-separated values with a header row, as one text.',
  'https://www.rfc-editor.org/rfc/rfc4180',
);

/** The answer of DateTime for a Date, or for PostgreSQL's text of a timestamptz in a session whose zone is UTC. */
export function instantText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  // The hot path of planned reads: `2026-11-20T07:00:00+00:00`, or with six digits of a second at most; microseconds are cut, not rounded.
  if (text[10] === 'T' && text.endsWith('+00:00')) {
    if (text.length === 25) return `${text.slice(0, 19)}.000Z`;
    if (text.length >= 29 && text[19] === '.') return `${text.slice(0, 23)}Z`;
  }
  // `2026-11-20 07:00:00+00`, and seconds with one or two digits more.
  if (text.length > 19 && /\+00(:00)?$/.test(text)) {
    const zone = text.lastIndexOf('+');
    const millis = text[19] === '.' ? text.slice(20, Math.min(zone, 23)).padEnd(3, '0') : '000';
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`;
  }
  return new Date(text).toISOString();
}

function readInstant(value: unknown): Date {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  const instant = instantOf(value);
  if (!instant) throw new GraphQLError('is not an ISO 8601 timestamp with an offset', { extensions: { key: 'datetime_invalid' } });
  return instant;
}

/** As most programs write instants; days that every month has, and no hour 24, which the engine would take for another day. */
const USUAL = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;

function instantOf(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  // The engine reads these five times as fast, and a batch of positions has a thousand.
  if (USUAL.test(value)) return new Date(value);
  return STRICT.test(value) ? localToInstant(value, 'UTC') : undefined;
}

function readWholeNumber(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw new GraphQLError('is not a whole number', { extensions: { key: 'not_an_integer' } });
  return number as number;
}

function requireText(value: unknown): string {
  if (typeof value !== 'string') throw new GraphQLError('is not a text', { extensions: { key: 'not_a_string' } });
  return value;
}

function readDateOrInstant(value: unknown): string {
  if (typeof value === 'string' && (isDate(value) || instantOf(value))) return value;
  throw new GraphQLError('is neither a date nor an ISO 8601 timestamp with an offset', { extensions: { key: 'date_or_instant_invalid' } });
}

function readDate(value: unknown): string {
  if (typeof value !== 'string' || !isDate(value)) throw new GraphQLError('is not a date', { extensions: { key: 'date_invalid' } });
  return value;
}
