import { useRef, useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import { pathOf } from '../api/site.ts'
import { useLoaded } from '../api/use.ts'
import {
  CORNERS,
  type Corner,
  type Frame,
  fitted,
  moved,
  PROPORTIONS,
  pixelsOf,
  sized,
  turned,
  WHOLE,
} from '../rules/crop.ts'
import { fill, number, w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { type Media, urlOf } from './media.ts'
import { Failed, failureText } from './notice.tsx'

/** How far an arrow key moves the frame or a corner: a part of a side. With Shift it is a tenth of it. */
const STEP = 0.05
const MOVES: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

type StageProps = {
  media: Media
  rotate: number
  frame: Frame
  ratio: number | undefined
  set: (frame: Frame) => void
}

/** The picture with the frame on it, which is moved and sized by the pointer and by arrow keys. */
function Stage({ media, rotate, frame, ratio, set }: StageProps) {
  const stage = useRef<HTMLDivElement>(null)
  const held = useRef<{ x: number; y: number; frame: Frame; corner: Corner | undefined }>(undefined)
  const size = turned(media, rotate)
  const after = (from: Frame, corner: Corner | undefined, [dx, dy]: readonly [number, number]) =>
    corner ? sized(from, corner, [dx, dy], size, ratio) : moved(from, dx, dy)
  const handlers = (corner?: Corner) => ({
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.stopPropagation()
      event.preventDefault()
      const target = event.currentTarget as HTMLElement
      target.setPointerCapture(event.pointerId)
      target.focus()
      held.current = { x: event.clientX, y: event.clientY, frame, corner }
    },
    onPointerMove(event: PointerEvent) {
      if (!held.current) return
      const { x, y, frame: from, corner: at } = held.current
      const { width, height } = stage.current!.getBoundingClientRect()
      set(after(from, at, [(event.clientX - x) / width, (event.clientY - y) / height]))
    },
    onPointerUp() {
      held.current = undefined
    },
    onPointerCancel() {
      held.current = undefined
    },
    onKeyDown(event: KeyboardEvent) {
      const move = MOVES[event.key]
      if (!move) return
      event.preventDefault()
      event.stopPropagation()
      const [dx, dy] = move.map((step) => (event.shiftKey ? step / 10 : step)) as [number, number]
      set(after(frame, corner, [dx, dy]))
    },
  })
  const percent = (part: number) => `${100 * part}%`
  const pixels = pixelsOf(frame, size)
  return (
    <div class="stage" ref={stage} style={{ '--width': size.width, '--height': size.height }}>
      <img
        src={pathOf(urlOf(media, 'large'))}
        alt=""
        draggable={false}
        style={{
          inlineSize: percent(media.width / size.width),
          aspectRatio: `${media.width} / ${media.height}`,
          rotate: `${rotate}deg`,
        }}
      />
      <div
        class="cut"
        role="slider"
        tabIndex={0}
        aria-label={w.crop_frame}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * frame.x)}
        aria-valuetext={`${Math.round(100 * frame.x)} %, ${Math.round(100 * frame.y)} %`}
        style={{
          left: percent(frame.x),
          top: percent(frame.y),
          width: percent(frame.width),
          height: percent(frame.height),
        }}
        {...handlers()}
      />
      {CORNERS.map((corner) => (
        <div
          key={corner.join('')}
          class={`corner at-${corner.join('-')}`}
          role="slider"
          tabIndex={0}
          aria-label={w[`crop_corner_${corner[1]}${corner[0]}` as 'crop_corner_00']}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(100 * frame.width)}
          aria-valuetext={`${pixels.width} × ${pixels.height}`}
          style={{
            left: percent(frame.x + corner[0] * frame.width),
            top: percent(frame.y + corner[1] * frame.height),
            translate: `${-100 * corner[0]}% ${-100 * corner[1]}%`,
          }}
          {...handlers(corner)}
        />
      ))}
    </div>
  )
}

type Props = { media: Media; done: (media: Media) => void; close: () => void }
function Cropping({ media, done, close }: Props) {
  const [frame, setFrame] = useState(WHOLE)
  const [rotate, setRotate] = useState(0)
  const [proportion, setProportion] = useState('free')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const size = turned(media, rotate)
  const ratioOf = (name: string) => PROPORTIONS.find(([one]) => one === name)![1]
  const fit = (name: string, degrees: number) => {
    const ratio = ratioOf(name)
    const from = degrees === rotate ? frame : WHOLE
    setProportion(name)
    setRotate(degrees)
    setFrame(ratio === undefined ? from : fitted(from, turned(media, degrees), ratio))
  }
  const isWhole = rotate === 0 && frame.width === 1 && frame.height === 1
  const crop = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { body } = await send<Media>('POST', `/media/${media.id}/crop`, {
        body: { ...frame, turns: rotate / 90 },
      })
      done(body)
    } catch (failure) {
      setProblem(failureText(failure))
      setBusy(false)
    }
  }
  const { width, height } = pixelsOf(frame, size)
  return (
    <>
      <div class="crop-tools">
        <div class="proportions" role="group" aria-label={w.proportions}>
          {PROPORTIONS.map(([name]) => (
            <button
              key={name}
              type="button"
              class="plain"
              aria-pressed={proportion === name}
              onClick={() => fit(name, rotate)}
            >
              {name === 'free' ? w.free_proportions : name}
            </button>
          ))}
        </div>
        <button type="button" class="plain" onClick={() => fit(proportion, (rotate + 90) % 360)}>
          <span aria-hidden="true">↻</span> {w.turn_right}
        </button>
      </div>
      <Stage media={media} rotate={rotate} frame={frame} ratio={ratioOf(proportion)} set={setFrame} />
      <p class="hint">
        {w.crop_hint} {fill(w.crop_size, { width: number(width), height: number(height) })}
      </p>
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" disabled={busy || isWhole} onClick={crop}>
          {w.crop}
        </button>
        <button type="button" class="plain" onClick={close}>
          {w.cancel}
        </button>
      </div>
    </>
  )
}

/** Makes a new picture of a part of another one, which stays. */
export function Crop({ id, done, close }: Omit<Props, 'media'> & { id: number }) {
  const { value, failure, again } = useLoaded(`crop ${id}`, () => send<Media>('GET', `/media/${id}`))
  return (
    <Dialog title={w.crop_title} onClose={close} wide>
      {failure && <Failed failure={failure} again={again} />}
      {!value && !failure && <p class="loading">{w.loading}</p>}
      {value && <Cropping media={value.body} done={done} close={close} />}
    </Dialog>
  )
}
