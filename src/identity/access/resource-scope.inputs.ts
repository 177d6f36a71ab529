import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters } from '../../platform/read/grammar.ts';
import { ResourceScope, ResourceType } from './resource-scope.entity.ts';

export const ResourceScopeConnection = connectionOf('ResourceScope', () => ResourceScope);

@InputType()
export class CreateResourceScopeInput {
  @Field(() => ID, { description: "A site of the person's company." }) resourceId!: string;
  @Field(() => ResourceType) resourceType!: ResourceType;
}

@InputType()
export class ResourceScopeFilter {
  @Field(() => ResourceType, { nullable: true }) resourceType?: ResourceType | null;
}

@ArgsType()
export class ResourceScopeArgs extends PageArgs {
  @Field(() => ID) userId!: string;
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => ResourceScopeFilter, { nullable: true }) filter?: ResourceScopeFilter | null;
}

export const resourceScopeFilters = defineFilters(ResourceScope, {
  resourceType: { sql: (t, p) => `${t}.resource_type = ${p}`, cast: 'text' },
});
