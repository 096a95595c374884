import { useRef, useState } from 'preact/hooks'
import { list, send } from '../../api/client.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { AltTexts, mayEditPicture } from '../../parts/alt-texts.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { useDropping } from '../../parts/dropping.ts'
import { Pager } from '../../parts/listing.tsx'
import { Failed, failureText, Notice, tell, tellFailure } from '../../parts/notice.tsx'
import { type Media, Thumbnail, upload, urlOf } from '../../parts/picture.tsx'
import { may } from '../../parts/shell.tsx'
import type { Place } from '../../rules/places.ts'
import { instantText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import { UsedIn, useUses } from './uses.tsx'

type Upload = Media & { mime_type: string }

const sizeText = (bytes: number) => fill(w.kilobytes, { size: number(Math.ceil(bytes / 1000)) })

/** Uploads pictures one after another, and says which ones were refused. */
function useUploads(done: () => void) {
  const [left, setLeft] = useState(0)
  const [problems, setProblems] = useState<string[]>([])
  const take = async (files: File[]) => {
    if (files.length === 0) return setProblems([w.not_a_picture])
    setProblems([])
    let stored = 0
    for (const [at, file] of files.entries()) {
      setLeft(files.length - at)
      await upload(file).then(
        () => stored++,
        (failure) => setProblems((before) => [...before, `${file.name}: ${failureText(failure)}`]),
      )
    }
    setLeft(0)
    if (stored > 0) tell({ text: fill(w.uploaded, { count: number(stored) }) })
    done()
  }
  return { left, problems, take }
}

/** One picture: how large it is, what it shows in words, its address, and its end. */
function Details({ media, close, done }: { media: Upload; close: () => void; done: () => void }) {
  const [asks, setAsks] = useState(false)
  const isMine = mayEditPicture(media)
  const uses = useUses(media.id)
  const used = uses.value?.total ?? 0
  const remove = async () => {
    setAsks(false)
    try {
      await send('DELETE', `/media/${media.id}`)
      tell({ text: w.erased })
      close()
      done()
    } catch (failure) {
      tellFailure(failure)
    }
  }
  const title = `${w.picture} ${media.id}`
  return (
    <Dialog title={title} onClose={close} wide>
      <p class="hint">
        {fill(w.picture_facts, {
          ...{ width: media.width, height: media.height, type: media.mime_type },
          ...{ size: sizeText(media.filesize), time: instantText(media.date_utc) },
        })}
      </p>
      <section class="group large" aria-label={w.alt_texts}>
        <h3>{w.alt_texts}</h3>
        <p class="hint">{w.alt_text_hint}</p>
        <AltTexts
          id={media.id}
          shown={{ src: pathOf(urlOf(media, 'large')), alt: title }}
          languages={SITE.languages}
        />
      </section>
      {may('create records') && <UsedIn {...uses} />}
      <div class="buttons">
        <a class="button plain" href={pathOf(media.url)} target="_blank" rel="noopener">
          {w.open_picture}
        </a>
        {isMine && (
          <button type="button" class="danger" onClick={() => setAsks(true)}>
            {w.delete}
          </button>
        )}
      </div>
      {asks && (
        <Confirm
          title={w.erase_title}
          text={
            used > 0 ? `${fill(w.used_before, { count: number(used) })} ${w.erase_picture}` : w.erase_picture
          }
          yes={w.delete}
          onYes={remove}
          onNo={() => setAsks(false)}
        />
      )}
    </Dialog>
  )
}

/** All pictures, to which more are added by dropping, pasting or choosing them. */
export function PicturesPage({ place }: { place: Place }) {
  const page = place.query.page ?? 1
  const { value, failure, again, loading } = useLoaded(`pictures ${page}`, () =>
    list<Upload>('/media', 'media', { page, per_page: 24 }),
  )
  const { left, problems, take } = useUploads(again)
  const [shown, setShown] = useState<Upload>()
  const input = useRef<HTMLInputElement>(null)
  const mayUpload = may('upload images, and change and delete own ones')
  const { over, handlers } = useDropping(take, mayUpload)
  return (
    <section class={over ? 'pictures over' : 'pictures'} aria-label={w.pictures} {...handlers}>
      <div class="head">
        <h1>
          {w.pictures} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        {mayUpload && (
          <>
            <input
              ref={input}
              type="file"
              accept="image/*"
              multiple
              hidden
              onChange={({ currentTarget }) => {
                take([...(currentTarget.files ?? [])])
                currentTarget.value = ''
              }}
            />
            <button type="button" onClick={() => input.current!.click()}>
              {w.upload}
            </button>
          </>
        )}
      </div>
      {mayUpload && <p class="drop">{w.drop_pictures}</p>}
      {left > 0 && <Notice>{fill(w.uploading_more, { count: number(left) })}</Notice>}
      {problems.length > 0 && (
        <Notice bad>
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      {failure && <Failed failure={failure} again={again} />}
      {value?.rows.length === 0 && (
        <div class="empty">
          <p>{w.no_pictures}</p>
        </div>
      )}
      <ul class={loading ? 'gallery loading' : 'gallery'} aria-busy={loading}>
        {value?.rows.map((media) => (
          <li key={media.id}>
            <Thumbnail media={media} onClick={() => setShown(media)} />
            <p class="hint">
              {media.width} × {media.height}
            </p>
          </li>
        ))}
      </ul>
      {value && <Pager place={place} pages={value.pages} total={value.total} />}
      {shown && <Details media={shown} close={() => setShown(undefined)} done={again} />}
    </section>
  )
}
