import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Instant, Numeric, One, RecordBase } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Project } from '../model/project.entity.ts';

/** The prices at which a material is bought and sold: on a project, at a site, by a customer; an empty condition fits all (DOMAIN 3.5). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class MaterialRate extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => Material, { required: true }) material!: Ref<Material>;
  @Choice(() => UnitOfMeasure, { required: true }) unitOfMeasure!: UnitOfMeasure;
  /** The supplier's price of a unit. */
  @Numeric() buyPrice?: Decimal | null;
  @One(() => Account, { description: 'The vendor who sells it at the buy price, and to whom it is owed.' })
  supplierAccount?: Ref<Account> | null;
  /** The customer's price of a unit. */
  @Numeric() sellPrice?: Decimal | null;
  @One(() => Project) project?: Ref<Project> | null;
  /** Where the material is loaded. */
  @One(() => Site) site?: Ref<Site> | null;
  @One(() => Account) customerAccount?: Ref<Account> | null;
  @Instant() discardedAt?: Date | null;
}
