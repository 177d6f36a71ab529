import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';

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

  /** Where its text is, below the server's address; asked with the same token as everything else. */
  @Field(() => String)
  @Computed({ columns: ['id'], compute: (row) => `/v1/kml_files/${String(row.id)}/content` })
  fileUrl!: string;
}
