import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../directory/companies/company.entity.ts';
import { Choice, One, RecordBase, stringEnum, Text, Texts } from '../platform/model/columns.ts';
import { Tenant } from '../platform/model/decorators.ts';

export const MessageChannel = stringEnum('MessageChannel', ['mail', 'sms', 'push'], 'How a message is sent.');

/** A mail, a text or a push that a sandbox would have sent. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A mail, a text or a push that a sandbox would have sent: nothing of it goes out.' })
export class SandboxMessage extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Choice(() => MessageChannel, { required: true, description: 'How it would have been sent.' }) channel!: keyof typeof MessageChannel;
  @Text({ required: true, description: 'Its subject, such as `magic_link`.' }) kind!: string;
  @Text({ required: true, description: 'The e-mail address or the telephone number; of a push, the token of the device.' })
  recipient!: string;
  @Text({ description: 'Null of a text.' }) subject?: string | null;
  @Text({ required: true, description: 'Its text, with the links and codes that open something.' }) text!: string;
  @Texts({ description: 'The names of the files of a mail.' }) attachments: string[] = [];
}
