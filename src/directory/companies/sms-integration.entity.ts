import { Entity } from '@mikro-orm/decorators/legacy';
import type { EntityManager, Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Choice, One, RecordBase, stringEnum, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Company } from './company.entity.ts';

export const SmsRegion = stringEnum('SmsRegion', ['us', 'ca'], 'Countries of numbers that texts are sent from.');
export type SmsRegion = keyof typeof SmsRegion;

/** A number that a company texts from. The operator configures them. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A number that a company texts from, as the operator has configured it.' })
export class SmsIntegration extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true, description: 'E.164.' }) phone!: string;
  @Choice(() => SmsRegion, { required: true, description: 'The country of the number.' }) smsRegion!: SmsRegion;
}

/** Lists the configured numbers, of all companies. */
export const SMS_NUMBERS = definePurpose('sms_numbers', {
  sms_integration: ['select (id, company_id, phone)', 'insert', 'delete'],
  company: ['select (id)'],
});

/** A number as configured. */
export interface SmsNumber {
  companyId: string;
  /** E.164. */
  phone: string;
  smsRegion: SmsRegion;
}

/** Makes the lists of all companies those that are configured; a number that is already listed stays as it is. @returns ids of companies that do not exist */
export async function listSmsNumbers(em: EntityManager, numbers: readonly SmsNumber[]): Promise<string[]> {
  const pool = await poolOf(em);
  const values = [numbers.map(({ companyId }) => companyId), numbers.map(({ phone }) => phone), numbers.map(({ smsRegion }) => smsRegion)];
  const { rows } = await runAsPurpose(SMS_NUMBERS, () => pool.query<{ unknown: string[] | null }>(LIST, values));
  return rows[0]?.unknown ?? [];
}

const LIST = `with given as (select * from unnest($1::uuid[], $2::text[], $3::text[]) as g (company_id, phone, sms_region)),
  ended as (delete from sms_integration s where not exists (select 1 from given g where g.company_id = s.company_id and g.phone = s.phone)),
  begun as (insert into sms_integration (id, company_id, phone, sms_region)
    select gen_random_uuid(), g.company_id, g.phone, g.sms_region from given g join company c on c.id = g.company_id
    on conflict (company_id, phone) do nothing)
  select array_agg(distinct g.company_id) as unknown from given g where not exists (select 1 from company c where c.id = g.company_id)`;
