import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineSorts } from '../../platform/read/grammar.ts';
import { GraphqlOnly } from '../../platform/read/time-range.ts';
import { CUSTOM, ReportDefinitionInput } from './definition.ts';
import { Report, ReportCategory } from './report.entity.ts';

/** Characters of a name. */
const NAME = 255;
const optional = { nullable: true };
const DASHBOARD = `A built-in dashboard, as \`dashboard_id\` of the built-in reports names it; \`${CUSTOM}\` for what \`definition\` says.`;
const SYSTEM = 'Whether it is built in: what clients make is not.';

export const ReportConnection = connectionOf('Report', () => Report);
export const ReportCategoryConnection = connectionOf('ReportCategory', () => ReportCategory);
export const reportSorts = [Report, ReportCategory].map((entity) =>
  defineSorts(entity, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } }),
);

@InputType()
export class UpdateReportCategoryInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
}
@InputType()
export class CreateReportCategoryInput extends UpdateReportCategoryInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => Boolean, { nullable: true, description: SYSTEM }) system?: boolean | null;
}

@InputType()
export class UpdateReportInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => String, { nullable: true, description: DASHBOARD }) @Length(1, NAME) dashboardId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The category in which it is listed.' }) reportCategoryId?: string | null;
  @Field(() => ReportDefinitionInput, { nullable: true, description: 'Its contents, in place of a built-in dashboard.' })
  @GraphqlOnly()
  definition?: ReportDefinitionInput | null;
}
@InputType()
export class CreateReportInput extends UpdateReportInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => String, { description: DASHBOARD }) @Length(1, NAME) declare dashboardId: string;
  @Field(() => ID, { description: 'The category in which it is listed.' }) declare reportCategoryId: string;
  @Field(() => Boolean, { nullable: true, description: SYSTEM }) system?: boolean | null;
}

@ArgsType()
export class ReportListArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
export class ReportsOfCategoryArgs extends ReportListArgs {
  @Field(() => ID, { description: 'The category whose reports are listed.' }) reportCategoryId!: string;
}
