import { wireName } from '../../src/platform/model/names.ts';
import { commands, inputs, lists, policy, resolver } from './entity-commands.ts';
import { documents, migration, test } from './entity-documents.ts';
import { access, machine, messages, record } from './entity-record.ts';

/** A new entity with states, and every way its names are written. */
export interface NewEntity {
  room: string;
  /** Where its code is: the room, or one of its folders, such as `billing/settlements`. */
  folder: string;
  /** From its code to `src`, such as `../../`. */
  up: string;
  /** `SettlementBatch`. */
  name: string;
  plural: string;
  /** `settlementBatch`, which is also the field that reads one; `settlementBatches` reads a list. */
  one: string;
  many: string;
  /** `settlement_batch`, its table. */
  table: string;
  /** `settlement_batches`, as paths have it. */
  path: string;
  /** `settlement-batch`, as files are called. */
  file: string;
  /** `settlement-batches`. */
  files: string;
  /** `settlement batch` and `settlement batches`, in sentences. */
  words: string;
  manyWords: string;
  /** The permissions that making and changing one need; whether there are such is for the caller to look up. */
  create: string;
  edit: string;
}

const camel = (text: string): string => text[0]!.toLowerCase() + text.slice(1);
/** Ends of nouns with a plural of their own, as paths have it: `/v1/equipment`, `/v1/fuel_price_indices`. */
const IRREGULAR: readonly [one: RegExp, many: string][] = [
  [/quipment$/, 'quipment'],
  [/ndex$/, 'ndices'],
];

export function pluralOf(noun: string): string {
  const irregular = IRREGULAR.find(([one]) => one.test(noun));
  if (irregular) return noun.replace(...irregular);
  return /[^aeiou]y$/.test(noun) ? noun.replace(/y$/, 'ies') : /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** @param folder such as `billing/settlements` @param name such as `SettlementBatch` @param permission what it needs, unless its own permissions are there */
export function describeEntity(folder: string, name: string, permission = ''): NewEntity {
  const plural = pluralOf(name);
  const table = wireName(name);
  const path = wireName(plural);
  const [create, edit] = [permission || `create_${table}`, permission || `edit_${table}`];
  return {
    ...{ room: folder.split('/')[0]!, folder, up: '../'.repeat(folder.split('/').length), name, plural },
    ...{ one: camel(name), many: camel(plural), table, path, file: table.replaceAll('_', '-'), files: path.replaceAll('_', '-') },
    ...{ words: table.replaceAll('_', ' '), manyWords: path.replaceAll('_', ' '), create, edit },
  };
}

/** Every file of an entity: record, machine, access, policy, inputs, lists, commands, resolver, messages, documents, migration and test. */
export function entityFiles(e: NewEntity): Record<string, string> {
  const at = `src/${e.folder}`;
  return {
    [`${at}/${e.file}.entity.ts`]: record(e),
    [`${at}/${e.file}.machine.ts`]: machine(e),
    [`${at}/${e.file}.messages.ts`]: messages(e),
    [`${at}/${e.file}.access.ts`]: access(e),
    [`${at}/${e.file}.policy.ts`]: policy(e),
    [`${at}/${e.file}.inputs.ts`]: inputs(e),
    [`${at}/${e.file}.lists.ts`]: lists(e),
    [`${at}/${e.files}.ts`]: commands(e),
    [`${at}/${e.file}.resolver.ts`]: resolver(e),
    ...documents(e),
    ...migration(e),
    [`test/${e.folder}/${e.files}.test.ts`]: test(e),
  };
}
