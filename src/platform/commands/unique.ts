import type { UniqueConstraintViolationException } from '@mikro-orm/core';
import { type ErrorItem, Invalid } from '../errors.ts';

const known = new Map<string, ErrorItem>();

/**
 * Names the field a unique constraint or index is about, so that its violation is a 422 on that field:
 * `defineUnique('account_company_id_external_id_key', { model: 'Account', field: 'externalId' })`.
 */
export function defineUnique(constraint: string, at: { model: string; field: string; key?: string }): void {
  known.set(constraint, { model: at.model, field: at.field, key: at.key ?? 'taken' });
}

/** The Invalid of a unique violation; undefined when nobody named the constraint. */
export function uniqueViolation(error: UniqueConstraintViolationException): Invalid | undefined {
  const item = known.get((error as { constraint?: string }).constraint ?? '');
  return item && new Invalid([{ ...item }]);
}
