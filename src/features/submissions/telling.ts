import type { EditorsTelling } from '../../calendar/store.ts'
import { openEditorsMail } from './mail.ts'

type Settings = { submissions: boolean; submissionsMail: string[]; baseUrl: string; desk: boolean }

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
