import type { GraphQLResolveInfo } from 'graphql';
import { Arg, ArgsType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { findKept } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { textOfType } from '../../platform/scalars.ts';
import { KEPT } from '../master-data/master-data.resolver.ts';
import { KmlFile } from './kml-file.entity.ts';
import { discardKmlFile, importKml, nameKmlFile } from './kml-files.ts';

/** Keyhole Markup Language, as one text. */
export const Kml = textOfType(
  'Kml',
  'application/vnd.google-earth.kml+xml',
  'Keyhole Markup Language (OGC KML 2), as one text.',
  'https://www.ogc.org/standards/kml/',
);

const KmlFileConnection = connectionOf('KMLFile', () => KmlFile);
@InputType()
@About('KMLFile')
class CreateKmlFileInput {
  @Field(() => String, { description: 'The text of the file; at most 5 MB. In a form, the file itself.' }) file!: string;
  @Field(() => String, { nullable: true, description: 'By default `sites.kml`; in a form, the name of the file.' })
  @Length(0, 255)
  fileName?: string | null;
  @Field(() => String, { nullable: true }) @Length(0, 255) name?: string | null;
}

@InputType()
@About('KMLFile')
class UpdateKmlFileInput {
  @Field(() => String, { nullable: true }) @Length(0, 255) name?: string | null;
}

@ArgsType()
class KmlFileListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

/** KML files that sites were made of. */
@Resolver(() => KmlFile)
export class KmlFileResolver {
  @Query(() => Kml, { description: 'A KML file as it was uploaded.' })
  @AnySignedIn()
  async kmlFileContent(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<string> {
    const file = await findKept(ctx, KmlFile, id);
    return file.content;
  }

  @Mutation(() => KmlFile, {
    description: 'Creates a site for each placemark of a KML file: all of them, or none. Points and polygons are read.',
  })
  @Requires('create_site')
  async createKmlFile(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateKmlFileInput) input: CreateKmlFileInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<KmlFile> {
    const { id } = await importKml(ctx, input, companyId);
    return ctx.read.one(KmlFile, info, { id });
  }

  @Mutation(() => KmlFile)
  @Requires('edit_site')
  async updateKmlFile(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateKmlFileInput) input: UpdateKmlFileInput,
  ): Promise<KmlFile> {
    await nameKmlFile(ctx, { id }, input.name);
    return ctx.read.one(KmlFile, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Discards the file; the sites that were created from it are kept.' })
  @Requires('delete_site')
  async deleteKmlFile(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await discardKmlFile(ctx, { id });
    return true;
  }
}

export const KmlFileQueries = queriesOf(KmlFile, {
  kmlFiles: page(AnySignedIn(), KmlFileConnection, KmlFileListArgs, (args) => ({ ...args, where: [KEPT] }), {
    description: 'KML files from which sites were created, newest first.',
  }),
});
