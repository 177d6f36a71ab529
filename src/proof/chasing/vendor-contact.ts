/**
 * SQL: the vendor account `va` to which the owner of a job gave it, and its contact `vk`, who is texted if the vendor has nobody with the app or a
 * telephone of their own. Contacts of a vendor's vendors are the affair of whoever hired them.
 * @param job alias of the job
 */
export const vendorContactOf = (job: string): string => `job_assignment va_link join account va on va.id = va_link.vendor_account_id
  join contact vk on vk.id = va.primary_contact_id
  where va_link.job_id = ${job}.id and va_link.link = 0 and va.discarded_at is null and vk.phone is not null`;
