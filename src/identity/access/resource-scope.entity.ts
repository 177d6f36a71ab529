import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, One, RecordBase, stringEnum } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';

export const ResourceType = stringEnum('ResourceType', ['Site']);
export type ResourceType = keyof typeof ResourceType;

/** The kinds of records to which a scope limits somebody. */
@ObjectType({ simpleResolvers: true })
export class Resource {
  @Field(() => ID) id!: string;
  @Field(() => String) name!: string;
  @Field(() => ResourceType) type!: ResourceType;
}

/**
 * Limits a person to a site. A person with limits sees the sites of all their scopes and the work at them, and nothing of other sites or of
 * work elsewhere; without any, people see all sites.
 */
@Entity({ tableName: 'resource_scope' })
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true, description: 'Limits a person to a site and the work there.' })
export class ResourceScope extends RecordBase {
  /** The person's. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => User, { required: true }) user!: Ref<User>;
  @Choice(() => ResourceType, { required: true, hidden: true }) resourceType: ResourceType = 'Site';
  @One(() => Site, { required: true, hidden: true }) site!: Ref<Site>;

  @Field(() => Resource)
  @Computed({
    columns: ['siteId', 'site.name', 'resourceType'],
    compute: (row) => ({ id: row.siteId, name: row['site.name'], type: row.resourceType }),
  })
  resource!: Resource;
}
