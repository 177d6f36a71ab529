import { defineRowPolicy, type RowPolicy } from '../database/row-level-security.ts';
import { type TenantCondition, tenantScope } from '../database/tenant.ts';
import { declareVisibility, type Masks } from '../model/decorators.ts';
import type { Visibility } from '../model/visibility.ts';
import { type Registration, registration } from '../registration.ts';
import { definePartnerFields, type PartnerFields } from './partner-fields.ts';

/** The declaration of who sees the rows of an entity, and which fields of them. Parts that are left out have no effect. */
export interface AccessSpec<T> extends Visibility {
  /** The companies of rows that have neither `company` nor `companyId`. Only for what commands find; lists use `visibility`. */
  tenant?: TenantCondition;
  /** Row-level security, if `company_id` does not say whose a row is, or not completely. */
  rowPolicy?: RowPolicy;
  /** Fields that are hidden from some who see the row: by permission, by side, or from other companies. */
  masks?: Masks<T>;
  /** The fields that people of other companies read, and the filters and sorts that they may use. */
  partnerFields?: PartnerFields;
}

/**
 * Declares who sees an entity: one file for each, `order.access.ts`, which its room lists in `access`. Who may do what to it is in
 * `order.policy.ts`. A higher room that adds fields to an entity, or knows how it hangs together with its own, adds an access of its own.
 * @param entity the class, or the name of a table that has none
 */
export function defineAccess<T extends object>(entity: (abstract new () => T) | string, spec: AccessSpec<T>): Registration {
  const { tenant, rowPolicy, masks, partnerFields, ...visibility } = spec;
  const about = typeof entity === 'string' ? entity : entity.name;
  return registration('defineAccess', about, () => {
    if (rowPolicy) defineRowPolicy(entity, rowPolicy);
    if (typeof entity === 'string') return;
    if (tenant) tenantScope(about, tenant);
    if (partnerFields) definePartnerFields(entity, partnerFields);
    declareVisibility(entity, visibility, masks);
  });
}
