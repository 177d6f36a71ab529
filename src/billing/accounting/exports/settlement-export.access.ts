import { defineAccess } from '../../../platform/read/access.ts';
import { partOfSettlement } from '../../settlements/settlement.access.ts';
import { SettlementExport } from './settlement-export.entity.ts';

export const settlementExportAccess = defineAccess(SettlementExport, partOfSettlement);
