import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Extensions, ID, Info, Query, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import {
  DataHealthArgs,
  DataHealthCount,
  type DataHealthFinding,
  DataHealthFindingConnection,
  dataHealthCounts,
  dataHealthFindings,
  READS_HEALTH,
} from './data-health.ts';
import { DataHealthCode } from './health-checks.ts';

/** The cost of looking through all records of a company, in the measure of a document's limit. */
const READS = 30_000;

@Resolver()
export class DataHealthResolver {
  @Extensions({ reads: READS })
  @Query(() => DataHealthFindingConnection, {
    description:
      "What in a company's own records leads to wrong pay or to none, by code and record: drivers who are vendors, customers at the wrong company, units that do not convert. Codes about rates that the caller does not see are left out.",
  })
  @Requires(READS_HEALTH)
  dataHealthFindings(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DataHealthArgs) args: DataHealthArgs,
  ): Promise<Connection<DataHealthFinding>> {
    return dataHealthFindings(ctx, info, args);
  }

  @Extensions({ reads: READS, rows: Object.keys(DataHealthCode).length })
  @Query(() => [DataHealthCount], { description: 'How many records there are to mend, for each code that the caller reads.' })
  @Requires(READS_HEALTH)
  dataHealthCounts(@Ctx() ctx: Context, @Arg('companyId', () => ID, companyArg) companyId?: string): Promise<DataHealthCount[]> {
    return dataHealthCounts(ctx, companyId);
  }
}
