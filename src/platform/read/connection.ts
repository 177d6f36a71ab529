import { ArgsType, type ClassType, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

@ObjectType({ simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean) hasNextPage!: boolean;
  @Field(() => Boolean) hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true }) startCursor!: string | null;
  @Field(() => String, { nullable: true }) endCursor!: string | null;
}

/** `page[limit]`, `page[after]`, `page[before]` of REST. */
@InputType()
export class PageInput {
  @Field(() => Int, { nullable: true, description: '1 to 100; by default, 25.' }) limit?: number | null;
  @Field(() => String, { nullable: true, description: 'Cursor after which the page starts.' }) after?: string | null;
  @Field(() => String, { nullable: true, description: 'Cursor before which the page ends.' }) before?: string | null;
}

/** Paging of a list: as Relay does, or `page` as REST spells it, which clients of GraphQL do not see (`clientSchema`). */
@ArgsType()
export class PageArgs {
  @Field(() => PageInput, { nullable: true }) page?: PageInput | null;
  @Field(() => Int, { nullable: true }) first?: number | null;
  @Field(() => String, { nullable: true }) after?: string | null;
  @Field(() => Int, { nullable: true }) last?: number | null;
  @Field(() => String, { nullable: true }) before?: string | null;
}

export enum SortDirection {
  asc = 'asc',
  desc = 'desc',
}
registerEnumType(SortDirection, { name: 'SortDirection' });

export interface Connection<T> {
  nodes: T[];
  edges: { node: T; cursor: string }[];
  pageInfo: PageInfo;
  count?: Count;
}

/** The number of records in a list. */
export interface Count {
  value: number;
  precision: 'exact' | 'at_least';
}

/** The Relay connection type `<Name>Connection` of an entity; one per entity. */
export function connectionOf<T extends object>(name: string, type: () => ClassType<T>): ClassType<Connection<T>> {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class Edge {
    @Field(() => type()) node!: T;
    @Field(() => String) cursor!: string;
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true })
  class EntityConnection {
    @Field(() => [type()]) nodes!: T[];
    @Field(() => [Edge]) edges!: Edge[];
    @Field(() => PageInfo) pageInfo!: PageInfo;
  }
  return EntityConnection as ClassType<Connection<T>>;
}
