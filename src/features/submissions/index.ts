import * as submission from '../../../schemas/submission.ts'
import type { ServiceFeature } from '../host.ts'
import { SUBMISSIONS_ERRORS, SUBMISSIONS_RIGHTS } from './declarations.ts'
import { submissionPages } from './routes/page.ts'
import { submissionRoutes } from './routes/submissions.ts'
import { SUBMISSIONS_SETTINGS } from './settings.ts'
import { openEditorsNotice } from './store/news.ts'
import { openSubmissions } from './store/submissions.ts'

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
  rights: SUBMISSIONS_RIGHTS,
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
