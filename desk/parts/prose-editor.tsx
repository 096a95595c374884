import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { baseKeymap, chainCommands, exitCode, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands'
import { history, redo, undo } from 'prosemirror-history'
import { inputRules, textblockTypeInputRule, wrappingInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import type { MarkType, NodeType } from 'prosemirror-model'
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list'
import { type Command, EditorState } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { type Words, w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { AskPicture, pictureView, putPicture, selectedPicture } from './prose-picture.tsx'
import { isHeld, readHtml, schema, writeHtml } from './prose-schema.ts'

const { nodes, marks } = schema
const lineBreak: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break!.create()).scrollIntoView())
  return true
}

const plugins = () => [
  history(),
  inputRules({
    rules: [
      wrappingInputRule(/^\s*[-*]\s$/, nodes.bullet_list!),
      wrappingInputRule(/^1\.\s$/, nodes.ordered_list!),
      wrappingInputRule(/^>\s$/, nodes.blockquote!),
      textblockTypeInputRule(/^##\s$/, nodes.heading2!),
      textblockTypeInputRule(/^###\s$/, nodes.heading3!),
    ],
  }),
  keymap({
    'Mod-z': undo,
    'Mod-y': redo,
    'Shift-Mod-z': redo,
    'Mod-b': toggleMark(marks.strong!),
    'Mod-i': toggleMark(marks.em!),
    'Mod-u': toggleMark(marks.underline!),
    'Shift-Enter': chainCommands(exitCode, lineBreak),
    Enter: splitListItem(nodes.list_item!),
    'Mod-[': liftListItem(nodes.list_item!),
    'Mod-]': sinkListItem(nodes.list_item!),
  }),
  keymap(baseKeymap),
]

/** Pixels that stay around the cursor. */
const MARGIN = { top: 5, right: 5, bottom: 90, left: 5 }

/** Whether the selection has a mark, or stands in a block. */
const hasMark = ({ selection: { from, to, $from, empty }, storedMarks, doc }: EditorState, type: MarkType) =>
  empty ? Boolean(type.isInSet(storedMarks ?? $from.marks())) : doc.rangeHasMark(from, to, type)
const isIn = ({ selection: { $from } }: EditorState, type: NodeType) =>
  Array.from({ length: $from.depth + 1 }, (_, depth) => $from.node(depth).type).includes(type)

const toggleBlock =
  (type: NodeType): Command =>
  (state, dispatch) =>
    setBlockType(isIn(state, type) ? nodes.paragraph! : type)(state, dispatch)
const toggleList =
  (type: NodeType): Command =>
  (state, dispatch) =>
    (isIn(state, type) ? liftListItem(nodes.list_item!) : wrapInList(type))(state, dispatch)

type Tool = {
  word: keyof Words
  sign: string
  run: Command
  on: (state: EditorState) => boolean
  class?: string
}
const ofMark = (word: keyof Words, sign: string, type: MarkType, name: string): Tool => ({
  ...{ word, sign, run: toggleMark(type), class: name },
  on: (state) => hasMark(state, type),
})
const ofBlock = (word: keyof Words, sign: string, type: NodeType, run = toggleBlock(type)): Tool => ({
  ...{ word, sign, run },
  on: (state) => isIn(state, type),
})
const TOOLS: Tool[] = [
  ofMark('bold', 'B', marks.strong!, 'bold'),
  ofMark('italic', 'I', marks.em!, 'italic'),
  ofBlock('heading', 'H2', nodes.heading2!),
  ofBlock('subheading', 'H3', nodes.heading3!),
  ofBlock('bullets', '•', nodes.bullet_list!, toggleList(nodes.bullet_list!)),
  ofBlock('numbers', '1.', nodes.ordered_list!, toggleList(nodes.ordered_list!)),
  ofBlock('quote', '“', nodes.blockquote!, wrapIn(nodes.blockquote!)),
]

type Props = {
  label: string
  value: string
  onValue: (html: string) => void
  lang?: string
  error?: string | undefined
}

/** A text with headings, lists and links. What it can not hold is edited as HTML. */
export function ProseField({ label, value, onValue, lang, error }: Props) {
  const id = useId()
  const [source, setSource] = useState(() => !isHeld(value))
  const held = useMemo(() => !source || isHeld(value), [source, value])
  const [linking, setLinking] = useState<string>()
  const [picturing, setPicturing] = useState(false)
  const [state, setState] = useState<EditorState>()
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const written = useRef(value)
  /** What was written and has not come back yet: the form follows a letter later. */
  const underway = useRef(new Set<string>())
  const tell = useRef(onValue)
  tell.current = onValue

  const write = (html: string) => {
    written.current = html
    underway.current.add(html)
    tell.current(html)
  }
  useLayoutEffect(() => {
    if (source) return
    const made = new EditorView(place.current, {
      state: EditorState.create({ doc: readHtml(value), plugins: plugins() }),
      nodeViews: { image: pictureView },
      // the line that is written does not go below the buttons at the bottom of the window
      ...{ scrollThreshold: MARGIN, scrollMargin: MARGIN },
      handleDOMEvents: {
        // whoever comes by keyboard sees all of a short text, not the line of the cursor alone
        keyup({ dom }, { key }) {
          if (key === 'Tab' && dom.offsetHeight < innerHeight / 2) dom.scrollIntoView({ block: 'nearest' })
        },
      },
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-labelledby': `${id}-label`,
        ...(lang && { lang }),
      },
      dispatchTransaction(transaction) {
        const next = made.state.apply(transaction)
        made.updateState(next)
        setState(next)
        if (!transaction.docChanged) return
        write(writeHtml(next.doc))
      },
    })
    view.current = made
    setState(made.state)
    return () => made.destroy()
  }, [source])
  // a value that comes from elsewhere, such as the version of another editor. At once: a letter that is typed before it would be lost
  useLayoutEffect(() => {
    if (value === written.current) return underway.current.clear()
    if (underway.current.has(value)) return
    written.current = value
    if (!isHeld(value)) return setSource(true)
    const doc = readHtml(value)
    // the same text in other markup, as it comes back when it is saved, leaves the cursor where it is
    if (!source && !view.current?.state.doc.eq(doc))
      view.current?.updateState(EditorState.create({ doc, plugins: plugins() }))
  }, [value])

  const run = (command: Command) => {
    command(view.current!.state, view.current!.dispatch, view.current!)
    view.current!.focus()
  }
  const link = (href: string) => {
    setLinking(undefined)
    const { from, to, empty } = view.current!.state.selection
    const { tr } = view.current!.state
    const url = /^(https?:|mailto:|tel:)/.test(href) ? href : `https://${href}`
    if (href === '') tr.removeMark(from, to, marks.link!)
    else if (empty) tr.insert(from, schema.text(href, [marks.link!.create({ href: url })]))
    else tr.addMark(from, to, marks.link!.create({ href: url }))
    view.current!.dispatch(tr)
    view.current!.focus()
  }
  return (
    <div class="field prose">
      {source ? (
        <label for={`${id}-source`}>{label}</label>
      ) : (
        <span class="label" id={`${id}-label`}>
          {label}
        </span>
      )}
      <div class="editor">
        <div class="tools" role="toolbar" aria-label={w.format}>
          {!source &&
            TOOLS.map(({ word, sign, run: command, on, class: name }) => (
              <button
                key={word}
                type="button"
                class={`quiet ${name ?? ''}`}
                aria-label={w[word]}
                title={w[word]}
                aria-pressed={state ? on(state) : false}
                onClick={() => run(command)}
                data-sign={sign}
              />
            ))}
          {!source && (
            <button
              type="button"
              class="quiet"
              aria-pressed={state ? hasMark(state, marks.link!) : false}
              onClick={() => setLinking('')}
            >
              {w.link}
            </button>
          )}
          {!source && (
            <button type="button" class="quiet" onClick={() => setPicturing(true)}>
              {w.picture}
            </button>
          )}
          <button type="button" class="quiet last" aria-pressed={source} onClick={() => setSource(!source)}>
            HTML
          </button>
        </div>
        {source ? (
          <textarea
            id={`${id}-source`}
            rows={10}
            lang={lang}
            spellcheck={false}
            value={value}
            aria-invalid={error ? true : undefined}
            onInput={({ currentTarget }) => write(currentTarget.value)}
          />
        ) : (
          <div ref={place} />
        )}
      </div>
      {!held && <p class="hint">{w.html_only}</p>}
      {error && <p class="error">{error}</p>}
      {picturing && (
        <AskPicture
          language={lang}
          selected={selectedPicture(view.current!)}
          put={(picture) => {
            setPicturing(false)
            putPicture(view.current!, picture)
          }}
          close={() => setPicturing(false)}
        />
      )}
      {linking !== undefined && (
        <Dialog title={w.link} onClose={() => setLinking(undefined)}>
          <TextField
            label={w.link_address}
            value={linking}
            onValue={setLinking}
            placeholder="https://"
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              link(linking.trim())
            }}
          />
          <div class="buttons">
            <button type="button" onClick={() => link(linking.trim())}>
              {w.done}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}
