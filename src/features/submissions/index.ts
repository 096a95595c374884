import * as submission from '../../../schemas/submission.ts'
import { isMailAddress } from '../../kernel/access/users.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { type ConfigOf, list, onOrOff, type SettingTable, whole } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { openEditorsNotice } from './mail.ts'
import { submissionPages } from './pages.ts'
import { submissionRoutes } from './routes.ts'
import { openSubmissions } from './store.ts'

/** The errors of submissions: code, status and meaning. */
const SUBMISSIONS_ERRORS = declareErrors({
  submission_proof_required: [
    403,
    'Without credentials a submission needs a `challenge` that was not used before, and the `nonce` that solves it.',
  ],
  'submission-not-found': [404, 'There is no such submission.'],
  'submission-archive-page-not-found': [404, 'The list of submissions has no such page.'],
  submission_decided: [409, 'The submission is decided already, or was withdrawn.'],
  submission_changed: [409, 'The event of the submission was changed since it was looked at.'],
  submission_forgotten: [409, 'Who proposed the event is not known any more, so nobody can be asked.'],
})

type Errors = typeof SUBMISSIONS_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

export const SUBMISSIONS_SETTINGS = {
  SUBMISSIONS: {
    default: 'off',
    meaning: 'on: visitors may propose events, at `/events/submit/` and by the API; editors decide.',
    read: onOrOff,
  },
  SUBMISSIONS_DAYS: {
    default: '90',
    meaning:
      'Days for which name and address of who proposed an event are kept after the decision, or without one after the event was sent, corrected or asked about.',
    read: whole(1, 99_999),
  },
  SUBMISSIONS_MAIL: {
    default: '',
    meaning:
      'Addresses of editors, separated by commas, who are told by mail what was proposed, once an hour at most. Needs SMTP_URL.',
    read: (given, { must, text }) => {
      const isRight =
        text('SMTP_URL') !== '' && given.split(',').every((address) => isMailAddress(address.trim()))
      return must(
        list(given),
        given === '' || isRight,
        'addresses separated by commas, such as events@example.org, and set with SMTP_URL',
      )
    },
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof SUBMISSIONS_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** Events that people without accounts propose. */
    submissions: ReturnType<typeof openSubmissions>
  }
}

/** Events that visitors propose, and what editors decide. */
export const submissions: ServiceFeature = {
  name: 'submissions',
  needs: ['people', 'pages'],
  settings: SUBMISSIONS_SETTINGS,
  tags: {
    Submissions: 'Events that people without accounts propose, and what editors decide.',
  },
  answers: [
    submission.SubmissionAlike,
    submission.Submission,
    submission.SubmissionPage,
    submission.NewSubmission,
    submission.SubmissionChallenge,
  ],
  errors: SUBMISSIONS_ERRORS,
  openStore: ({ db, site, keyed, events, mails }) => ({
    submissions: openSubmissions({ db, site, keyed, events, mails }),
  }),
  async plugin(app, { config, parts, service }) {
    const { store, site, branding } = service
    const notifyEditors = openEditorsNotice(config, site.languages[0]!, branding)
    const settings = { isOn: config.submissions, days: config.submissionsDays, notifyEditors }
    app.retain({
      remove: () => store.submissions.forget(settings.days),
      failed: 'names and addresses of who submitted events could not be forgotten',
    })
    if (notifyEditors) app.digest(() => store.submissions.notifyEditors(notifyEditors))
    app.register(submissionRoutes(settings), { service })
    if (parts.pages) app.register(submissionPages(settings), { service })
  },
}
