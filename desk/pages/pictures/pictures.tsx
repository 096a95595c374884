import { useRef, useState } from 'preact/hooks'
import { list, send } from '../../api/client.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { AltTexts, mayEditPicture } from '../../parts/alt-texts.tsx'
import { Crop } from '../../parts/crop.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { useDropping } from '../../parts/dropping.ts'
import { Pager, Search } from '../../parts/listing.tsx'
import { altOf, type Media, searched, upload, urlOf } from '../../parts/media.ts'
import { Failed, failureText, Notice, tell, tellFailure } from '../../parts/notice.tsx'
import { Thumbnail } from '../../parts/picture.tsx'
import { may } from '../../parts/shell.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { instantText } from '../../words/dates.ts'
import { fill, languageName, listText, number, w } from '../../words/words.ts'
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

type DetailsProps = {
  media: Upload
  /** Shows the next one of the list. */
  next: (() => void) | undefined
  show: (media: Upload) => void
  close: () => void
  done: () => void
}
/** One picture: how large it is, what it shows in words, its address, and its end. */
function Details({ media, next, show, close, done }: DetailsProps) {
  const [asks, setAsks] = useState(false)
  const [crops, setCrops] = useState(false)
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
          next={next}
        />
      </section>
      {may('create records') && <UsedIn {...uses} />}
      <div class="buttons">
        {may('upload images, and change and delete own ones') && (
          <button type="button" class="plain" onClick={() => setCrops(true)}>
            {w.crop_it}
          </button>
        )}
        <a class="button plain" href={pathOf(media.url)} target="_blank" rel="noopener">
          {w.open_picture}
        </a>
        {isMine && (
          <button type="button" class="danger" onClick={() => setAsks(true)}>
            {w.delete}
          </button>
        )}
      </div>
      {crops && (
        <Crop
          id={media.id}
          close={() => setCrops(false)}
          done={(cropped) => {
            show(cropped as Upload)
            tell({ text: w.cropped_new })
            done()
          }}
        />
      )}
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

/** What a picture shows, and in which languages nothing says so. */
function Described({ media }: { media: Upload }) {
  const text = altOf(media)
  const lacking = SITE.languages.filter((code) => !media.alt_texts[code])
  const of = listText(lacking.map(languageName))
  return (
    <p class={text ? 'shows' : 'shows hint'}>
      <span dir="auto">{text || w.no_alt_text_short}</span>
      {text && lacking.length > 0 && (
        <span class="lacking" title={fill(w.alt_text_lacking, { languages: of })}>
          <span aria-hidden="true">{lacking.map((code) => code.toUpperCase()).join(' ')}</span>
          <span class="unseen">{fill(w.alt_text_lacking, { languages: of })}</span>
        </span>
      )}
    </p>
  )
}

/** All languages of the site, of which each picture is to have a text. */
const ALL = SITE.languages.join()

/** All pictures, to which more are added by dropping, pasting or choosing them. */
export function PicturesPage({ place }: { place: Place }) {
  const { page = 1, search: text = '', texts } = place.query
  const search = searched(text)
  const without_alt_text = texts === 'missing' ? ALL : undefined
  const { value, failure, again, loading } = useLoaded(JSON.stringify(place.query), () =>
    list<Upload>('/media', 'media', { page, per_page: 24, search, without_alt_text }),
  )
  const counts = useLoaded(`pictures ${search}`, async () => ({
    all: (await list('/media', 'media', { per_page: 1, search })).total,
    missing: (await list('/media', 'media', { per_page: 1, search, without_alt_text: ALL })).total,
  }))
  const reload = () => {
    again()
    counts.again()
  }
  const { left, problems, take } = useUploads(reload)
  const [shown, setShown] = useState<Upload>()
  const input = useRef<HTMLInputElement>(null)
  const mayUpload = may('upload images, and change and delete own ones')
  const { over, handlers } = useDropping(take, mayUpload)
  const rows = value?.rows ?? []
  const after = rows[rows.findIndex(({ id }) => id === shown?.id) + 1]
  const close = () => {
    setShown(undefined)
    reload()
  }
  return (
    <section class={over ? 'pictures over' : 'pictures'} aria-label={w.pictures} {...handlers}>
      <div class="head">
        <h1>
          {w.pictures} {counts.value && <span class="count">{number(counts.value.all)}</span>}
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
      <Search place={{ path: place.path, query: place.query }} />
      <nav class="tabs" aria-label={w.alt_texts}>
        <ul>
          {(['all', 'missing'] as const).map((name) => (
            <li key={name}>
              <a
                href={hashOf(place.path, { search: text, texts: name === 'all' ? undefined : name })}
                aria-current={(texts ?? 'all') === name ? 'page' : undefined}
              >
                {w[`alt_texts_${name}`]}{' '}
                {counts.value && <span class="count">{number(counts.value[name])}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {mayUpload && texts === undefined && search === undefined && <p class="drop">{w.drop_pictures}</p>}
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
          <p>{search ? w.none_found : texts ? w.all_described : w.no_pictures}</p>
        </div>
      )}
      <ul class={loading ? 'gallery loading' : 'gallery'} aria-busy={loading}>
        {value?.rows.map((media) => (
          <li key={media.id}>
            <Thumbnail media={media} onClick={() => setShown(media)} />
            <Described media={media} />
          </li>
        ))}
      </ul>
      {value && <Pager place={place} pages={value.pages} total={value.total} />}
      {shown && (
        <Details
          key={shown.id}
          media={shown}
          next={texts === 'missing' ? () => (after ? setShown(after) : close()) : undefined}
          show={setShown}
          close={close}
          done={reload}
        />
      )}
    </section>
  )
}
