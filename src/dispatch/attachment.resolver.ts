import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { Company } from '../directory/company.entity.ts';
import { FileAttachment } from '../files/file-attachment.entity.ts';
import { find, viewerOf } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { Missing } from '../platform/errors.ts';
import { companyArg } from '../platform/graphql/acts.ts';
import { type Connection, connectionOf, PageArgs } from '../platform/read/connection.ts';
import { extendEntity } from '../platform/read/decorators.ts';
import type { Where } from '../platform/read/reader.ts';
import { objection } from './attachment.policy.ts';
import {
  type AttachTo,
  attachableOf,
  CreateFileAttachmentInput,
  createFileAttachment,
  deleteFileAttachment,
  UpdateFileAttachmentInput,
  updateFileAttachment,
} from './attachment-commands.ts';
import { DriverDay, jobOfDay } from './driver-day.entity.ts';

/** Who uploaded a file (SPEC: a CompanyRef with `type`): the uploader's id and name, and their company. */
@ObjectType({ simpleResolvers: true })
export class Uploader {
  @Field(() => ID) id!: string;
  /** `User`, `M2MClient` or `System`. */
  @Field(() => String) type!: string;
  @Field(() => String) name!: string;
  @Field(() => String, { nullable: true }) platformId!: string | null;
  @Field(() => String, { nullable: true }) legalName!: string | null;
  @Field(() => String, { nullable: true }) companyType!: string | null;
}

export const FileAttachmentConnection = connectionOf('FileAttachment', () => FileAttachment);

const OWNED = ['fileAttachableType', 'uploadedById', 'uploadedByCompanyId', 'companyId'];
extendEntity(FileAttachment, {
  uploadedBy: { needs: ['uploadedByType', 'uploadedById', 'uploadedByName', 'uploadedByCompanyId'] },
  editable: { needs: OWNED },
  deletable: { needs: OWNED },
});

@ArgsType()
class FileArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

const attach = { description: 'Attaches a direct upload.' };

@Resolver(() => FileAttachment)
export class AttachmentResolver {
  @Query(() => FileAttachment)
  fileAttachment(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, { id });
  }

  @Query(() => FileAttachmentConnection, { description: 'Files of an order, for the side that owns it.' })
  orderFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
  ): Promise<Connection<FileAttachment>> {
    return filesOf(ctx, info, { type: 'Order', id, companyId: args.companyId }, args);
  }

  @Query(() => FileAttachmentConnection)
  projectFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
  ): Promise<Connection<FileAttachment>> {
    return filesOf(ctx, info, { type: 'Project', id, companyId: args.companyId }, args);
  }

  @Query(() => FileAttachmentConnection, { description: 'Files of a job; `withLoads` adds those of its loads.' })
  jobFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
    @Arg('withLoads', () => Boolean, { defaultValue: false }) withLoads: boolean,
  ): Promise<Connection<FileAttachment>> {
    return filesOf(ctx, info, { type: 'Job', id, companyId: args.companyId }, args, withLoads);
  }

  @Query(() => FileAttachmentConnection)
  loadFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('loadId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
  ): Promise<Connection<FileAttachment>> {
    return filesOf(ctx, info, { type: 'Load', id, companyId: args.companyId }, args);
  }

  @Query(() => FileAttachmentConnection, { description: "Files of a driver's day." })
  driverDayFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
  ): Promise<Connection<FileAttachment>> {
    return filesOf(ctx, info, { type: 'DriverDay', id, companyId: args.companyId }, args);
  }

  @Query(() => FileAttachmentConnection, { description: "Files of the jobs of a driver's day." })
  async driverDayJobFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
  ): Promise<Connection<FileAttachment>> {
    const day = await find(ctx, DriverDay, id, { companyId: args.companyId });
    return ctx.read.page(FileAttachment, info, { ...args, companyId: day.company.id, where: [ofJobsOf(day)] });
  }

  @Mutation(() => FileAttachment, attach)
  async createOrderFileAttachment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) id: string,
    @Arg('input', () => CreateFileAttachmentInput) input: CreateFileAttachmentInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, await createFileAttachment(ctx, { type: 'Order', id, companyId }, input));
  }

  @Mutation(() => FileAttachment, attach)
  async createProjectFileAttachment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) id: string,
    @Arg('input', () => CreateFileAttachmentInput) input: CreateFileAttachmentInput,
  ): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, await createFileAttachment(ctx, { type: 'Project', id }, input));
  }

  @Mutation(() => FileAttachment, attach)
  async createJobFileAttachment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Arg('input', () => CreateFileAttachmentInput) input: CreateFileAttachmentInput,
  ): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, await createFileAttachment(ctx, { type: 'Job', id }, input));
  }

  @Mutation(() => FileAttachment, attach)
  async createLoadFileAttachment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('loadId', () => ID) id: string,
    @Arg('input', () => CreateFileAttachmentInput) input: CreateFileAttachmentInput,
  ): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, await createFileAttachment(ctx, { type: 'Load', id }, input));
  }

  @Mutation(() => FileAttachment, attach)
  async createDriverDayFileAttachment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('input', () => CreateFileAttachmentInput) input: CreateFileAttachmentInput,
  ): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, await createFileAttachment(ctx, { type: 'DriverDay', id }, input));
  }

  @Mutation(() => FileAttachment)
  async updateFileAttachment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateFileAttachmentInput) input: UpdateFileAttachmentInput,
  ): Promise<FileAttachment> {
    await updateFileAttachment(ctx, id, input);
    return ctx.read.one(FileAttachment, info, { id });
  }

  @Mutation(() => Boolean)
  async deleteFileAttachment(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteFileAttachment(ctx, id);
    return true;
  }

  @FieldResolver(() => Uploader)
  async uploadedBy(@Root() file: FileAttachment, @Ctx() ctx: Context): Promise<Uploader> {
    const company = await companies(ctx).load(file.uploadedByCompanyId);
    return {
      id: file.uploadedById,
      type: file.uploadedByType,
      name: file.uploadedByName,
      platformId: company?.platformId ?? null,
      legalName: company?.legalName ?? null,
      companyType: company?.companyType ?? null,
    };
  }

  @FieldResolver(() => Boolean)
  editable(@Root() file: FileAttachment, @Ctx() ctx: Context): boolean {
    return !objection(ctx, file, 'edit');
  }

  @FieldResolver(() => Boolean)
  deletable(@Root() file: FileAttachment, @Ctx() ctx: Context): boolean {
    return !objection(ctx, file, 'delete');
  }
}

