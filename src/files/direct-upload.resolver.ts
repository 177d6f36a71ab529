import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Info, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn } from '../platform/authz/field-permissions.ts';
import type { Context } from '../platform/context.ts';
import { CreateDirectUploadInput, createDirectUpload } from './create-direct-upload.ts';
import { DirectUpload } from './direct-upload.entity.ts';

@Resolver(() => DirectUpload)
export class DirectUploadResolver {
  @Mutation(() => DirectUpload, {
    description: 'Announces a file. Its bytes are then PUT to the URL of the answer, and it is attached by its signed id.',
  })
  @AnySignedIn()
  async createDirectUpload(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateDirectUploadInput) input: CreateDirectUploadInput,
  ): Promise<DirectUpload> {
    return ctx.read.one(DirectUpload, info, await createDirectUpload(ctx, input));
  }
}
