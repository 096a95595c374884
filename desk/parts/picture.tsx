import { useRef, useState } from 'preact/hooks'
import { list } from '../api/client.ts'
import { pathOf } from '../api/site.ts'
import { useLoaded, useSettled } from '../api/use.ts'
import type { Picture } from '../rules/event.ts'
import { w } from '../words/words.ts'
import { AltTexts, type Before } from './alt-texts.tsx'
import { Crop } from './crop.tsx'
import { Dialog } from './dialog.tsx'
import { useDropping } from './dropping.ts'
import { TextField } from './field.tsx'
import { altOf, type Media, searched, upload, urlOf } from './media.ts'
import { Failed, failureText, tell } from './notice.tsx'
import { may } from './shell.tsx'

/** A picture of the library as a button. */
export const Thumbnail = ({ media, onClick }: { media: Media; onClick: () => void }) => {
  const { x, y } = media.focal_point
  return (
    <button
      type="button"
      class="quiet"
      aria-label={[`${w.picture} ${media.id}`, altOf(media)].filter(Boolean).join(': ')}
      onClick={onClick}
    >
      <img
        src={pathOf(urlOf(media))}
        alt=""
        width={media.width}
        height={media.height}
        loading="lazy"
        style={{ objectPosition: `${100 * x}% ${100 * y}%` }}
      />
    </button>
  )
}

/** Chooses a picture that was uploaded before, or uploads one. */
export function Library({ choose, close }: { choose: (picture: Media) => void; close: () => void }) {
  const [page, setPage] = useState(1)
  const [text, setText] = useState('')
  const search = useSettled(searched(text))
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const { value, failure, again } = useLoaded(`library ${page} ${search}`, () =>
    list<Media>('/media', 'media', { page, per_page: 24, search }),
  )
  return (
    <Dialog title={w.library} onClose={close} wide>
      <TextField
        label={w.search}
        type="search"
        value={text}
        onValue={(typed) => {
          setText(typed)
          setPage(1)
        }}
      />
      {failure && <Failed failure={failure} again={again} />}
      {value?.rows.length === 0 && <p>{search ? w.none_found : w.no_pictures}</p>}
      <ul class="gallery">
        {value?.rows.map((media) => (
          <li key={media.id}>
            <Thumbnail media={media} onClick={() => choose(media)} />
          </li>
        ))}
      </ul>
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        {may('upload images, and change and delete own ones') && (
          <>
            <input
              ref={input}
              type="file"
              accept="image/*"
              hidden
              onChange={({ currentTarget: { files } }) => {
                if (files?.[0]) upload(files[0]).then(choose, (failure) => setProblem(failureText(failure)))
              }}
            />
            <button type="button" class="plain" onClick={() => input.current!.click()}>
              {w.choose_file}
            </button>
          </>
        )}
        {page > 1 && (
          <button type="button" class="plain" onClick={() => setPage(page - 1)}>
            {w.previous}
          </button>
        )}
        {value && page < value.pages && (
          <button type="button" class="plain" onClick={() => setPage(page + 1)}>
            {w.next}
          </button>
        )}
      </div>
    </Dialog>
  )
}

type Props = {
  value: Picture
  onValue: (picture: Picture) => void
  error?: string | undefined
  /** What the picture shows; without it, the event. */
  alt?: string
  /** The language of the record, and how its form saves the alternative text of the picture. */
  language: string
  before: Before
}

/** The picture of a record: dropped, pasted, or chosen. */
export function PictureField(props: Props) {
  const { value, onValue, error, alt = w.picture_of_event, before } = props
  const [busy, setBusy] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [chooses, setChooses] = useState(false)
  const [crops, setCrops] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const mayUpload = may('upload images, and change and delete own ones')
  const take = async ([file]: File[]) => {
    if (!file) return setProblem(w.not_a_picture)
    setProblem(undefined)
    setBusy(URL.createObjectURL(file))
    try {
      const media = await upload(file)
      onValue({ id: media.id, url: urlOf(media) })
    } catch (failure) {
      setProblem(failureText(failure))
    }
    setBusy(undefined)
  }
  const { over, handlers } = useDropping(take, mayUpload)
  return (
    <section class={over ? 'picture over' : 'picture'} aria-label={w.picture} {...handlers}>
      <h2>{w.picture}</h2>
      {busy && <img class="busy" src={busy} alt={alt} />}
      {!busy && !value && mayUpload && <p class="drop">{w.drop_picture}</p>}
      {busy && <p role="status">{w.uploading}</p>}
      {value && (
        <AltTexts
          key={value.id}
          id={value.id}
          shown={busy ? undefined : { src: pathOf(value.url), alt }}
          languages={[props.language]}
          before={before}
        />
      )}
      {(problem ?? error) && (
        <p class="error" role="alert">
          {problem ?? error}
        </p>
      )}
      <div class="buttons">
        {mayUpload && (
          <>
            <input
              ref={input}
              type="file"
              accept="image/*"
              hidden
              onChange={({ currentTarget }) => take([...(currentTarget.files ?? [])])}
            />
            <button type="button" class="plain" onClick={() => input.current!.click()}>
              {w.choose_file}
            </button>
          </>
        )}
        <button type="button" class="plain" onClick={() => setChooses(true)}>
          {w.from_library}
        </button>
        {value && mayUpload && (
          <button type="button" class="plain" onClick={async () => setCrops(await before.current())}>
            {w.crop_it}
          </button>
        )}
        {value && (
          <button type="button" class="plain" onClick={() => onValue(null)}>
            {w.remove}
          </button>
        )}
      </div>
      {crops && value && (
        <Crop
          id={value.id}
          close={() => setCrops(false)}
          done={(media) => {
            setCrops(false)
            onValue({ id: media.id, url: urlOf(media) })
            tell({ text: w.cropped, action: { text: w.undo, run: () => onValue(value) } })
          }}
        />
      )}
      {chooses && (
        <Library
          close={() => setChooses(false)}
          choose={(media) => {
            setChooses(false)
            onValue({ id: media.id, url: urlOf(media) })
          }}
        />
      )}
    </section>
  )
}
