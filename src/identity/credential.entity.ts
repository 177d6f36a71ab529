import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { belongs } from '../platform/database/wall.ts';
import { newId } from '../platform/ids.ts';

/** The password of a user, as `$argon2id$v=19$m=..,t=..,p=..$salt$hash`. */
@Entity({ tableName: 'credential' })
export class Credential {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'uuid', unique: true }) userId!: string;
  @Property({ type: 'text' }) passwordHash!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
  @Property({ type: 'timestamptz', length: 6, onUpdate: () => new Date() }) updatedAt: Date = new Date();
}

belongs('credential', {
  own: (t, companies) => `exists (select 1 from app_user u where u.id = ${t}.user_id and u.company_id = any(${companies}))`,
});
