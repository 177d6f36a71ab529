import type { EntityClass } from '@mikro-orm/core';
import type { Ref } from '@mikro-orm/postgresql';
import { type Registration, registration } from '../platform/registration.ts';
import type { FileAttachableType } from './file-attachment.entity.ts';

/** SQL of whether the record of this id is at some sites, or belongs to the work of a person. */
type OfRecord = (id: string, p: string) => string;

/** A kind of record that files can be attached to. */
export interface Attachable {
  entity: EntityClass<{ id: string; company: Ref<object & { id: string }> }>;
  /** A company that hauls the work attaches files, too; otherwise only the owner's side does. */
  hauled?: boolean;
  /** Which files people see who are limited to sites; by default, all. */
  atSites?: OfRecord;
  /** Which files people see who see own records only, in addition to those that they uploaded; by default, none. */
  ofPerson?: OfRecord;
  /** Permissions of which a reader of the files needs one; by default, none. */
  readers?: readonly string[];
}

const kinds = new Map<FileAttachableType, Attachable>();

/** Lets files be attached to a kind of record; once per kind. It takes effect when a `room.ts` lists it. */
export const defineAttachable = (type: FileAttachableType, kind: Attachable): Registration =>
  registration('defineAttachable', type, () => void kinds.set(type, kind));

/** Returns the declaration of a kind of record. @throws Error for a kind that no room declares, which is a mistake in the code */
export function attachableKind(type: FileAttachableType): Attachable {
  const kind = kinds.get(type);
  if (!kind) throw new Error(`no files are attached to ${type}`);
  return kind;
}

/** SQL of a condition on the record of a file, by its kind. @param t the alias of the file. @param otherwise for kinds that do not say it */
export function byKind(t: string, p: string, condition: 'atSites' | 'ofPerson', otherwise: boolean): string {
  const cases = [...kinds].flatMap(([type, kind]) =>
    kind[condition] ? [`when '${type}' then ${kind[condition](`${t}.file_attachable_id`, p)}`] : [],
  );
  return `case ${t}.file_attachable_type ${cases.join(' ')} else ${otherwise} end`;
}

/** The kinds whose files somebody does not read. @param can whether they have a permission */
export const hiddenKinds = (can: (permission: string) => boolean): FileAttachableType[] =>
  [...kinds].flatMap(([type, { readers }]) => (!readers || readers.some(can) ? [] : [type]));
