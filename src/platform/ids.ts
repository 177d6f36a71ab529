import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID v7, made in the application so that bulk statements know their ids; ids of one process sort by creation. */
export function newId(): string {
  return v7();
}

/** True for text PostgreSQL's `uuid` type takes in the canonical spelling, whatever the version digit. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
