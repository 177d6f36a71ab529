import { Field, InputType } from 'type-graphql';

const optional = { nullable: true };

/** `search[datagrid]` of lists, `search[query]` of typeaheads. */
@InputType()
export class SearchInput {
  @Field(() => String, optional) datagrid?: string | null;
  @Field(() => String, optional) query?: string | null;
}
