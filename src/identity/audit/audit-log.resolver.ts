import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Extensions, Field, FieldResolver, ID, Info, Query, Resolver, Root } from 'type-graphql';
import { allow, companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import { AuditEntry } from '../../platform/commands/audit.entity.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { ReportsArchived, reportArchived } from '../../platform/read/past/archived.ts';
import type { Where } from '../../platform/read/reader.ts';
import { Json } from '../../platform/scalars.ts';
import { AuditFilter, AuditLogEntry, BY_A_PERSON, namesAPerson, shownChanges } from './audit-log.ts';

const AuditLogConnection = connectionOf('AuditLogEntry', () => AuditLogEntry);

@ArgsType()
class AuditLogArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => AuditFilter, { nullable: true }) filter?: AuditFilter | null;
}

@Resolver(() => AuditLogEntry)
export class AuditLogResolver {
  // Entries of a record from before it was merged are found by its former id.
  @Extensions({ formerIds: true })
  @ReportsArchived()
  @Query(() => AuditLogConnection, { description: "Changes of a company's records with their authors, newest first." })
  @Requires('view_audit_log')
  async auditEntries(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AuditLogArgs) args: AuditLogArgs,
  ): Promise<Connection<AuditEntry>> {
    const companyId = companyOf(ctx, args.companyId);
    allow(ctx, 'view_audit_log');
    const where: Where[] = [{ key: 'company', sql: (t, p) => `${t}.company_id = ${p}`, cast: 'uuid', value: companyId }];
    if (await namesAPerson(ctx, args.filter))
      where.push({ key: 'person', sql: (t, p) => `${BY_A_PERSON(t)} and ${p}`, cast: 'boolean', value: true });
    await reportArchived(ctx, info, companyId, 'audit_entry');
    return ctx.read.page(AuditEntry, info, { ...args, companyId, where });
  }

  @FieldResolver(() => Json)
  objectChanges(@Root() entry: AuditLogEntry, @Ctx() ctx: Context): Record<string, [unknown, unknown]> {
    return shownChanges(viewerOf(ctx), entry.subjectType, entry.objectChanges);
  }
}
