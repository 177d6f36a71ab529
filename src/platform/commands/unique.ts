import { type ErrorItem, Invalid } from '../errors.ts';
import { type Registration, registration } from '../registration.ts';

const known = new Map<string, ErrorItem>();

/**
 * Names the field a unique constraint or index is about, so that its violation is a 422 on that field:
 * `defineUnique('account_company_id_external_id_key', { model: 'Account', field: 'externalId' })`.
 */
export const defineUnique = (constraint: string, at: { model: string; field: string; key?: string }): Registration =>
  registration('defineUnique', constraint, () => void known.set(constraint, { model: at.model, field: at.field, key: at.key ?? 'taken' }));

/** Likewise of a check constraint, or of a trigger that raises one; `key` says what was wrong. */
export const defineCheck = (constraint: string, at: { model: string; field: string; key: string }): Registration =>
  registration('defineCheck', constraint, () => void known.set(constraint, { model: at.model, field: at.field, key: at.key }));

/** The Invalid of a violated constraint; undefined when nobody named it. */
export function violation({ constraint }: { constraint?: string }): Invalid | undefined {
  const item = known.get(constraint ?? '');
  return item && new Invalid([{ ...item }]);
}

/** The names that `defineUnique` and `defineCheck` gave a field, for the test that compares them with the database. */
export const namedConstraints = (): string[] => [...known.keys()];
