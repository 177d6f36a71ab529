import { Migration } from '@mikro-orm/migrations';

/** The pay of a day may have supplements, too: by what differs from what was paid (src/billing/days/compare-day.ts). */
export class SupplementDriverDays extends Migration {
  override up(): void {
    this.addSql(`
      drop index invoice_driver_day_key;
      -- One live invoice for each side and part of a day.
      create unique index invoice_driver_day_key on invoice (driver_day_id, side, part) where driver_day_id is not null and state <> 'voided'`);
  }
}
