import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { ProjectQuote } from './project-quote.ts';
import { quoteOf, READS_QUOTES } from './read-quote.ts';

@Resolver()
export class ProjectQuoteResolver {
  @Query(() => ProjectQuote, {
    description: 'The rates, materials and sites of a project as its customer gets them, as they are now.',
  })
  @Requires(READS_QUOTES)
  projectQuote(
    @Ctx() ctx: Context,
    @Arg('projectId', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ProjectQuote> {
    return quoteOf(ctx, { id, companyId });
  }
}
