import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { signedUrlOf } from '../../files/file-url.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';

/** Where the text of a KML file is served, in OpenAPI spelling. */
export const KML_PATH = '/v1/kml_files/{id}/file';

/** A KML file that sites were made of. Its text lies in its row: at most five megabytes, and there with the sites or not at all. */
@Entity()
@Tenant()
@Audited({ except: ['content'] })
@ObjectType('KMLFile', { simpleResolvers: true })
export class KmlFile extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Text() name?: string | null;
  @Text({ required: true }) fileName!: string;
  @Text({ required: true, hidden: true }) content!: string;
  @Instant({ hidden: true }) discardedAt?: Date | null;

  @Field(() => String, { description: 'Where its text is. The URL opens it without a token for 15 to 30 minutes.' })
  @Computed({
    columns: ['id', 'companyId'],
    // Its text never changes.
    compute: ({ id, companyId }, application) => signedUrlOf(application, KML_PATH, { id, companyId, key: id }),
  })
  fileUrl!: string;
}
