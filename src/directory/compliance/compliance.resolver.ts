import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { companyOf } from '../../platform/authz/authorization.ts';
import { allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { ComplianceCheck, ComplianceChecklistItem } from './checklist.ts';
import { checklistOf, checkOf } from './checks.ts';
import { ComplianceDocument, CompliantType } from './compliance.entity.ts';
import {
  CreateComplianceDocumentInput,
  compliantOf,
  createDocument,
  discardDocument,
  UpdateComplianceDocumentInput,
  updateDocument,
} from './documents.ts';

const companyArg = { nullable: true, description: 'The company that requires the documents; by default, your own.' };

@ArgsType()
class CompliantArgs {
  @Field(() => CompliantType) compliantType!: CompliantType;
  @Field(() => ID) compliantId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}
@ArgsType()
class DocumentArgs extends CompliantArgs {
  @Field(() => ID) id!: string;
}
@ArgsType()
class DocumentListArgs extends PageArgs {
  @Field(() => CompliantType) compliantType!: CompliantType;
  @Field(() => ID) compliantId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}
const ComplianceDocumentConnection = connectionOf('ComplianceDocument', () => ComplianceDocument);

const kept: Where = { key: 'kept', sql: (t, p) => `(${t}.discarded_at is null) = ${p}`, cast: 'boolean', value: true };
const about = (id: string): Where => ({ key: 'about', sql: (t, p) => `${t}.compliant_id = ${p}`, cast: 'uuid', value: id });

/** Documents of vendors, drivers and trucks (contract groups Compliance, ComplianceDocuments). */
@Resolver(() => ComplianceDocument)
export class ComplianceResolver {
  @Query(() => ComplianceDocumentConnection)
  @Requires(...allOrOwn('compliance_read'))
  async complianceDocuments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DocumentListArgs) { compliantType, compliantId, companyId, ...args }: DocumentListArgs,
  ): Promise<Connection<ComplianceDocument>> {
    const of = await compliantOf(ctx, { compliantType, compliantId, companyId }, 'compliance_read');
    return ctx.read.page(ComplianceDocument, info, { ...args, companyId: of.companyId, where: [kept, about(of.id)] });
  }

  @Query(() => ComplianceDocument)
  @Requires(...allOrOwn('compliance_read'))
  async complianceDocument(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DocumentArgs) { id, ...path }: DocumentArgs,
  ): Promise<ComplianceDocument> {
    const of = await compliantOf(ctx, path, 'compliance_read');
    return ctx.read.one(ComplianceDocument, info, { id, companyId: of.companyId, where: [kept, about(of.id)] });
  }

  @Query(() => [ComplianceChecklistItem], { description: 'The documents that are required of a record, and those that there are.' })
  @Requires(...allOrOwn('compliance_read'))
  async complianceChecklist(@Ctx() ctx: Context, @Args(() => CompliantArgs) path: CompliantArgs): Promise<ComplianceChecklistItem[]> {
    return checklistOf(ctx, path);
  }

  @Query(() => ComplianceCheck, { description: 'The issues that forbid or discourage sending these out today.' })
  @Requires(...allOrOwn('compliance_read'))
  complianceCheck(
    @Ctx() ctx: Context,
    @Arg('accountId', () => ID, { nullable: true }) accountId?: string,
    @Arg('userId', () => ID, { nullable: true }) userId?: string,
    @Arg('equipmentId', () => ID, { nullable: true }) equipmentId?: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ComplianceCheck> {
    return checkOf(ctx, { accountId, userId, equipmentId }, companyOf(ctx, companyId));
  }

  @Mutation(() => ComplianceDocument)
  @Requires(...allOrOwn('compliance_write'))
  async createComplianceDocument(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => CompliantArgs) path: CompliantArgs,
    @Arg('input', () => CreateComplianceDocumentInput) input: CreateComplianceDocumentInput,
  ): Promise<ComplianceDocument> {
    const { id } = await createDocument(ctx, path, input);
    return ctx.read.one(ComplianceDocument, info, { id });
  }

  @Mutation(() => ComplianceDocument)
  @Requires(...allOrOwn('compliance_write'))
  async updateComplianceDocument(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DocumentArgs) { id, ...path }: DocumentArgs,
    @Arg('input', () => UpdateComplianceDocumentInput) input: UpdateComplianceDocumentInput,
  ): Promise<ComplianceDocument> {
    await updateDocument(ctx, path, id, input);
    return ctx.read.one(ComplianceDocument, info, { id });
  }

  @Mutation(() => Boolean)
  @Requires(...allOrOwn('compliance_write'))
  async deleteComplianceDocument(@Ctx() ctx: Context, @Args(() => DocumentArgs) { id, ...path }: DocumentArgs): Promise<boolean> {
    await discardDocument(ctx, path, id);
    return true;
  }
}
