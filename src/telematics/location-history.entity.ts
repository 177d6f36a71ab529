import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Coordinate, Flag, Instant, Text, Uuid } from '../platform/database/columns.ts';
import type { Decimal } from '../platform/decimal.ts';
import { newId } from '../platform/ids.ts';
import { Tenant } from '../platform/read/decorators.ts';

/** Where somebody's telephone was at a moment. Written once, many at a time, and never changed: measurements, which no audit row repeats. */
@Entity({ tableName: 'location_history' })
@Tenant()
export class LocationHistory {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Instant({ required: true, hidden: true }) createdAt: Date = new Date();
  /** The person's. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ required: true, hidden: true }) userId!: string;
  /** What the telephone calls itself. */
  @Text({ required: true, hidden: true }) deviceId!: string;
  @Instant({ required: true, hidden: true }) occurredAt!: Date;
  /** Degrees, WGS 84. */
  @Coordinate({ required: true, hidden: true }) lat!: Decimal;
  @Coordinate({ required: true, hidden: true }) lon!: Decimal;
  /** Metres within which it lies, as the telephone thinks. */
  @Property({ type: 'double', nullable: true }) accuracy?: number | null;
  @Property({ type: 'double', nullable: true }) speedMetersPerSecond?: number | null;
  /** Clockwise from north. */
  @Property({ type: 'double', nullable: true }) bearingDegrees?: number | null;
  /** The job that was hauled, as the telephone said. */
  @Uuid({ hidden: true }) jobId?: string | null;
  /** The truck the person had when it arrived here. */
  @Uuid({ hidden: true }) equipmentId?: string | null;
  /** Arrived so late that the telephone was without a network. */
  @Flag({ required: true, hidden: true }) offlineMode: boolean = false;
}
