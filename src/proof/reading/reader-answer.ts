import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { Decimal, fitsNumeric, readDecimal } from '../../platform/decimal.ts';
import { isObject } from '../../platform/json/objects.ts';
import { localToInstant } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';

/** A value that was recognised, and how sure the reader is, from 0 to 100. */
interface Recognised<T> {
  value: T;
  confidence: number;
}

/** The values that were recognised in a picture; others are absent. */
export interface Reading {
  fields: {
    ticket_number?: Recognised<string>;
    net_quantity?: Recognised<Decimal>;
    unit?: Recognised<UnitOfMeasure>;
    gross?: Recognised<Decimal>;
    tare?: Recognised<Decimal>;
    service_date?: Recognised<Date> & { raw: string };
    material?: Recognised<string>;
    truck?: Recognised<string>;
    site?: Recognised<string>;
  };
  fullText: string | null;
}

/** The tickets that were recognised in a picture: the first, and the further ones that lie next to it. */
export interface PictureReading extends Reading {
  others: Reading[];
}

/** The answer of a reader cannot be right. */
export class AnswerRefused extends Error {}

/** Characters of a text that was recognised. */
const LONGEST = 200;
/** Scales do not print tickets of before, nor of tomorrow. */
const EARLIEST = Date.UTC(2000, 0);
const AHEAD = 86_400_000;
/** Further tickets in one picture. */
const OTHERS = 9;

function refuse(about: string): never {
  throw new AnswerRefused(about);
}

function text(value: unknown, name: string): string {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  if (trimmed === '' || trimmed.length > LONGEST || trimmed.includes('\0')) refuse(`${name} is no text of 1 to ${LONGEST} characters`);
  return trimmed;
}

function amount(value: unknown, name: string): Decimal {
  const read = readDecimal(value);
  if (!read || read.isNegative() || !fitsNumeric(read)) refuse(`${name} is no quantity`);
  return read;
}

/** Scales print the time of their clock, without an offset: it is that of the company. Other texts than ISO 8601 mean one day here and another one there. */
function moment(value: unknown, name: string, zone: string): Date {
  const read = localToInstant(text(value, name), zone);
  if (!read || read.getTime() < EARLIEST || read.getTime() > presentTime().getTime() + AHEAD)
    return refuse(`${name} is no time at which a ticket was written`);
  return read;
}

const unit = (value: unknown, name: string): UnitOfMeasure =>
  Object.values(UnitOfMeasure).find((one) => one === value) ?? refuse(`${name} is no unit of measure`);

const VALUES = {
  ticket_number: text,
  net_quantity: amount,
  unit,
  gross: amount,
  tare: amount,
  service_date: moment,
  material: text,
  truck: text,
  site: text,
};

/**
 * The answer of a reader, checked as if a stranger had sent it: one field that cannot be right, and none of it is taken.
 * @param zone of the company whose ticket it is
 * @throws AnswerRefused
 */
export function readAnswer(answer: unknown, zone: string): PictureReading | 'unreadable' {
  if (!isObject(answer)) refuse('the answer is no object');
  if (answer.unreadable === true) return 'unreadable';
  const others = answer.others ?? [];
  if (!Array.isArray(others) || others.length > OTHERS) refuse(`others is no list of at most ${OTHERS} tickets`);
  return { ...readTicket(answer, 'the answer', zone), others: others.map((one, i) => readTicket(one, `others.${i}`, zone)) };
}

function readTicket(answer: unknown, of: string, zone: string): Reading {
  if (!isObject(answer) || !isObject(answer.fields)) refuse(`${of} has no fields`);
  const fields: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(VALUES)) {
    const given = answer.fields[name];
    if (given === undefined || given === null) continue;
    if (!isObject(given)) refuse(`${name} has no value and confidence`);
    const { value, confidence } = given;
    if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 100)) refuse(`the confidence of ${name} is not from 0 to 100`);
    if (value === null || value === undefined) continue;
    fields[name] = { value: read(value, name, zone), confidence, ...(name === 'service_date' ? { raw: String(value) } : {}) };
  }
  const fullText = answer.full_text ?? null;
  if (fullText !== null && (typeof fullText !== 'string' || fullText.includes('\0'))) refuse('full_text is no text');
  return { fields, fullText };
}
