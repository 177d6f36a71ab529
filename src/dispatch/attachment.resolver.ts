import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { Company } from '../directory/company.entity.ts';
import { FileAttachment } from '../files/file-attachment.entity.ts';
import { find, viewerOf } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { Missing } from '../platform/errors.ts';
import { type Connection, connectionOf, PageArgs } from '../platform/read/connection.ts';
import { extendEntity } from '../platform/read/decorators.ts';
import { Order } from './order.entity.ts';
import { isOwnersSide } from './order.policy.ts';

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

extendEntity(FileAttachment, {
  uploadedBy: { needs: ['uploadedByType', 'uploadedById', 'uploadedByName', 'uploadedByCompanyId'] },
  editable: { needs: ['fileAttachableType', 'uploadedById'] },
  deletable: { needs: ['fileAttachableType', 'uploadedById'] },
});

@ArgsType()
class OrderFileArgs extends PageArgs {
  @Field(() => ID) orderId!: string;
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@Resolver(() => FileAttachment)
export class AttachmentResolver {
  @Query(() => FileAttachment)
  fileAttachment(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<FileAttachment> {
    return ctx.read.one(FileAttachment, info, { id });
  }

  @Query(() => FileAttachmentConnection, { description: 'Files of an order, for the side that owns it.' })
  async orderFileAttachments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => OrderFileArgs) args: OrderFileArgs,
  ): Promise<Connection<FileAttachment>> {
    const order = await find(ctx, Order, args.orderId, { companyId: args.companyId });
    if (!isOwnersSide(viewerOf(ctx), order)) throw new Missing();
    const where = [
      { key: 'of', sql: (t: string, p: string) => `${t}.file_attachable_id = ${p}`, cast: 'uuid', value: order.id },
      { key: 'ofType', sql: (t: string, p: string) => `${t}.file_attachable_type = ${p}`, cast: 'text', value: 'Order' },
    ];
    return ctx.read.page(FileAttachment, info, { ...args, companyId: order.company.id, where });
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
    return mayChange(ctx, file, 'edit');
  }

  @FieldResolver(() => Boolean)
  deletable(@Root() file: FileAttachment, @Ctx() ctx: Context): boolean {
    return mayChange(ctx, file, 'delete');
  }
}

/** DOMAIN section 2: the office changes every attachment, the field only what they added themselves. */
function mayChange(ctx: Context, file: FileAttachment, verb: 'edit' | 'delete'): boolean {
  const viewer = viewerOf(ctx);
  const noun = file.fileAttachableType.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  const permission = `${verb}_${noun}_attachments`;
  return viewer.can(permission) || (file.uploadedById === viewer.id && viewer.can(`${permission}:own`));
}

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
