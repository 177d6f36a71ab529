import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Company } from '../directory/company.entity.ts';
import { newId } from '../platform/ids.ts';
import type { Permission } from './permissions.ts';

/** A program of an integrator. It acts with its own list of permissions, never with roles. */
@Entity({ tableName: 'machine_client' })
export class MachineClient {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @ManyToOne(() => Company, { ref: true, deleteRule: 'no action', updateRule: 'no action' }) company!: Ref<Company>;
  @Property({ type: 'text' }) name!: string;
  /** What the client calls itself at the token endpoint; made by us, never reused. */
  @Property({ type: 'text', unique: true }) clientId!: string;
  /** SHA-256 of the secret, hexadecimal: a random 256-bit secret needs no slow hash. */
  @Property({ type: 'text' }) secretHash!: string;
  @Property({ type: 'text[]', columnType: 'text[]' }) permissions: Permission[] = [];
  @Property({ type: 'timestamptz', length: 6, nullable: true }) discardedAt?: Date | null;
  @Property({ type: 'timestamptz', length: 6 }) createdAt: Date = new Date();
  @Property({ type: 'timestamptz', length: 6, onUpdate: () => new Date() }) updatedAt: Date = new Date();
}
