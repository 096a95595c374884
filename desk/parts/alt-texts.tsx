import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { canEditImage } from '../../src/calendar/rights.ts'
import { send } from '../api/client.ts'
import { useEditing } from '../api/editing.ts'
import { session } from '../api/session.ts'
import { SITE } from '../api/site.ts'
import { useLoaded } from '../api/use.ts'
import { Clash } from '../pages/event/clash.tsx'
import { callerFor } from '../rules/limits.ts'
import {
  type AltForm,
  altError,
  altField,
  FOCAL_POINT,
  type Point,
  textOfPoint,
  toAltBody,
  toAltForm,
} from '../rules/picture.ts'
import { languageName, w } from '../words/words.ts'
import { AreaField } from './field.tsx'
import { Focus, type Shown } from './focus.tsx'
import { Failed, failureText, Notice, tell, useOutcome } from './notice.tsx'

/** What is read of a picture. */
export type Described = {
  id: number
  author: string
  width: number
  height: number
  alt_texts: Record<string, string>
  focal_point: Point
}

/** Whether whoever has signed in may change and delete a picture. */
export const mayEditPicture = ({ author }: Pick<Described, 'author'>): boolean => {
  return canEditImage(callerFor(session.get()!), { author_id: Number(author) })
}

const nothing = async () => true

/** What a form does before it is saved: it saves the texts of its picture. Gives false where they were not saved. */
export const useBefore = () => useRef(nothing)
export type Before = ReturnType<typeof useBefore>

type Props = {
  id: number
  /** The picture above the texts, on which one sets its focal point. */
  shown?: Shown | undefined
  /** The languages whose texts are shown. */
  languages: readonly string[]
  /** Where a form finds how to save the texts; without it they have a button of their own. */
  before?: Before
  /** Goes on to another picture, once the texts are saved. */
  next?: (() => void) | undefined
}

const toForm = toAltForm(SITE.languages)

/** The texts of a picture that somebody else uploaded. */
const Told = ({ alt_texts, languages }: Pick<Described, 'alt_texts'> & Pick<Props, 'languages'>) => {
  const known = languages.filter((language) => alt_texts[language])
  if (known.length === 0) return <p class="hint">{w.no_alt_text}</p>
  return (
    <dl class="taken">
      {known.map((language) => (
        <div key={language}>
          <dt>{languages.length > 1 ? languageName(language) : w.alt_text}</dt>
          <dd lang={language}>{alt_texts[language]}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields of the texts: what is not saved is kept against a reload, and nobody overwrites what somebody else has saved. */
function Fields({
  media,
  etag,
  shown,
  languages,
  before,
  next,
}: Omit<Props, 'id'> & { media: Described; etag?: string }) {
  const part = useEditing<Described, AltForm>({
    ...{ name: `${session.get()!.user}.picture.${media.id}`, path: '/media', id: media.id, etag },
    ...{ base: toForm(media), toForm, toBody: toAltBody },
  })
  const { form, change, errors, failure, isChanged, isRestored, busy, clash } = part
  useOutcome(busy)
  const fields = useRef<HTMLDivElement>(null)
  const save = async () => !isChanged || (await part.save()) !== undefined
  useLayoutEffect(() => {
    if (!before) return
    before.current = save
    return () => {
      before.current = nothing
    }
  })
  // who fills one after the other goes on to write
  useEffect(() => {
    if (next) [...fields.current!.querySelectorAll('textarea')].find(({ value }) => value === '')?.focus()
  }, [])
  const isAlone = before !== undefined
  return (
    <div class="texts" ref={fields}>
      {shown && (
        <Focus
          {...shown}
          width={media.width}
          height={media.height}
          value={form[FOCAL_POINT] ?? textOfPoint(media.focal_point)}
          onValue={(value) => change({ [FOCAL_POINT]: value })}
        />
      )}
      {isRestored && (
        <Notice>
          <p>{w.restored_draft}</p>
          <button type="button" class="plain" onClick={part.reset}>
            {w.discard}
          </button>
        </Notice>
      )}
      {failure && !errors.alt_texts && <Notice bad>{failureText(failure)}</Notice>}
      {languages.map((language) => (
        <AreaField
          key={language}
          label={isAlone ? w.alt_text : languageName(language)}
          hint={isAlone ? w.alt_text_in_form : undefined}
          rows={2}
          lang={language}
          value={form[altField(language)]!}
          error={altError(errors.alt_texts, language)}
          onValue={(text) => change({ [altField(language)]: text })}
        />
      ))}
      {!isAlone && (
        <div class="buttons">
          {next && (
            <button
              type="button"
              class="primary"
              disabled={busy}
              onClick={async () => (await save()) && next()}
            >
              {isChanged ? w.save_and_next : w.next_picture}
            </button>
          )}
          <button
            type="button"
            class={next ? 'plain' : 'primary'}
            disabled={busy || !isChanged}
            onClick={async () => (await save()) && tell({ text: w.saved })}
          >
            {w.save}
          </button>
          {isChanged && <span class="badge unsaved">{w.unsaved}</span>}
        </div>
      )}
      {clash && (
        <Clash
          clash={clash}
          resolve={async (resolved) =>
            (await part.resolve(resolved)) && tell({ text: isAlone ? w.alt_saved : w.saved })
          }
          dismiss={part.dismiss}
        />
      )}
    </div>
  )
}

/** A picture, what it shows in words for those who do not see it, and its focal point. Whoever may not change them reads the words. */
export function AltTexts({ id, ...rest }: Props) {
  const { value, failure, again } = useLoaded(`texts of picture ${id}`, () =>
    send<Described>('GET', `/media/${id}`),
  )
  if (value && mayEditPicture(value.body))
    return <Fields media={value.body} {...(value.etag !== undefined && { etag: value.etag })} {...rest} />
  return (
    <>
      {rest.shown && <img {...rest.shown} alt={rest.shown.alt} />}
      {failure && <Failed failure={failure} again={again} />}
      {value && <Told {...value.body} languages={rest.languages} />}
      {!value && !failure && <p class="loading">{w.loading}</p>}
    </>
  )
}
