import type { ComponentChildren } from 'preact'
import { signal } from '../../api/signal.ts'
import { SITE } from '../../api/site.ts'
import { useTerms } from '../../api/terms.ts'
import { Search } from '../../parts/listing.tsx'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import {
  byName,
  found,
  PLURAL,
  type Placed,
  type Term,
  type TermKind,
  treeOf,
  unfolded,
} from '../../rules/term.ts'
import { fill, languageName, languageOfNew, number, w } from '../../words/words.ts'
import { SPEAKS_SEVERAL } from '../events/query.ts'
import { Panel } from './panel.tsx'

/** How deep a list is indented. */
const DEEPEST = 6
/** A longer tree is folded at first. */
const LONG = 40

const mayChange = (kind: TermKind) =>
  may(kind === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories')

/** Which terms somebody has folded or unfolded, until the desk is closed. */
const chosen = signal<Record<number, boolean>>({})

/** The languages of a term besides its own: the way to its translations, and to what it lacks. */
const Translations = ({ kind, term }: { kind: TermKind; term: Term }) => (
  <ul class="spoken" aria-label={fill(w.languages_of, { title: term.name })}>
    {SITE.languages
      .filter((code) => code !== term.language)
      .map((code) => {
        const id = term.translations[code]
        const language = languageName(code)
        const label = fill(id ? w.edit_translation : w.add_translation, { language })
        return (
          <li key={code}>
            <a
              class={id ? '' : 'lacking'}
              href={hashOf(['translate', PLURAL[kind], term.id, code])}
              title={label}
            >
              <span aria-hidden="true">{code.toUpperCase()}</span>
              <span class="unseen">{`${label}: ${term.name}`}</span>
            </a>
          </li>
        )
      })}
  </ul>
)

type RowProps = {
  kind: TermKind
  term: Placed<Term> & { below: number }
  place: Place
  isFolded: boolean
  fold: (() => void) | undefined
}
/** One category or tag in a list: its name, its translations, how many published events have it, and what can be added below it. */
function Row({ kind, term, place, isFolded, fold }: RowProps) {
  const plural = PLURAL[kind]
  const { search } = place.query
  const allowed = mayChange(kind)
  const { id, name, language } = term
  return (
    <li class={`term depth-${Math.min(term.depth, DEEPEST)}`}>
      {kind === 'category' &&
        (term.below > 0 && fold ? (
          <button
            type="button"
            class="quiet fold"
            aria-expanded={!isFolded}
            aria-label={fill(w.below_one, { name, count: number(term.below) })}
            onClick={fold}
          />
        ) : (
          <span class="fold" />
        ))}
      {allowed ? (
        <a
          class="name"
          href={hashOf([plural, id], { search, language: SPEAKS_SEVERAL ? language : undefined })}
          lang={language}
          dir="auto"
          aria-current={place.path[1] === String(id) ? 'true' : undefined}
        >
          {name}
        </a>
      ) : (
        <span class="name" lang={language} dir="auto">
          {name}
        </span>
      )}
      <span class="hint below">
        {isFolded && <span>{fill(w.so_many_below, { count: number(term.below) })}</span>}
      </span>
      {SPEAKS_SEVERAL && allowed && <Translations kind={kind} term={term} />}
      <span class="hint published">{fill(w.so_many_published, { count: number(term.count) })}</span>
      {allowed && kind === 'category' && (
        <a
          class="button quiet icon"
          href={hashOf([plural, 'new'], { parent: id, language })}
          aria-label={fill(w.new_below_one, { name })}
        >
          +
        </a>
      )}
    </li>
  )
}

/** Terms of one language in their order. */
const ordered = (kind: TermKind, terms: readonly Term[]): Placed<Term>[] =>
  kind === 'category' ? treeOf(terms) : terms.toSorted(byName).map((term) => ({ ...term, depth: 0 }))

type ListProps = {
  kind: TermKind
  place: Place
  tree: Placed<Term>[]
  title: string
  /** What stands above the list. */
  children: ComponentChildren
}
/** The terms of a language: a tree that is folded, or a list. */
function List({ kind, place, tree, title, children }: ListProps) {
  const own = chosen.use()
  const { search = '' } = place.query
  // what somebody looks at is in sight, and so is what was found
  const here = tree.findIndex(({ id }) => String(id) === place.path[1])
  const above = new Set<number>()
  for (let at = here, depth = tree[here]?.depth ?? 0; at >= 0 && depth > 0; at--)
    if (tree[at]!.depth < depth) {
      above.add(tree[at]!.id)
      depth = tree[at]!.depth
    }
  const isFolded = (id: number) =>
    search === '' && !above.has(id) && (own[id] ?? (kind === 'category' && tree.length > LONG))
  const rows = unfolded(tree, isFolded)
  const parents = unfolded(tree, () => false).filter(({ below }) => below > 0)
  const areFolded = parents.some(({ id }) => isFolded(id))
  const foldAll = () =>
    chosen.set({ ...own, ...Object.fromEntries(parents.map(({ id }) => [id, !areFolded])) })
  return (
    <>
      <div class="terms-head">
        {children}
        {search === '' && parents.length > 1 && (
          <button type="button" class="quiet" onClick={foldAll}>
            {areFolded ? w.unfold_all : w.fold_all}
          </button>
        )}
      </div>
      <ul class={kind === 'tag' ? 'terms tags' : 'terms'} aria-label={title}>
        {rows.map((term) => (
          <Row
            key={term.id}
            kind={kind}
            term={term}
            place={place}
            isFolded={term.below > 0 && isFolded(term.id)}
            fold={search === '' ? () => chosen.set({ ...own, [term.id]: !isFolded(term.id) }) : undefined}
          />
        ))}
      </ul>
    </>
  )
}

/** Categories as a tree, or tags, of one language after the other, with the form of one of them beside. */
export function TermsPage({ kind, place }: { kind: TermKind; place: Place }) {
  const plural = PLURAL[kind]
  const { search = '' } = place.query
  const { value, failure, again, loading, hasMore } = useTerms(kind, { text: search, isNewest: true })
  const allowed = mayChange(kind)
  const open = place.path[1] !== undefined && allowed
  const languages = [...new Set([...SITE.languages, ...(value ?? []).map(({ language }) => language)])]
  const trees = languages.map((code) => {
    const all = ordered(kind, value?.filter(({ language }) => language === code) ?? [])
    return [code, search === '' ? all : found(all, search)] as const
  })
  const opened = value?.find(({ id }) => String(id) === place.path[1])?.language
  const wanted = [place.query.language, opened, languageOfNew()]
  const shown = wanted.find((code) => code !== undefined && languages.includes(code))!
  const [, tree = []] = trees.find(([code]) => code === shown) ?? []
  return (
    <>
      <div class="head">
        <h1>
          {w[plural]} {value && <span class="count">{number(value.length)}</span>}
        </h1>
        {allowed && (
          <a class="button" href={hashOf([plural, 'new'], { language: SPEAKS_SEVERAL ? shown : undefined })}>
            {w[`new_${kind}`]}
          </a>
        )}
      </div>
      <div class={open ? 'split open' : 'split'}>
        <div class="list">
          <Search place={{ path: [plural], query: place.query }} />
          <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
            {failure && <Failed failure={failure} again={again} />}
            {value && (
              <List
                kind={kind}
                place={place}
                tree={tree}
                title={SPEAKS_SEVERAL ? languageName(shown) : w[plural]}
              >
                {SPEAKS_SEVERAL && (
                  <nav class="tabs" aria-label={w.language}>
                    <ul>
                      {trees.map(([code, terms]) => (
                        <li key={code}>
                          <a
                            href={hashOf([plural], { search, language: code })}
                            aria-current={code === shown ? 'page' : undefined}
                          >
                            {languageName(code)} <span class="count">{number(terms.length)}</span>
                          </a>
                        </li>
                      ))}
                    </ul>
                  </nav>
                )}
              </List>
            )}
            {value && tree.length === 0 && (
              <div class="empty">
                <p>{search === '' ? w.nothing_yet : w.none_found}</p>
              </div>
            )}
            {hasMore && search === '' && <p class="hint">{w.most_used_terms}</p>}
          </div>
        </div>
        {open && (
          <section class="panel" aria-label={w[kind]}>
            <Panel
              key={place.path[1] === 'new' ? JSON.stringify(place.query) : place.path[1]}
              kind={kind}
              place={place}
            />
          </section>
        )}
      </div>
    </>
  )
}
