import { openEditorsMail } from './mail.ts'
import type { EditorsTelling } from './store/news.ts'

type Settings = { submissions: boolean; submissionsMail: string[]; baseUrl: string; desk: boolean }

/** Whether visitors may propose events, for how many days who did so is known after the decision, and what tells editors. */
export type SubmissionSettings = { isOn: boolean; days: number; tellEditors: EditorsTelling | undefined }

/** The mails that tell editors of what visitors propose; undefined where visitors do not, or nobody is to be told. */
export const openEditorsTelling = (
  { submissions, submissionsMail: recipients, baseUrl, desk }: Settings,
  language: string,
  branding: () => { name: string },
): EditorsTelling | undefined =>
  !submissions || recipients.length === 0
    ? undefined
    : openEditorsMail({
        ...{ recipients, language, site: () => branding().name },
        link: desk ? `${baseUrl}/desk/#/submissions` : undefined,
      })
