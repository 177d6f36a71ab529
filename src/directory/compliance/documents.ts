import { ref } from '@mikro-orm/core';
import { Field, ID, InputType } from 'type-graphql';
import { companyOf, denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { readDecimal } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { DateTime } from '../../platform/scalars.ts';
import { isDate } from '../../platform/time.ts';
import { Account } from '../accounts/account.entity.ts';
import { Company } from '../companies/company.entity.ts';
import { Equipment } from '../equipment/equipment.entity.ts';
import { User } from '../people/user.entity.ts';
import { ComplianceDocument, ComplianceDocumentType, type CompliantType } from './compliance.entity.ts';

const model = 'ComplianceDocument';

@InputType()
export class UpdateComplianceDocumentInput {
  @Field(() => String, { nullable: true }) @Length(0, 500) value?: string | null;
  @Field(() => DateTime, { nullable: true }) expiresAt?: Date | null;
}
@InputType()
export class CreateComplianceDocumentInput extends UpdateComplianceDocumentInput {
  @Field(() => ID) complianceDocumentTypeId!: string;
}

/** The path of documents: a record inside a company. */
export interface CompliantPath {
  compliantType: CompliantType;
  compliantId: string;
  companyId?: string | null;
}

const SUBJECTS = { Account, User, Equipment } as const;

/** The kinds of records that documents of a company can be about. */
export interface Compliant {
  id: string;
  companyId: string;
  /** The company asks; the record may be another's that shares it. */
  record: Account | User | Equipment;
}

/**
 * Finds the record of the documents and checks the caller: the permission allows all records, with `:own` only the caller's person. Without
 * a company, a record of the family is found in its own company, and a shared one in the caller's.
 * @throws Missing, Denied
 */
export async function compliantOf(
  ctx: Context,
  { compliantType, compliantId, companyId }: CompliantPath,
  permission: 'compliance_read' | 'compliance_write',
): Promise<Compliant> {
  const viewer = viewerOf(ctx);
  const look = (inside?: string | null) =>
    find(ctx, SUBJECTS[compliantType] as typeof User, compliantId, { companyId: inside, shared: true }) as Promise<User>;
  const found = await look(companyId);
  const company = companyId
    ? companyOf(ctx, companyId)
    : viewer.companyIds.includes(found.company.id)
      ? found.company.id
      : viewer.companyId;
  // A record of another family must be shared with the company that asks, not with a child of it.
  if (!companyId && company !== found.company.id) await look(company);
  const own = compliantType === 'User' && found.id === viewer.id && viewer.can(`${permission}:own`);
  if (!viewer.can(permission) && !own) throw denial(viewer, permission);
  // Documents of records that are discarded can be read, but not changed.
  if (found.discardedAt && permission === 'compliance_write') throw new Missing();
  return { id: found.id, companyId: company, record: found };
}

/** @throws Missing, Denied, Invalid */
export function createDocument(ctx: Context, path: CompliantPath, input: CreateComplianceDocumentInput): Promise<ComplianceDocument> {
  return transact(ctx, async (tx) => {
    const { id, companyId } = await compliantOf(tx, path, 'compliance_write');
    const items: ErrorItem[] = [];
    const type = await resolveReference(tx, ComplianceDocumentType, input, 'complianceDocumentTypeId', { model, companyId, items });
    if (type?.discardedAt) items.push({ model, field: 'complianceDocumentTypeId', key: 'is_discarded' });
    if (items.length > 0 || !type) throw new Invalid(items);
    const made = Object.assign(new ComplianceDocument(), {
      company: ref(Company, companyId),
      complianceDocumentType: ref(type),
      compliantType: path.compliantType,
      compliantId: id,
    });
    fill(made, type, input);
    tx.em.persist(made);
    emitEvent(tx, 'compliance_document.created', made);
    return made;
  });
}

/** @throws Missing, also for a document of another record, Denied, Invalid */
export function updateDocument(
  ctx: Context,
  path: CompliantPath,
  id: string,
  input: UpdateComplianceDocumentInput,
): Promise<ComplianceDocument> {
  return transact(ctx, async (tx) => {
    const found = await documentOf(tx, path, id, 'compliance_write');
    fill(found, (await found.complianceDocumentType.load())!, input);
    emitEvent(tx, 'compliance_document.updated', found);
    return found;
  });
}

/** @throws Missing, Denied */
export function discardDocument(ctx: Context, path: CompliantPath, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const found = await documentOf(tx, path, id, 'compliance_write');
    found.discardedAt = tx.tx.now;
    emitEvent(tx, 'compliance_document.discarded', found);
  });
}

async function documentOf(tx: TxContext, path: CompliantPath, id: string, permission: 'compliance_write'): Promise<ComplianceDocument> {
  const { id: compliantId, companyId } = await compliantOf(tx, path, permission);
  const found = await find(tx, ComplianceDocument, id, { companyId, lock: true });
  if (found.discardedAt || found.compliantId !== compliantId) throw new Missing();
  return found;
}

function fill(document: ComplianceDocument, type: ComplianceDocumentType, input: UpdateComplianceDocumentInput): void {
  const items: ErrorItem[] = [];
  if (input.value !== undefined) document.value = input.value?.trim() || null;
  if (input.expiresAt !== undefined) {
    // People who see the old date in the audit log see the new one as well.
    if (input.expiresAt?.getTime() !== document.expiresAt?.getTime())
      Object.assign(document, { notificationSentAt: null, remindedDays: null });
    document.expiresAt = input.expiresAt;
  }
  const { value } = document;
  if (value && !fits(value, type)) items.push({ model, field: 'value', key: 'compliance_value_wrong', params: { kind: type.fieldType } });
  if (type.hasExpiration && !document.expiresAt) items.push({ model, field: 'expiresAt', key: 'required' });
  if (items.length > 0) throw new Invalid(items);
}

function fits(value: string, { fieldType }: ComplianceDocumentType): boolean {
  if (fieldType === 'number') return readDecimal(value) !== undefined;
  if (fieldType === 'date') return isDate(value);
  if (fieldType === 'boolean') return value === 'true' || value === 'false';
  return true;
}
