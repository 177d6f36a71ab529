import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { createMaster, discardMaster, updateMaster } from '../../directory/master-data/master-data.ts';
import { allow, companyOf, findKept, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { pageUrl, READS_REPORTS } from './page-link.ts';
import { Report, ReportCategory } from './report.entity.ts';
import {
  CreateReportCategoryInput,
  CreateReportInput,
  ReportCategoryConnection,
  ReportConnection,
  ReportListArgs,
  ReportsOfCategoryArgs,
  UpdateReportCategoryInput,
  UpdateReportInput,
} from './report.inputs.ts';
import { KEEPS_REPORTS, refuseBuiltIn, reportCategories, reports } from './reports.ts';

@ObjectType({ simpleResolvers: true, description: 'Where a report is shown.' })
export class ReportLink {
  @Field(() => String, { description: 'The page of the report, for half an hour and everybody who has the URL.' }) dashboardUrl!: string;
}

const BY_NAME = { sort: { name: 'asc' }, shared: true };

@Resolver(() => Report)
export class ReportResolver {
  @Query(() => ReportConnection, { description: 'The reports of the company and the built-in ones, by name.' })
  @Requires(READS_REPORTS)
  reports(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ReportListArgs) args: ReportListArgs,
  ): Promise<Connection<Report>> {
    companyOf(ctx, args.companyId);
    allow(ctx, READS_REPORTS);
    return ctx.read.page(Report, info, { ...args, ...BY_NAME, where: [KEPT] });
  }

  @Query(() => ReportConnection, { description: 'The reports of a category, by name.' })
  @Requires(READS_REPORTS)
  async reportsOfCategory(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ReportsOfCategoryArgs) { reportCategoryId, ...args }: ReportsOfCategoryArgs,
  ): Promise<Connection<Report>> {
    const { id, company } = await findKept(ctx, ReportCategory, reportCategoryId, { companyId: args.companyId, shared: true });
    allow(ctx, READS_REPORTS);
    const sql = (t: string, p: string) => `${t}.report_category_id = ${p}`;
    const where = [KEPT, { key: 'of category', sql, cast: 'uuid', value: id }];
    return ctx.read.page(Report, info, { ...args, companyId: args.companyId ?? company?.id, ...BY_NAME, where });
  }

  @Query(() => Report, { description: 'A report, with what it shows.' })
  @Requires(READS_REPORTS)
  async report(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Report> {
    const found = (await ctx.read.one(Report, info, { id, companyId, shared: true, where: [KEPT] })) as Report;
    allow(ctx, READS_REPORTS);
    return found;
  }

  @Query(() => ReportLink, { description: 'Where a report is shown, with what the caller may see of it.' })
  @Requires(READS_REPORTS)
  async reportPage(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportLink> {
    const report = await findKept(ctx, Report, id, { companyId, shared: true });
    const viewer = allow(ctx, READS_REPORTS);
    const shownIn = companyOf(ctx, companyId ?? report.company?.id);
    return { dashboardUrl: pageUrl(ctx.em, viewer, { reportId: report.id, companyId: shownIn }) };
  }

  @Mutation(() => Report, { description: 'Keeps a question to the catalogue of metrics as a report.' })
  @Requires(KEEPS_REPORTS)
  async createReport(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateReportInput) input: CreateReportInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Report> {
    return ctx.read.one(Report, info, { id: (await createMaster(ctx, reports, input, companyId)).id });
  }

  @Mutation(() => Report, { description: 'Changes a report of the company.' })
  @Requires(KEEPS_REPORTS)
  async updateReport(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateReportInput) input: UpdateReportInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Report> {
    await refuseBuiltIn(ctx, Report, { id, companyId });
    await updateMaster(ctx, reports, { id, companyId }, input);
    return ctx.read.one(Report, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Deletes a report of the company.' })
  @Requires(KEEPS_REPORTS)
  async deleteReport(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await refuseBuiltIn(ctx, Report, { id, companyId });
    await discardMaster(ctx, reports, { id, companyId });
    return true;
  }
}

@Resolver(() => ReportCategory)
export class ReportCategoryResolver {
  @Query(() => ReportCategoryConnection, { description: 'The categories of the company and the built-in ones, by name.' })
  @AnySignedIn()
  reportCategories(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ReportListArgs) args: ReportListArgs,
  ): Promise<Connection<ReportCategory>> {
    viewerOf(ctx);
    return ctx.read.page(ReportCategory, info, { ...args, ...BY_NAME, where: [KEPT] });
  }

  @Query(() => ReportCategory, { description: 'A category of reports.' })
  @AnySignedIn()
  reportCategory(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportCategory> {
    return ctx.read.one(ReportCategory, info, { id, companyId, shared: true, where: [KEPT] });
  }

  @Mutation(() => ReportCategory, { description: 'Adds a category of reports.' })
  @Requires(KEEPS_REPORTS)
  async createReportCategory(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateReportCategoryInput) input: CreateReportCategoryInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportCategory> {
    return ctx.read.one(ReportCategory, info, { id: (await createMaster(ctx, reportCategories, input, companyId)).id });
  }

  @Mutation(() => ReportCategory, { description: 'Changes a category of the company.' })
  @Requires(KEEPS_REPORTS)
  async updateReportCategory(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateReportCategoryInput) input: UpdateReportCategoryInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportCategory> {
    await refuseBuiltIn(ctx, ReportCategory, { id, companyId });
    await updateMaster(ctx, reportCategories, { id, companyId }, input);
    return ctx.read.one(ReportCategory, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Deletes a category of the company that has no reports.' })
  @Requires(KEEPS_REPORTS)
  async deleteReportCategory(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await refuseBuiltIn(ctx, ReportCategory, { id, companyId });
    await discardMaster(ctx, reportCategories, { id, companyId });
    return true;
  }
}
