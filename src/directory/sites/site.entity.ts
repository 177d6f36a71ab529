import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Coordinate, Flag, Instant, One, RecordBase, stringEnum, Text } from '../../platform/model/columns.ts';
import { Many, Single, Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';
import { Address } from '../contacts/address.entity.ts';
import { Contact } from '../contacts/contact.entity.ts';
import { ActivityState } from '../master-data/activity-state.ts';
import { Department } from '../master-data/named.entities.ts';
import { CompanyShare } from '../shares/company-share.entity.ts';
import { shareOf } from '../shares/shared-with.ts';
import { RoutingGeofence } from './geofence.entity.ts';
import { MovingSite } from './moving-site.entity.ts';

export const SiteType = stringEnum('SiteType', ['Plant', 'Quarry', 'JobSite', 'Depot', 'EquipmentHomeBase', 'Daily', 'Other']);
export type SiteType = keyof typeof SiteType;

/** Where material is picked up or dropped off. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Site extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Text() externalId?: string | null;
  @Choice(() => SiteType, { required: true }) siteType: SiteType = 'Other';
  @Coordinate() lat?: Decimal | null;
  @Coordinate() lon?: Decimal | null;
  @Text() fullAddress?: string | null;
  @Text() notes?: string | null;
  /** False while there are no coordinates to drive to. */
  @Flag({ required: true }) routable: boolean = false;
  @One(() => Address) address?: Ref<Address> | null;
  @One(() => Department) department?: Ref<Department> | null;
  @One(() => RoutingGeofence) routingGeofence?: Ref<RoutingGeofence> | null;
  @Choice(() => ActivityState, { required: true }) state: ActivityState = 'active';
  @Instant() discardedAt?: Date | null;

  /** The people to call there. */
  @Many(() => Contact, { local: 'id', foreign: 'siteId', order: { createdAt: 'asc' } }) contacts!: Contact[];
  /** Set when it is where a piece of equipment is. */
  @Single(() => MovingSite, { on: (child, parent) => `${child}.site_id = ${parent}.id` }) movingSite?: MovingSite | null;
  /** By which the reader has it, when it is another company's. */
  @Single(() => CompanyShare, { on: shareOf('Site') }) companyShare?: CompanyShare | null;
}
