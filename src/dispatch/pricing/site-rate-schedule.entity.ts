import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Instant, One } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Project } from '../model/project.entity.ts';
import { Rated } from '../model/work-terms.ts';

/**
 * The rates of a project for work that meets all conditions that are set: where it is loaded, where it is unloaded, by what equipment type
 * and of what material (DOMAIN 3.3). The contract knows the first one.
 */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class SiteRateSchedule extends Rated {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Project, { required: true }) project!: Ref<Project>;
  /** The first place where it is loaded. */
  @One(() => Site) site?: Ref<Site> | null;
  /** The last place where it is unloaded. */
  @One(() => Site) dropoffSite?: Ref<Site> | null;
  @One(() => EquipmentType) equipmentType?: Ref<EquipmentType> | null;
  @One(() => Material) material?: Ref<Material> | null;
  @Instant({ hidden: true }) discardedAt?: Date | null;
}
