import { useEffect, useRef, useState } from 'preact/hooks'

const imagesIn = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))

/**
 * Takes pictures that are dropped on an element, which has `handlers`, or pasted anywhere. A drop without a picture is told as an empty list.
 * `over` says that something is being held above the element. Who may not take any gets none.
 */
export function useDropping(take: (files: File[]) => unknown, mayTake: boolean) {
  const [over, setOver] = useState(false)
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    if (!mayTake) return
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const files = imagesIn(clipboardData)
      if (files.length > 0) latest.current(files)
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [])
  const handlers = {
    onDragOver(event: DragEvent) {
      event.preventDefault()
      setOver(mayTake)
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setOver(false)
      if (mayTake) take(imagesIn(event.dataTransfer))
    },
  }
  return { over, handlers }
}
