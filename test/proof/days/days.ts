import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';

/** Ends the shift of a driver. */
export const off = (firm: StaffedTenant, token: string) => firm.must('PUT', '/v1/users/me/driver_day/off_duty', {}, token);
/** Reads a day. */
export const day = (firm: StaffedTenant, id: string, token = firm.token) => firm.http('GET', `/v1/driver_days/${id}`, undefined, token);
/** Approves a day. */
export const approve = (firm: StaffedTenant, id: string, token: string, body: object = {}) =>
  firm.http('PUT', `/v1/driver_days/${id}/approve`, body, token);
/** Withdraws its approvals. */
export const unapprove = (firm: StaffedTenant, id: string, token: string) => firm.http('PUT', `/v1/driver_days/${id}/unapprove`, {}, token);
