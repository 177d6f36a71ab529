import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type FileAttachableType, FileAttachment } from '../../files/file-attachment.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import { Principal, principalOf } from '../../platform/commands/audit.entity.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { DriverDay } from '../model/driver-day.entity.ts';
import { filesRead, objection, permissionOf } from './attachment.policy.ts';
import {
  CreateFileAttachmentInput,
  createFileAttachment,
  deleteFileAttachment,
  UpdateFileAttachmentInput,
  updateFileAttachment,
} from './attachment-commands.ts';
import { filesOf, ofJobsOf } from './attachment-lists.ts';

export const FileAttachmentConnection = connectionOf('FileAttachment', () => FileAttachment);

const OWNED = ['fileAttachableType', 'uploadedById', 'uploadedByCompanyId', 'companyId'];
export const fileAttachmentExtension = extendEntity(FileAttachment, {
  uploadedBy: {
    columns: ['uploadedByType', 'uploadedById', 'uploadedByName', 'uploadedByCompanyId', 'realActorType', 'realActorId', 'realActorName'],
  },
  editable: { columns: OWNED },
  deletable: { columns: OWNED },
});

@ArgsType()
class FileArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

/** The same permission for every kind of record that a file can belong to. The command finds out which of them it is. */
const ofAnyFile = (verb: 'edit' | 'delete') =>
  ['order', 'project', 'job', 'load', 'driver_day', 'settlement'].flatMap((of) => allOrOwn(`${verb}_${of}_attachments`));

/** The list of the files of a kind of record. @param readers permissions of which a reader needs one; by default, none */
export function filesOfKind(type: FileAttachableType, description?: string, readers?: readonly string[]): Function {
  const first = `${type[0]!.toLowerCase()}${type.slice(1)}`;
  const list = { name: `${first}FileAttachments`, ...(description ? { description } : {}) };

  @Resolver(() => FileAttachment)
  class FilesOfKind {
    @Query(() => FileAttachmentConnection, list)
    @(readers ? Requires(...readers) : AnySignedIn())
    list(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg(`${first}Id`, () => ID) id: string,
      @Args(() => FileArgs) args: FileArgs,
    ): Promise<Connection<FileAttachment>> {
      return filesOf(ctx, info, { type, id, companyId: args.companyId }, args);
    }
  }
  return FilesOfKind;
}

/** Makes the fields by which files are attached to a kind of record. @param readers permissions of which somebody needs one in addition; by default, none */
export function attachingTo(type: FileAttachableType, readers?: readonly string[]): Function {
  const first = `${type[0]!.toLowerCase()}${type.slice(1)}`;
  const create = { name: `create${type}FileAttachment`, description: 'Attaches a direct upload.' };

  @Resolver(() => FileAttachment)
  class AttachingTo {
    @Mutation(() => FileAttachment, create)
    @(readers ? Requires(...readers) : () => undefined)
    @Requires(permissionOf('create', type))
    async create(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg(`${first}Id`, () => ID) id: string,
      @Arg('input', () => CreateFileAttachmentInput) input: CreateFileAttachmentInput,
      @Arg('companyId', () => ID, companyArg) companyId?: string,
    ): Promise<FileAttachment> {
      return ctx.read.one(FileAttachment, info, await createFileAttachment(ctx, { type, id, companyId }, input));
    }
  }
  return AttachingTo;
}

/** The files of the records of this room; those of a job are listed with the files of its loads. */
export const AttachmentsOfWork = [
  filesOfKind('Order', 'Files of an order, for the company that owns it.'),
  filesOfKind('Project'),
  filesOfKind('Load'),
  filesOfKind('DriverDay', 'Files of a driver day.'),
  ...(['Order', 'Project', 'Job', 'Load', 'DriverDay'] as const).map((type) => attachingTo(type)),
];

@Resolver(() => FileAttachment)
export class AttachmentResolver {
  @Query(() => FileAttachment)
  @AnySignedIn()
  fileAttachment(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, { id, where: filesRead(ctx) });
  }

  @Query(() => FileAttachmentConnection, { description: 'Files of a job; with `withLoads`, those of its loads, too.' })
  @AnySignedIn()
  jobFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
    @Arg('withLoads', () => Boolean, { defaultValue: false }) withLoads: boolean,
  ): Promise<Connection<FileAttachment>> {
    return filesOf(ctx, info, { type: 'Job', id, companyId: args.companyId }, args, withLoads);
  }

  @Query(() => FileAttachmentConnection, { description: 'Files of the jobs of a driver day.' })
  @AnySignedIn()
  async driverDayJobFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Args(() => FileArgs) args: FileArgs,
  ): Promise<Connection<FileAttachment>> {
    const day = await find(ctx, DriverDay, id, { companyId: args.companyId });
    return ctx.read.page(FileAttachment, info, { ...args, companyId: day.company.id, where: [ofJobsOf(day)] });
  }

  @Mutation(() => FileAttachment)
  @Requires(...ofAnyFile('edit'))
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
  @Requires(...ofAnyFile('delete'))
  async deleteFileAttachment(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteFileAttachment(ctx, id);
    return true;
  }

  @FieldResolver(() => Principal)
  uploadedBy(@Root() file: FileAttachment): Principal {
    const { uploadedByType: type, uploadedById: id, uploadedByName: name, uploadedByCompanyId: companyId } = file;
    return principalOf({ ...file, type, id, name, companyId });
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
