import { useId } from 'preact/hooks'
import { type Point, pointOf, textOfPoint } from '../rules/picture.ts'
import { w } from '../words/words.ts'

/** How far an arrow key moves the point: a part of a side. */
const STEP = 0.05
const MOVES: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

/** A picture to show: its address, and what it is. */
export type Shown = { src: string; alt: string }

type Props = Shown & {
  /** The pixels of the picture: its place has their proportions before it has come. */
  width: number
  height: number
  /** The point in words. */
  value: string
  onValue: (value: string) => void
}

/** A picture on which one sets its focal point: by a click, or with the arrow keys on the mark. */
export function Focus({ src, alt, width, height, value, onValue }: Props) {
  const hint = useId()
  const { x, y } = pointOf(value)
  const set = (point: Point) => onValue(textOfPoint(point))
  return (
    <div class="focus">
      <div class="frame" style={{ '--width': width, '--height': height }}>
        <img
          src={src}
          alt={alt}
          draggable={false}
          onPointerDown={({ offsetX, offsetY, currentTarget, button }) => {
            if (button === 0)
              set({ x: offsetX / currentTarget.clientWidth, y: offsetY / currentTarget.clientHeight })
          }}
        />
        <div
          class="point"
          role="slider"
          tabIndex={0}
          aria-label={w.focal_point}
          aria-describedby={hint}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(100 * x)}
          aria-valuetext={value}
          style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
          onKeyDown={(event) => {
            const move = MOVES[event.key]
            if (!move) return
            event.preventDefault()
            set({ x: x + move[0], y: y + move[1] })
          }}
        />
      </div>
      <p class="hint" id={hint}>
        {w.focal_point_hint}
      </p>
    </div>
  )
}
