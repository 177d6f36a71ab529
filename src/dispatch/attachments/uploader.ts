import type DataLoader from 'dataloader';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import type { FileAttachment } from '../../files/file-attachment.entity.ts';
import type { Context } from '../../platform/context.ts';
import { loaderOf } from '../../platform/read/loader.ts';

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

/** Returns who uploaded a file, with the company for which they did it. */
export async function uploaderOf(ctx: Context, file: FileAttachment): Promise<Uploader> {
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

/** Loads the companies of uploaders. Everybody who may see a file sees them, even if the company is not visible otherwise. */
function companies(ctx: Context): DataLoader<string, Company | null> {
  return loaderOf(ctx, 'uploaderCompanies', async (ids) => {
    const found = await ctx.em.find(Company, { id: { $in: [...ids] } }, { filters: { tenant: false } });
    return ids.map((id) => found.find((company) => company.id === id) ?? null);
  });
}
