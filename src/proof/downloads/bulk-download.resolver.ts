import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { signedUrlOf } from '../../files/file-url.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { archiveNameOf, BulkDownload, BulkDownloadObject, DOWNLOAD_PATH } from './bulk-download.entity.ts';
import { CreateBulkDownloadInput, createBulkDownload } from './create-bulk-download.ts';

export const bulkDownloadExtension = extendEntity(BulkDownload, {
  objects: { columns: ['id', 'companyId', 'type', 'createdAt', 'createdById', 'fileId'] },
});

@Resolver(() => BulkDownload)
export class BulkDownloadResolver {
  @Mutation(() => BulkDownload, {
    description: 'Requests the files of many jobs in one archive or one PDF, which is created in the background.',
  })
  @AnySignedIn()
  async createBulkDownload(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateBulkDownloadInput) input: CreateBulkDownloadInput,
  ): Promise<BulkDownload> {
    return ctx.read.one(BulkDownload, info, await createBulkDownload(ctx, input));
  }

  @Query(() => BulkDownload)
  @AnySignedIn()
  bulkDownload(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<BulkDownload> {
    return ctx.read.one(BulkDownload, info, { id });
  }

  @FieldResolver(() => [BulkDownloadObject], { description: 'The archive once it is ready, for the person who requested it.' })
  objects(@Root() { id, companyId, type, createdAt, createdById, fileId: key }: BulkDownload, @Ctx() ctx: Context): BulkDownloadObject[] {
    if (!key || createdById !== ctx.viewer?.id) return [];
    return [{ url: signedUrlOf(ctx.em, DOWNLOAD_PATH, { id, companyId, key }), name: archiveNameOf(type, new Date(createdAt)) }];
  }
}
