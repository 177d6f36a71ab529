import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Extensions, Info, Query, Resolver } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { ReportsArchived } from '../../platform/read/past/archived.ts';
import { CATALOGUE, isByUnit } from './catalogue.ts';
import { MetricArgs, MetricDefinition, type MetricGroup, MetricGroupConnection } from './metric.inputs.ts';
import { Metric, MetricDimension } from './metric-enums.ts';
import { dimensionsOf } from './question.ts';
import { metricsPage } from './read-metrics.ts';

const METRICS = Object.keys(Metric) as Metric[];
const DIMENSIONS = Object.keys(MetricDimension) as MetricDimension[];

/** The cost of a question to the catalogue, in the measure of a document's limit: eight of them are one document at most. */
const READS = 30_000;

@Resolver()
export class MetricResolver {
  @Extensions({ reads: READS })
  @ReportsArchived()
  @Query(() => MetricGroupConnection, {
    description: 'Counts, sums and means over the records that the caller sees, as their lists show them, by time or name.',
  })
  @AnySignedIn()
  metrics(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => MetricArgs) args: MetricArgs,
  ): Promise<Connection<MetricGroup>> {
    return metricsPage(ctx, info, args);
  }

  @Extensions({ rows: METRICS.length })
  @Query(() => [MetricDefinition], { description: 'The measures that exist, and the meaning of each number.' })
  @AnySignedIn()
  metricDefinitions(@Ctx() ctx: Context): MetricDefinition[] {
    viewerOf(ctx);
    return METRICS.map((measure) => {
      const { description, permissions = [] } = CATALOGUE[measure];
      return {
        measure,
        description,
        permissions: [...permissions],
        dimensions: dimensionsOf(measure, DIMENSIONS),
        byUnit: isByUnit(CATALOGUE[measure]),
        unit: CATALOGUE[measure].unit ?? null,
      };
    });
  }
}
