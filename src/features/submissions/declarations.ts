import type { RightTable } from '../../kernel/access/rights.ts'
import type { ErrorTable } from '../../kernel/errors.ts'

/** The errors of submissions: code, status and meaning. */
export const SUBMISSIONS_ERRORS = {
  submission_proof_required: [
    403,
    'Without credentials a submission needs a `challenge` that was not used before, and the `nonce` that solves it.',
  ],
  'submission-not-found': [404, 'There is no such submission.'],
  'submission-archive-page-not-found': [404, 'The list of submissions has no such page.'],
  submission_decided: [409, 'The submission is decided already, or was withdrawn.'],
  submission_changed: [409, 'The event of the submission was changed since it was looked at.'],
  submission_forgotten: [409, 'Who proposed the event is not known any more, so nobody can be asked.'],
} as const satisfies ErrorTable

export const SUBMISSIONS_RIGHTS = {
  'decide on submissions': { from: 'editor', ofAll: true },
} as const satisfies RightTable

type Errors = typeof SUBMISSIONS_ERRORS
type Rights = typeof SUBMISSIONS_RIGHTS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/access/rights.ts' {
  interface DeclaredRights extends Rights {}
}
