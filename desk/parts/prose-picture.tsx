import { useState } from 'preact/hooks'
import type { Node } from 'prosemirror-model'
import { NodeSelection } from 'prosemirror-state'
import type { EditorView, NodeViewConstructor } from 'prosemirror-view'
import { pathOf } from '../api/site.ts'
import { w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import type { Media } from './media.ts'
import { Library } from './picture.tsx'
import { schema } from './prose-schema.ts'

/** A picture in a text, as its element says. */
type Shown = { src: string; alt: string; width: string | null; height: string | null }

/** Pixels that a picture in a text has at most: more than the column of any page shows. */
const WIDEST = 'large'

/** A picture of the library in the size for a text. */
function shownOf({ url, width, height, sizes, alt_texts }: Media, language: string | undefined): Shown {
  const size = sizes[WIDEST] ?? { url, width, height }
  const alt = (language && alt_texts[language]) ?? ''
  return { src: size.url, alt, width: String(size.width), height: String(size.height) }
}

/** The picture that is selected in a text; undefined if something else is. */
export function selectedPicture(view: EditorView): Shown | undefined {
  const { selection } = view.state
  const isPicture = selection instanceof NodeSelection && selection.node.type === schema.nodes.image
  return isPicture ? (selection.node.attrs as Shown) : undefined
}

/** Puts a picture where the cursor is, or in the place of the selected one. */
export function putPicture(view: EditorView, picture: Shown) {
  view.dispatch(view.state.tr.replaceSelectionWith(schema.nodes.image!.create(picture)).scrollIntoView())
  view.focus()
}

/** Pictures as the editor shows them: those of this service by the way on which the desk was reached. */
export const pictureView: NodeViewConstructor = (node: Node) => {
  const dom = document.createElement('img')
  const { src, alt } = node.attrs as Shown
  dom.src = /\/media\/[\w./-]+$/.test(src) ? pathOf(src) : src
  dom.alt = alt ?? ''
  return { dom }
}

type Props = {
  language: string | undefined
  /** The picture that is changed; undefined for a new one. */
  selected: Shown | undefined
  put: (picture: Shown) => void
  close: () => void
}

/** Chooses a picture for a text, and asks what it shows. */
export function AskPicture({ language, selected, put, close }: Props) {
  const [picture, setPicture] = useState(selected)
  if (!picture) return <Library close={close} choose={(media) => setPicture(shownOf(media, language))} />
  const submit = () => put({ ...picture, alt: picture.alt.trim() })
  return (
    <Dialog title={w.picture_in_text} onClose={close}>
      <img class="large" src={pathOf(picture.src)} alt="" />
      <TextField
        label={w.alt_text}
        hint={w.alt_in_text_hint}
        value={picture.alt ?? ''}
        {...(language && { lang: language })}
        onValue={(alt) => setPicture({ ...picture, alt })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          submit()
        }}
      />
      <div class="buttons">
        <button type="button" class="primary" onClick={submit}>
          {w[selected ? 'done' : 'insert_picture']}
        </button>
        <button type="button" class="plain" onClick={() => setPicture(undefined)}>
          {w.other_picture}
        </button>
      </div>
    </Dialog>
  )
}
