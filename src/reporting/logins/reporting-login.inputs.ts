import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Length } from '../../platform/graphql/rules.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { LOGIN_PERMISSIONS, ReportingLogin } from './reporting-login.entity.ts';

export const ReportingLoginConnection = connectionOf('ReportingLogin', () => ReportingLogin);

@InputType({ description: 'The purpose of a login, and the data that it may see.' })
export class CreateReportingLoginInput {
  @Field(() => String) @Length(1, 200) name!: string;
  @Field(() => [String], {
    nullable: true,
    description: `Permissions by name, only those that you have: ${LOGIN_PERMISSIONS.map((name) => `\`${name}\``).join(', ')}. None by default.`,
  })
  permissions?: string[] | null;
}

@ArgsType()
export class ReportingLoginListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
