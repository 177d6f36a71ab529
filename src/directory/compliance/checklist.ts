import { Field, ID, ObjectType } from 'type-graphql';
import { DateTime } from '../../platform/scalars.ts';
import { ComplianceDocument, ComplianceDocumentType } from './compliance.entity.ts';
import { ComplianceIssueType } from './issues.ts';

/** A kind of document that is required of a record, and the document that counts. */
@ObjectType({ simpleResolvers: true })
export class ComplianceChecklistItem {
  @Field(() => ComplianceDocumentType) complianceDocumentType!: ComplianceDocumentType;
  @Field(() => ComplianceDocument, { nullable: true }) complianceDocument!: ComplianceDocument | null;
}

@ObjectType({ simpleResolvers: true })
export class ComplianceIssue {
  @Field(() => ComplianceIssueType) type!: ComplianceIssueType;
  /** The name of the account, person or truck that it is of. */
  @Field(() => String, { nullable: true }) entity!: string | null;
  @Field(() => String) documentType!: string;
  @Field(() => ID) documentTypeId!: string;
  @Field(() => DateTime, { nullable: true }) expiresAt!: Date | null;
}
/** Whether a vendor, a driver and a truck may be sent out. */
@ObjectType({ simpleResolvers: true })
export class ComplianceCheck {
  @Field(() => Boolean) hasIssues!: boolean;
  @Field(() => [ComplianceIssue]) warnings!: ComplianceIssue[];
  @Field(() => [ComplianceIssue]) blocking!: ComplianceIssue[];
}