/** Newest first. @throws Missing for an order or a project that was only passed on */
async function filesOf(
  ctx: Context,
  info: GraphQLResolveInfo,
  of: AttachTo,
  args: PageArgs,
  withLoads = false,
): Promise<Connection<FileAttachment>> {
  const owner = await attachableOf(ctx, of);
  const hauled = of.type === 'Job' || of.type === 'Load';
  const mine = viewerOf(ctx).companyIds.includes(owner.companyId);
  if (!hauled && !mine) throw new Missing();
  const own = (t: string, p: string) => `(${t}.file_attachable_id = ${p} and ${t}.file_attachable_type = '${of.type}')`;
  const ofLoads = (t: string, p: string) =>
    `(${t}.file_attachable_type = 'Load' and ${t}.file_attachable_id in (select l.id from load l where l.job_id = ${p}))`;
  const sql = (t: string, p: string) => (withLoads ? `(${own(t, p)} or ${ofLoads(t, p)})` : own(t, p));
  const where = [{ key: withLoads ? 'ofJob' : `of${of.type}`, sql, cast: 'uuid', value: owner.id }];
  return ctx.read.page(FileAttachment, info, { ...args, companyId: of.companyId ?? (mine ? owner.companyId : undefined), where });
}

/** Those that the day's company sees: of its own jobs, and of those that were passed on to it. */
const ofJobsOf = ({ id }: DriverDay): Where => ({
  key: 'ofJobsOfDay',
  sql: (t, p) => `(${t}.file_attachable_type = 'Job' and ${t}.file_attachable_id in (
    select j.id from driver_day d join job j on ${jobOfDay('j', 'd')} where d.id = ${p}))`,
  cast: 'uuid',
  value: id,
});

/** Companies of uploaders: shown with a file one may see, whether one may see the company or not. */
function companies(ctx: Context): DataLoader<string, Company | null> {
  let loader = ctx.memo.get('uploaderCompanies') as DataLoader<string, Company | null> | undefined;
  if (!loader) {
    loader = new DataLoader(async (ids) => {
      const found = await ctx.em.find(Company, { id: { $in: [...ids] } }, { filters: { tenant: false } });
      return ids.map((id) => found.find((company) => company.id === id) ?? null);
    });
    ctx.memo.set('uploaderCompanies', loader);
  }
  return loader;
}
