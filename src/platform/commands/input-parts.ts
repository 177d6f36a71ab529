import type { ErrorCollector } from '../errors.ts';
import { type Registration, registration } from '../registration.ts';
import type { TxContext } from './transact.ts';

type Part = (tx: TxContext, record: never, input: never, to: ErrorCollector) => Promise<void>;
const parts = new Map<Function, Part[]>();

/**
 * Declares what a higher room does with fields of an input that a lower room takes, such as the charges that a rate card brings along.
 * @param apply collects what is wrong; what it persists is written with the record, if nothing is wrong with the rest either
 */
export const defineInputPart = <R extends object, I>(
  entity: abstract new () => R,
  about: string,
  apply: (tx: TxContext, record: R, input: I, to: ErrorCollector) => Promise<void>,
): Registration =>
  registration('defineInputPart', `${entity.name} ${about}`, () => void parts.set(entity, [...(parts.get(entity) ?? []), apply as Part]));

type Copy = (tx: TxContext, from: never, to: never) => Promise<void>;
const copies = new Map<Function, Copy[]>();

/** Declares what a higher room copies of a record that a command of a lower room copies. What it persists is written with the copy. */
export const defineCopiedPart = <R extends object>(
  entity: abstract new () => R,
  about: string,
  copy: (tx: TxContext, from: R, to: R) => Promise<void>,
): Registration =>
  registration('defineCopiedPart', `${entity.name} ${about}`, () => void copies.set(entity, [...(copies.get(entity) ?? []), copy as Copy]));

/** Lets higher rooms copy what they know of a record. */
export async function copyParts<R extends object>(tx: TxContext, from: R, to: R): Promise<void> {
  for (const copy of copies.get(from.constructor) ?? []) await copy(tx, from as never, to as never);
}

/** Lets higher rooms apply their fields of an input. The command writes nothing if they collect anything. */
export async function applyInputParts<R extends object>(tx: TxContext, record: R, input: object, to: ErrorCollector): Promise<void> {
  for (const apply of parts.get(record.constructor) ?? []) await apply(tx, record as never, input as never, to);
}
